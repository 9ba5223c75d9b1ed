# SPDX-License-Identifier: GPL-3.0-or-later
"""Processors: who serves the interrupts, and who cannot keep up."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy, sysctl_remedy
from ..view import Facts, Host

_PAGE = "https://docs.kernel.org/networking/scaling.html"


def _one_core(host: Host) -> Iterator[Hit]:
    if host.count("kernel", "cpu_count") < 2:
        return
    for nic in host.nics:
        rows = nic.rows("interrupts")
        if len(rows) < 2 or not nic.real:
            continue
        lists = {row.text("cpus") for row in rows}
        single = all(cpus.isdigit() for cpus in lists)
        if single and len(lists) > 1:
            continue
        evidence = _pinned(lists) if single else _counted(rows)
        if evidence:
            yield Hit(
                {"interrupts": len(rows), **evidence}, nic.name, remedy=nic_remedy(nic.name, irq={"affinity": "spread"})
            )


def _pinned(lists: set[str]) -> dict[str, str]:
    return {"smp_affinity_list of all": next(iter(lists))}


def _counted(rows: list[Facts]) -> dict[str, str]:
    """One processor has served nearly all, out of enough to tell."""
    served = [sum(column) for column in zip(*(row.numbers("counts") for row in rows))]
    if sum(served) < 1_000_000 or max(served) < 0.9 * sum(served):
        return {}
    return {"served by one processor": f"CPU {served.index(max(served))}: {max(served)} of {sum(served)}"}


def _backlog(host: Host) -> Iterator[Hit]:
    dropped = sum(row.count("dropped") for row in host.rows("softnet"))
    processed = sum(row.count("processed") for row in host.rows("softnet"))
    limit = host.sysctl("net.core.netdev_max_backlog")
    if dropped >= 100 and dropped > processed / 100_000 and limit.isdigit() and int(limit[:18]) < 10000:
        remedy = sysctl_remedy(net__core__netdev_max_backlog={"at_least": 250000})
        evidence = {"net.core.netdev_max_backlog": limit, "dropped": f"{dropped} of {processed} packets"}
        yield Hit(evidence, remedy=remedy)


RULES = (
    Rule(
        id="interrupts-on-one-core",
        severity="medium",
        title="One processor serves all interrupts of a NIC",
        condition="all interrupts of a NIC with several queues are bound to one processor of several, or one has "
        "served 90 % of at least a million",
        explanation="A processor that does nothing but receive packets is full at some Gbit/s. The others cannot help "
        "as long as the interrupts of their queues do not reach them.",
        action="Spread the interrupts over the cores.",
        reference=_PAGE,
        host=_one_core,
    ),
    Rule(
        id="backlog-overflows",
        severity="medium",
        title="The backlog of a processor overflows",
        condition="processors have dropped at least 100 packets, and more than one in 100000, because the backlog was "
        "full, and it holds fewer than 10000",
        explanation="Packets wait in the backlog of a processor when another one has received them. A burst overflows "
        "the default of 1000.",
        action="Let the backlog hold more.",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html#netdev-max-backlog",
        host=_backlog,
    ),
)
