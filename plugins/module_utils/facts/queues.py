# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather queues, their queueing disciplines, and the filters that choose a queue for a packet."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import fifos, interrupts, policers, qdisc_counters, sysfs, tc
from .saying import said

# Devices whose filters are read at most, and packets from which on it is worth the time.
_MOST, _MANY = 8, 1000


def ask(host: ReadOnlyHost) -> str:
    """What all queueing disciplines of all devices have counted, as tc tells it."""
    return host.ask(Query(("tc", "-s", "qdisc", "show"))).out


def dropping(host: ReadOnlyHost, text: str) -> Dict[str, List[Dict[str, Any]]]:
    """What drops by a rule of its own on any device: queues that hold a few packets, netem, shapers, flows of fq,
    policers."""
    rows: Dict[str, Sequence[Any]] = {
        "short_queues": fifos.short(text),
        "emulators": qdisc_counters.emulators(text),
        "fair_queues": qdisc_counters.fair_queues(text),
        "shapers": _shapers(host, text),
        "policers": _policers(host, text),
    }
    return {topic: [row._asdict() for row in found] for topic, found in rows.items() if found}


def _shapers(host: ReadOnlyHost, text: str) -> List[qdisc_counters.Shaper]:
    found = qdisc_counters.shapers(text)[:_MOST]
    for number, row in enumerate(found):
        if row.kind == "htb" and row.dropped >= _MANY:
            rate, mbits = qdisc_counters.ceiling(said(host, qdisc_counters.classes(row.nic)))
            found[number] = row._replace(rate=rate, mbits=mbits)
    return found


def _policers(host: ReadOnlyHost, text: str) -> List[policers.Policer]:
    found: List[policers.Policer] = []
    for nic, kind, dropped in policers.dropping(text)[:_MOST]:
        for way in policers.WAYS[kind] if dropped >= _MANY else ():
            found += policers.parse(said(host, policers.filters(nic, way)), nic, way, dropped)
    return found


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
