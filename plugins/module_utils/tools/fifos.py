# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tc about queues that hold a few packets only: plain ones, and those that htb makes for its classes."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

from . import qdisc_counters

# A connection begins with ten segments at once (TCP_INIT_CWND of include/net/tcp.h).
FEW = 10
# By kind: where tc shows how many packets it holds.
_HOLDS = {"pfifo": r"\blimit (\d+)p", "htb": r"\bdirect_qlen (\d+)"}


class Fifo(NamedTuple):
    """A pfifo, or the root of an htb whose classes have such queues: how long, and what passed and died there.

    tc hides the queue that htb makes for a class, and counts its drops at the root; `direct_qlen` there is the
    queue length that the device had at that time, and that such a queue has as well (__fifo_init in sch_fifo.c).
    """

    nic: str
    kind: str
    parent: str
    limit: int
    sent: int
    dropped: int


def short(text: str) -> List[Fifo]:
    """Those of `tc -s qdisc show` that hold so few and have dropped packets."""
    found: List[Fifo] = []
    # By device: what the queues that can be seen have dropped; they stand behind the root.
    seen: Dict[str, int] = {}
    for kind, nic, parent, block in reversed(list(qdisc_counters.blocks(text))):
        sent, dropped = qdisc_counters.counted(block)
        limit = re.search(_HOLDS[kind], block.partition("\n")[0]) if kind in _HOLDS else None
        below = 0 if parent else seen.get(nic, 0)
        if limit and int(limit[1]) <= FEW and dropped and below * 2 < dropped:
            found.append(Fifo(nic, kind, parent, int(limit[1]), sent, dropped))
        if parent:
            seen[nic] = seen.get(nic, 0) + dropped
    return found[::-1]
