# SPDX-License-Identifier: GPL-3.0-or-later
"""Read keyfiles of NetworkManager."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from ..calls import nmcli
from ..keys.settings import Guide
from ..model import Line
from .ini import Entry, sections


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """A connection of NetworkManager in a file."""
    found = sections(guide, lines)
    connection: Dict[str, str] = {entry.key: entry.value for entry in found if entry.section == "connection"}
    ethernet = {entry.key: entry.value for entry in found if entry.section in ("ethernet", "802-3-ethernet")}
    nic = connection.get("interface-name", "")
    match: List[Tuple[str, str]] = (
        [] if nic or "mac-address" not in ethernet else [("mac", ethernet["mac-address"].lower())]
    )
    nic = nic or ("" if match else connection.get("id", ""))
    for entry in found:
        _entry(guide, entry, nic, match, connection)


def _entry(guide: Guide, entry: Entry, nic: str, match: List[Tuple[str, str]], connection: Dict[str, str]) -> None:
    section = nmcli.ALIASES.get(entry.section, entry.section)
    if section == "connection":
        if (
            entry.key in ("master", "controller")
            and connection.get("slave-type", connection.get("port-type")) == "bond"
        ):
            guide.sink.set(entry.line, entry.value, "bond", "members", nic)
        else:
            guide.sink.nothing(entry.line, "says which connection this is")
    elif section == "ethernet" and entry.key == "mac-address":
        guide.sink.nothing(entry.line, "says which NIC is meant")
    else:
        nmcli.of_section(guide, entry.line, nic, section, entry.key, entry.value, match)
