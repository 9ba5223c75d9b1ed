# SPDX-License-Identifier: GPL-3.0-or-later
"""Join what a text says of single queues and interrupts of a NIC to one value; a later line wins over earlier ones."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus

from ..model import CONTRADICTS, NOTE, Setting, Sink, exclusive
from ..shell import interrupts

FAMILY = "irq"
# So many queues a text names only in a loop that goes on as long as there are queues.
_MANY = 64
_EACH = "each "


def is_one(setting: Setting) -> bool:
    """Whether a setting is of a single queue, or of interrupts of a name."""
    return setting.family == FAMILY and " " in setting.key


def standing(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those that another line sets for more of the queues or interrupts; these become remarks."""
    groups: Dict[Any, List[Setting]] = {}
    for one in settings:
        if one.family == FAMILY:
            groups.setdefault((one.nic, one.match, one.key.partition(" ")[0]), []).append(one)
    gone: Set[int] = set()
    for (_nic, _match, key), group in groups.items():
        for early, late in _pairs(sorted(group, key=lambda one: one.line)):
            if id(early) in gone or id(late) in gone:
                continue
            loser, winner, why = _against(key, early, late)
            if why:
                sink.remark(loser.line, CONTRADICTS, f"{loser.named} contradicts {sink.position(winner.line)}, {why}")
                sink.losers.append(loser)
                gone.add(id(loser))
    return [one for one in settings if id(one) not in gone]


def _pairs(group: Sequence[Setting]) -> Iterator[Tuple[Setting, Setting]]:
    """Those that may be about the same; of single queues, of which there may be thousands, no two are."""
    for position, late in enumerate(group):
        single = late.key.partition(" ")[2].isdecimal()
        for early in group[:position]:
            if not single or early.key == late.key or not early.key.partition(" ")[2].isdecimal():
                yield early, late


def _against(key: str, early: Setting, late: Setting) -> Tuple[Setting, Setting, str]:
    """Of two settings the one that does not stand, the one that does, and why; no reason where both stand."""
    first, second = early.key.partition(" ")[2] or "*", late.key.partition(" ")[2] or "*"
    if early.address == late.address:
        return early, late, ""
    same = early.value == late.value
    if exclusive(early.branch, late.branch):
        meet = not same and ("*" in (first, second) or fnmatchcase(first, second))
        return late, early, f"the other case of a condition: {early.value}" if meet else ""
    if key == interrupts.KEY and first == "*" and second != "*" and _is_dealt(str(early.value)):
        why = f"which comes later: beside {second}: {late.value} the inventory takes only lists of processors"
        return early, late, why
    # What one line says of all of them and then of some is no contradiction, whatever order a loop has.
    later = not same and late.line > early.line and first != "*" and fnmatchcase(first, second)
    of = "all of them" if second == "*" else second
    return early, late, f"which comes later, for {of}: {late.value}" if later else ""


def _is_dealt(value: str) -> bool:
    """Whether an affinity gives each interrupt a processor of its own."""
    return not value.startswith(_EACH) and not value.isdecimal()


def value(sink: Sink, key: str, plain: str, found: Mapping[str, Setting]) -> Any:
    """What stands in the inventory for all that a text says of the queues, or of the interrupts, of one NIC."""
    if key == interrupts.KEY:
        # The first pattern that fits wins, so what comes later stands first.
        names = sorted(found, key=lambda name: -found[name].line)
        every = {"*": plain.replace(_EACH, "")} if plain else {}
        return {**{name: str(found[name].value) for name in names}, **every}
    joined = _by_queue(key, found)
    if "*" not in found and not isinstance(joined, dict):
        said = f"irq {key}: queues {', '.join(sorted(found))} are named; the list goes on with the next ones"
        sink.remark(next(iter(found.values())).line, NOTE, said)
    return joined


def _by_queue(key: str, found: Mapping[str, Setting]) -> Any:
    """One list for all queues, or one for each; by their numbers where others keep what they have."""
    every = found.get("*")
    numbers = sorted(int(index) for index in found if index.isdecimal())
    single = {number: str(found[str(number)].value) for number in numbers}
    if every is not None and set(single.values()) <= {every.value}:
        return _for_all(key, every.value)
    if key != "rps_flow_cnt" and (every is not None or numbers != list(range(max(len(numbers), 2)))):
        return {**single, **({"*": every.value} if every is not None else {})}
    last = str(every.value) if every is not None else single[numbers[-1]]
    lists = [single.get(number, last) for number in range(numbers[-1] + 1)]
    # What comes again and again is said once: the list begins anew where there are more queues.
    period = next(
        size
        for size in range(1, len(lists) + 1)
        if lists == (lists[:size] * len(lists))[: len(lists)] and (not len(lists) % size or len(lists) > _MANY)
    )
    part = lists[:period]
    dealt = key == "xps" and period > 1 and all(one.isdecimal() for one in part)
    if dealt and sorted({int(one) for one in part}) == [int(one) for one in part]:
        return cpus.format_list([int(one) for one in part])
    return " ".join(part) if period > 1 else _for_all(key, part[0])


def _for_all(key: str, text: str) -> str:
    """What each queue gets; a list alone would be dealt to them, one processor for each."""
    return f"{_EACH}{text}" if key == "xps" and re.search("[,-]", text) else text
