# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave out what only some of the hosts have that a text is for, or some calls of a script, where it chooses between
them: `case "$1" in server)`, a host for each part of a guide, groups of an inventory."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence, Set

from ..model import CONDITIONAL, Part, Setting, Sink

_NAME_OF_A_NIC = re.compile(r"(?:eth|en[opsxP]|em|p\d+p|ib|wlan|wl[opsx]|bond|team|br|vlan|vmbr|usb|lan|wan)[\w.-]*[\d*?]\S*")
_Held = Dict[int, Set[Any]]  # by case, what it sets


def standing(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those that not all of the hosts have, between which a condition chooses."""
    if not sink.roles:
        return list(settings)
    held: Dict[int, _Held] = {}
    of_nics: Set[int] = set()
    for one in settings:
        for group, number, _kind in one.branch:
            case = sink.roles.get(group, {}).get(number)
            if case is not None:
                held.setdefault(group, {}).setdefault(number, set()).add((one.address, str(one.value)))
                of_nics.update({group} if _is_of_nic(case, one) else ())
    apart = {group: _common(sink.roles[group], cases) for group, cases in held.items() if group not in of_nics}
    kept: List[Setting] = []
    for one in settings:
        case = next((sink.roles[group][number] for group, number, _kind in one.branch if _left(apart, group, number, one)), None)
        if case is None:
            kept.append(one)
            _note(sink, one, held, of_nics)
        else:
            sink.remark(one.line, CONDITIONAL, f"{one.named}: {case.said or 'another case sets something else'}")
    return kept


def _is_of_nic(case: Part, one: Setting) -> bool:
    """Whether a case is that of a NIC, which the inventory names."""
    names = {one.nic, *(text for _key, text in one.match)} - {""}
    return any(_NAME_OF_A_NIC.fullmatch(word) or any(fnmatchcase(name, word) for name in names) for word in case.words - {"*"})


def _common(cases: Mapping[int, Part], held: _Held) -> Dict[int, Set[Any]]:
    """By case, what may stand of it: all that a plain call sets, else what all cases set; nothing where one is in another."""
    plain = [number for number in held if not cases[number].said]
    if plain:
        every = set().union(*(held[number] for number in plain))
        return {number: every for number in held if number not in plain and held[number] - every}
    differ = any(held[one] - held[other] and held[other] - held[one] for one in held for other in held)
    if not differ:
        return {}
    alike = set.intersection(*held.values())
    return {number: alike for number in held}


def _left(apart: Mapping[int, Mapping[int, Set[Any]]], group: int, number: int, one: Setting) -> bool:
    stands = apart.get(group, {}).get(number)
    return stands is not None and (one.address, str(one.value)) not in stands


def _note(sink: Sink, one: Setting, held: Mapping[int, _Held], of_nics: Set[int]) -> None:
    """What stands for some hosts only says so."""
    for group, number, _kind in one.branch:
        case = sink.roles.get(group, {}).get(number)
        if case is None or not case.said or group in of_nics:
            continue
        if not all((one.address, str(one.value)) in found for found in held[group].values()) or len(held[group]) == 1:
            sink.note(one.line, case.said)
