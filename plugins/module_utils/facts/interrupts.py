# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather which CPUs have served the interrupts of NICs, and how well each CPU keeps up."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..host import ReadOnlyHost
from ..tools import interrupts as tool
from ..tools import statistics, sysfs


def gather(host: ReadOnlyHost, nics: Sequence[str]) -> Dict[str, List[Dict[str, Any]]]:
    """By NIC, for each interrupt of a queue: number, name, where it may run, and how often each CPU has served it.

    Of a NIC with one interrupt also whether the kernel has switched it `off`.
    """
    counts = tool.counts(host.read("/proc/interrupts") or "")
    found: Dict[str, List[Dict[str, Any]]] = {}
    for nic in nics:
        own = tool.of(host, nic)
        found[nic] = [
            {
                "number": item.number,
                "queue": item.queue,
                "name": item.name,
                "cpus": sysfs.text(host, item.path),
                "counts": counts.get(item.number, []),
            }
            for item in own
        ]
        for row in found[nic][:1] if len(own) == 1 else ():
            told = host.read(f"/proc/irq/{row['number']}/spurious") or ""
            row.update({"off": True} if tool.switched_off(told, sum(row["counts"])) else {})
    return found


def sample(host: ReadOnlyHost) -> List[Dict[str, int]]:
    """For each CPU: packets processed, dropped because its backlog was full, and rounds that ran out of budget.

    Also its ticks (`time`) and those of them in `softirq`, where packets are processed.
    """
    spent = tool.softirq_time(host.read("/proc/stat") or "")
    rows = tool.softnet(host.read("/proc/net/softnet_stat") or "")
    return [{**row, **spent.get(row["cpu"], {})} for row in rows]


def softnet(host: ReadOnlyHost, before: Sequence[Dict[str, int]], interval: float) -> List[Dict[str, Any]]:
    """The same since the boot, and under `growth` what came on top since `before`, `interval` seconds ago."""
    rows: List[Dict[str, Any]] = [dict(row) for row in sample(host)]
    former = {row["cpu"]: row for row in before}
    for row in rows:
        if interval > 0 and row["cpu"] in former:
            grown = statistics.growth(former[row["cpu"]], row)
            row.update(growth={name: count for name, count in grown.items() if name != "cpu"}, interval=interval)
    return rows
