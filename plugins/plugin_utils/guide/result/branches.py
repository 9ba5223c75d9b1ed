# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell the cases of conditions apart that the text does not decide: the inventory is that of one case."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from ..keys import bonded
from ..model import CONDITIONAL, Branch, Setting, Sink, exclusive


def apart(one: Branch, other: Branch) -> List[Tuple[int, int]]:
    """The conditions of which two commands are different cases, each with the number of the case of the other one."""
    mine = {group: number for group, number, _kind in one}
    return [(group, number) for group, number, _kind in other if mine.get(group, number) != number]


def of_lost_cases(sink: Sink, settings: Sequence[Setting], lost: Mapping[Tuple[int, int], Setting]) -> Set[Any]:
    """What only a case sets that gives way to another one of its condition; the inventory is that of one case."""
    winners: Dict[Any, Setting] = {}
    elsewhere: Set[Any] = set()
    for one in settings:
        case = next(((group, number) for group, number, _kind in one.branch if (group, number) in lost), None)
        if case and not bonded.is_list(one.key):
            winners.setdefault(one.address, lost[case])
        else:
            elsewhere.add(one.address)
    gone = set(winners) - elsewhere
    for one in settings:
        if one.address in gone:
            other = sink.position(winners[one.address].line)
            sink.remark(one.line, CONDITIONAL, f"{one.named} is of another case of the condition than {other}")
    return gone


def unsure(sink: Sink) -> List[int]:
    """The conditions by hardware or the like whose cases set the same to different values."""
    found: List[int] = []
    by_address: Dict[Any, List[Setting]] = {}
    for setting in sink.settings:
        if setting.branch:
            by_address.setdefault(setting.address, []).append(setting)
    for group_settings in by_address.values():
        for index, one in enumerate(group_settings):
            for other in group_settings[index + 1 : index + 200]:
                if one.value != other.value and (exclusive(one.branch, other.branch) or "if") != "if":
                    found += [group for group, _number in apart(one.branch, other.branch)]
    return found
