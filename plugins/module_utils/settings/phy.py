# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the tunables of a PHY: when it gives up a speed or a link, and how deep it sleeps (`--get-phy-tunable`)."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import EXACTLY, Action, Cell, Desired, InputError, Query, Reader, Reading, Run, Value
from ..tools import sysfs

# A word and no switch: False equals 0, which some PHYs take for the shortest time.
_OFF = "off"


class _Row(NamedTuple):
    """A key, its word in commands, the word before its number there, and what the tool shows for on and for off."""

    key: str
    word: str
    unit: str
    shown: str
    off: str
    most: int
    about: str


_ROWS = (
    _Row(
        "downshift",
        "downshift",
        "count",
        r"Downshift count: (\d+)",
        "Downshift disabled",
        254,
        "number of attempts at a speed before the next lower one is tried, or C(off)",
    ),
    _Row(
        "fast_link_down",
        "fast-link-down",
        "msecs",
        r"Fast Link Down enabled(?:, (\d+) msecs)?",
        "Fast Link Down disabled",
        254,
        "milliseconds until a broken link is reported as down, 0 for at once, or C(off) for the standard time",
    ),
    _Row(
        "energy_detect_power_down",
        "energy-detect-power-down",
        "msecs",
        r"Energy Detect Power Down: enabled, TX (?:(\d+) msecs|disabled)",
        "Energy Detect Power Down: disabled",
        65533,
        "sleep while there is no cable, and send a pulse every N milliseconds, 0 for no pulse, or C(off)",
    ),
)


def cell(row: _Row, text: str) -> Dict[str, Cell]:
    """The cell of one tunable; on without a number is 0, as the tool has it."""
    match = re.search(row.shown, text)
    if match:
        return {row.key: Cell(int(match[1] or 0))}
    return {row.key: Cell(_OFF)} if row.off in text else {}


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    """One question for each key, so only for those that are requested; for all where nothing is."""
    found: Dict[str, Cell] = {}
    said = ""
    for row in _ROWS:
        if row.key not in keys and keys:
            continue
        answer = host.ask(Query(("ethtool", "--get-phy-tunable", nic, row.word)))
        found.update(cell(row, answer.out))
        said = answer.complaint if answer.rc else said
        # A driver that serves its PHY itself has the first of them or none (atlantic).
        if answer.rc and not keys and not host.exists(f"{sysfs.ROOT}/{nic}/phydev"):
            break
    if found:
        return Reading(found)
    return Reading({}, "the device does not have it" + (f" ({said})" if said else ""))


def _understand(field: Field, raw: object) -> Desired:
    text = str(raw).strip().lower()
    if raw is False or text == _OFF or (field.name, text) == ("downshift", "0"):
        return Desired(EXACTLY, _OFF)
    most = next(row.most for row in _ROWS if row.key == field.name)
    if isinstance(raw, bool) or not re.fullmatch(r"\d{1,5}", text) or int(text) > most:
        raise InputError(f"{field.name}: {raw!r} is not valid; write off, or a number up to {most}")
    return Desired(EXACTLY, int(text))


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    actions: List[Action] = []
    for row in _ROWS:
        value = values.get(row.key)
        if value is not None:
            words = [_OFF] if value == _OFF else ["on", row.unit, str(value)]
            actions.append(Run(("ethtool", "--set-phy-tunable", nic, row.word, *words)))
    return tuple(actions)


phy = Family(
    name="phy",
    module="ethtool",
    scope=NIC,
    loose=True,
    read=_read,
    write=_write,
    about="Tunables of the PHY, the part of a NIC that drives the cable. A change may renegotiate the link.",
    fields=tuple(Field(row.key, "tunable", row.about, parse=_understand) for row in _ROWS),
    hint="Only some PHYs have tunables, and each accepts certain numbers only.",
    cuts=True,
)
