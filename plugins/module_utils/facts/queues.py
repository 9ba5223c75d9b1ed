# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather queues, their queueing disciplines, and the filters that choose a queue for a packet."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import fifos, interrupts, sysfs, tc


def ask(host: ReadOnlyHost) -> str:
    """What all queueing disciplines of all devices have counted, as tc tells it."""
    return host.ask(Query(("tc", "-s", "qdisc", "show"))).out


def short(text: str) -> List[Dict[str, Any]]:
    """Queues of any device that hold a few packets only and have dropped some."""
    return [fifo._asdict() for fifo in fifos.short(text)]


def gather(host: ReadOnlyHost, nics: Sequence[str], text: str) -> Dict[str, Dict[str, Any]]:
    """By NIC: how many queues, what its queueing disciplines have counted, and which client has which queue."""
    qdiscs = tc.statistics(text)
    found: Dict[str, Dict[str, Any]] = {}
    for nic in nics:
        facts: Dict[str, Any] = {
            "rx": len(interrupts.queues(host, nic, "rx")),
            "tx": sysfs.transmit_queues(host, nic),
            "xps": sysfs.steers(host, nic),
        }
        disciplines = qdiscs.get(nic)
        if disciplines:
            facts["qdisc"] = disciplines._asdict()
            facts["filters"] = [item._asdict() for item in tc.mappings(host, nic, disciplines)]
        found[nic] = facts
    return found
