# SPDX-License-Identifier: GPL-3.0-or-later
"""Read commands of uci, and the options that OpenWrt has in the files of /etc/config."""

from __future__ import annotations

import re
import shlex
from typing import List, Mapping, Sequence, Tuple

from .. import masks
from ..keys.settings import Guide
from ..model import NO_EFFECT, ON_HOST, OTHER_TOOL, Line

# The options of a device or interface that are settings of the collection.
_KEYS: Mapping[str, Tuple[str, str]] = {
    "mtu": ("link", "mtu"),
    "txqueuelen": ("link", "txqueuelen"),
    "rxpause": ("pause", "rx"),
    "txpause": ("pause", "tx"),
    "gro": ("features", "gro"),
}
# What tells the device of a section; the first that is there.
NAMES = ("name", "device", "ifname")
_SET = re.compile(r"\bset\s+[\"']?network\.([^.=\s]+)\.(name|device|ifname)=[\"']?([^\"'`\s;]+)")
_ABOUT = "OpenWrt has it in /etc/config, and this collection does not write there"


def batch(guide: Guide, lines: Sequence[Line]) -> None:
    """What `uci batch` reads, a command in each line."""
    for number, text in lines:
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        command(guide, number, words)


def command(guide: Guide, line: int, words: List[str]) -> None:
    """`uci set network.SECTION.OPTION=VALUE`; the device of a section is told by another such command."""
    plain = [word for word in words if not word.startswith("-")]
    path, equals, value = plain[1].partition("=") if len(plain) > 1 else ("", "", "")
    parts = masks.shown(path).split(".")
    if plain[:1] not in (["set"], ["add_list"]) or not equals or len(parts) < 3:
        guide.sink.nothing(line, "sets nothing by itself")
        return
    if parts[0] != "network":
        guide.sink.remark(line, OTHER_TOOL, f"{'.'.join(parts)}={masks.shown(value)}: {_ABOUT}")
        return
    named = {found[2]: found[3] for found in map(_SET.search, guide.texts) if found and found[1] == parts[1]}
    names = next((named[word] for word in NAMES if word in named), "")
    option(guide, line, masks.mask(names) if "$" in names else names, parts[2], value)


def option(guide: Guide, line: int, names: str, key: str, value: str) -> None:
    """One option of a section, for the devices that the section has."""
    shown = f"{key} {masks.shown(value)}"
    if key in NAMES:
        guide.sink.nothing(line, "says which device this is")
    elif key not in _KEYS:
        guide.sink.remark(line, OTHER_TOOL, f"{shown}: {_ABOUT}")
    elif not value:
        guide.sink.remark(line, NO_EFFECT, f"{key}: no value is given")
    elif not names:
        guide.sink.remark(line, ON_HOST, f"{shown}: which device its section has, this text does not say")
    for nic in names.split() if key in _KEYS and value else ():
        guide.nic(line, nic, *_KEYS[key], value)
