# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `tc -s` about what drops by a rule of its own, on any device: netem, a full flow of fq, and policers."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Tuple

from ..schema import Query
from . import qdisc

# Where filters may police packets, by the qdisc that they hang on.
WAYS = {"ingress": ("ingress",), "clsact": ("ingress", "egress")}


class Emulator(NamedTuple):
    """A netem: the qdisc at the root of its device, where it hangs itself, and the packets sent and dropped."""

    nic: str
    root: str
    parent: str
    sent: int
    dropped: int


class FairQueue(NamedTuple):
    """The fq of a device, all queues together: packets that one flow may have waiting, sent, and dropped for that."""

    nic: str
    root: str
    flow_limit: int
    sent: int
    dropped: int


class Policer(NamedTuple):
    """What drops above a `rate` in bit/s and a `burst` in bytes; `passed` contains what was `dropped`, in packets."""

    nic: str
    way: str
    rate: int
    burst: int
    passed: int
    dropped: int


def emulators(text: str) -> List[Emulator]:
    """Of `tc -s qdisc show`: each netem."""
    blocks = list(_blocks(text))
    roots = {nic: kind for kind, nic, parent, _block in blocks if not parent}
    return [
        Emulator(nic, roots.get(nic, ""), parent, *_counted(block))
        for kind, nic, parent, block in blocks
        if kind == "netem"
    ]


def fair_queues(text: str) -> List[FairQueue]:
    """Of `tc -s qdisc show`: the fq of each device that has dropped packets of flows that had too many waiting."""
    blocks = list(_blocks(text))
    roots = {nic: kind for kind, nic, parent, _block in blocks if not parent}
    found: Dict[str, FairQueue] = {}
    for kind, nic, _parent, block in blocks:
        limit, over = re.search(r"\bflow_limit (\d{1,9})p", block), re.search(r"\bflows_plimit (\d{1,20})", block)
        if kind == "fq" and limit:
            old = found.get(nic, FairQueue(nic, roots.get(nic, ""), int(limit[1]), 0, 0))
            dropped = old.dropped + (int(over[1]) if over else 0)
            found[nic] = old._replace(sent=old.sent + _counted(block)[0], dropped=dropped)
    return [row for row in found.values() if row.dropped]


def dropping(text: str) -> List[Tuple[str, str, int]]:
    """Of `tc -s qdisc show`: device, kind and drops of what filters hang on before the queues, worst first."""
    rows = [(nic, kind, _counted(block)[1]) for kind, nic, _parent, block in _blocks(text) if kind in WAYS]
    return sorted((row for row in rows if row[2]), key=lambda row: (-row[2], row[0]))


def filters(nic: str, way: str) -> Query:
    """What the filters of one way have counted."""
    return Query(("tc", "-s", "filter", "show", "dev", nic, way))


def parse(text: str, nic: str, way: str, dropped: int) -> List[Policer]:
    """Of `tc -s filter show`: policers that drop, and take all packets of their way.

    Those of filters for some packets only protect a host from these. What old versions do not count is `dropped`.
    """
    found = []
    for block in re.split(r"^(?=filter )", text, flags=re.MULTILINE):
        limits = re.search(r"\bpolice \S+ +rate (\S+) burst (\S+)", block)
        # Two searches in turn: a single one would try each police with all that follows, and take the square of it.
        action = re.search(r"\baction (\w+)", block[limits.end() :]) if limits else None
        if not limits or not action or action[1] not in ("drop", "shot") or not _takes_all(block):
            continue
        rate, burst = qdisc.number(qdisc.RATE, limits[1]), qdisc.number(qdisc.BYTES, limits[2].partition("/")[0])
        passed, lost = _counted(block[limits.end() + action.end() :])
        if rate and burst:
            found.append(Policer(nic, way, rate, burst, passed, lost if passed else dropped))
    return found


def _takes_all(block: str) -> bool:
    head = re.match(r"filter (?:.*? )?protocol (?:all|ip) (?:.*? )?(matchall|basic|u32)\b(?! chain [1-9])", block)
    before = block.partition("police ")[0]
    if not head:
        return False
    # An expression of basic has brackets: cmp(), meta(), u32().
    if head[1] == "basic":
        return "(" not in re.sub(r"\(rule hit[^()]*\)", "", before)
    masks = re.findall(r"\bmatch [0-9a-f]{8}/([0-9a-f]{8})", before)
    return head[1] == "matchall" or (" fh " in before and not any(int(mask, 16) for mask in masks))


def _blocks(text: str) -> Iterator[Tuple[str, str, str, str]]:
    """Kind, device, parent (empty at the root), and all lines."""
    for block in re.split(r"^(?=qdisc )", text, flags=re.MULTILINE):
        head = re.match(r"qdisc (\S+) \S+: dev (\S+) (?:root|parent (\S+))", block)
        if head:
            yield head[1], head[2], head[3] or "", block


def _counted(block: str) -> Tuple[int, int]:
    """Packets sent, or passed, and dropped."""
    match = re.search(r"\bSent \d+ bytes (\d{1,20}) pkts? \(dropped (\d{1,20}),", block)
    return (int(match[1]), int(match[2])) if match else (0, 0)
