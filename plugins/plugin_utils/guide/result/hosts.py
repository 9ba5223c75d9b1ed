# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave out what only some of the hosts have that a text is for, or some calls of a script, where it chooses between
them: `case "$1" in server)`, a host for each part of a guide, groups of an inventory."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from ..model import CONDITIONAL, Case, Setting, Sink

_NAME_OF_A_NIC = re.compile(
    r"(?:eth|en[opsxP]|em|p\d+p|ib|wlan|wl[opsx]|bond|team|br|vlan|vmbr|usb|lan|wan)[\w.-]*[\d*?]\S*"
)
_Held = Dict[int, Set[Any]]  # by case, what it sets


def standing(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those that not all of the hosts have, between which a condition chooses."""
    if not sink.roles:
        return list(settings)
    held: Dict[int, _Held] = {}
    of_nics: Set[int] = set()
    for one in settings:
        for group, number, case in _cases(sink, one):
            held.setdefault(group, {}).setdefault(number, set()).add(_what(one))
            of_nics.update({group} if _is_of_nic(case, one) else ())
    apart = {group: _common(sink.roles[group], cases) for group, cases in held.items() if group not in of_nics}
    for_all = {one.address: one for one in settings if not any(group in apart for group, _n, _c in _cases(sink, one))}
    ways = _ways(sink, settings)
    kept: List[Setting] = []
    gone: List[Tuple[Setting, str]] = []
    for one in settings:
        cases = [found for found in _cases(sink, one) if found[0] in apart]
        elsewhere = next((case for group, number, case in cases if not _stands(apart[group], number, one)), None)
        general = for_all.get(one.address)
        said = next((case.said for _group, _number, case in cases if case.said), "")
        if elsewhere is not None:
            gone.append((one, elsewhere.said or "another case sets something else"))
        elif said and general is not None and general.line < one.line and general.value != one.value:
            gone.append((one, f"{said}; for all hosts {sink.position(general.line)} stands"))
        else:
            kept.append(one)
            for group, _number, found in cases:
                always = any(group not in groups for groups in ways[one.line, _what(one)])
                if found.said and found.noted and not always and _needs_note(sink.roles[group], held[group], one):
                    sink.note(one.line, found.said)
    # A line may set it in another case as well, which stands.
    standing_there = {(one.line, _what(one)) for one in kept}
    for one, why in gone:
        if (one.line, _what(one)) not in standing_there:
            sink.remark(one.line, CONDITIONAL, f"{one.named}: {why}")
    return kept


def _needs_note(cases: Mapping[int, Case], held: _Held, one: Setting) -> bool:
    """Whether not all have a setting, and a plain call has not got it either."""
    having = [number for number, found in held.items() if _what(one) in found]
    return all(cases[number].said for number in having) and (len(having) < len(held) or len(held) == 1)


def _ways(sink: Sink, settings: Sequence[Setting]) -> Dict[Any, List[Set[int]]]:
    """By a line and what it sets, the choices it stands in each time it runs: a hook may call what runs anyway."""
    found: Dict[Any, List[Set[int]]] = {}
    for one in settings:
        groups = {group for group, _number, _case in _cases(sink, one)}
        found.setdefault((one.line, _what(one)), []).append(groups)
    return found


def _what(one: Setting) -> Any:
    return one.address, str(one.value)


def _cases(sink: Sink, one: Setting) -> List[Tuple[int, int, Case]]:
    """The cases of choices between hosts or calls in which a setting stands."""
    found = ((group, number, sink.roles.get(group, {}).get(number)) for group, number, _kind in one.branch)
    return [(group, number, case) for group, number, case in found if case is not None]


def _is_of_nic(case: Case, one: Setting) -> bool:
    """Whether a case is that of a NIC, which the inventory names."""
    names = {one.nic, *(text for _key, text in one.match)} - {""}
    words = case.words - {"*"}
    named = any(fnmatchcase(name, word) for name in names for word in words)
    return named or any(map(_NAME_OF_A_NIC.fullmatch, words))


def _common(cases: Mapping[int, Case], held: _Held) -> Dict[int, Set[Any]]:
    """By case, what may stand of it: what a plain call sets, else what all set; nothing where one is in another."""
    plain = [number for number in held if not cases[number].said]
    if plain:
        every = set().union(*(held[number] for number in plain))
        return {number: every for number in held if number not in plain and held[number] - every}
    differ = any(held[one] - held[other] and held[other] - held[one] for one in held for other in held)
    if not differ:
        return {}
    alike = set.intersection(*held.values())
    return dict.fromkeys(held, alike)


def _stands(apart: Mapping[int, Set[Any]], number: int, one: Setting) -> bool:
    return number not in apart or _what(one) in apart[number]
