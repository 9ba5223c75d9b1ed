# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `tc -s` about policers, which filters of any device may have."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Tuple

from ..schema import Query
from . import qdisc, qdisc_counters

# Where filters may police packets, by the qdisc that they hang on.
WAYS = {"ingress": ("ingress",), "clsact": ("ingress", "egress")}


class Policer(NamedTuple):
    """What drops above a `rate` in bit/s and a `burst` in bytes; `passed` contains what was `dropped`, in packets."""

    nic: str
    way: str
    rate: int
    burst: int
    passed: int
    dropped: int


def dropping(text: str) -> List[Tuple[str, str, int]]:
    """Of `tc -s qdisc show`: device, kind and drops of what filters hang on before the queues, worst first."""
    rows = [
        (nic, kind, qdisc_counters.counted(block)[1])
        for kind, nic, _parent, block in qdisc_counters.blocks(text)
        if kind in WAYS
    ]
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
        passed, lost = qdisc_counters.counted(block[limits.end() + action.end() :])
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
