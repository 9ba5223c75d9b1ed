# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts at the wrong processors: those of many queues at a few, and those of a fast NIC at small ones."""

from __future__ import annotations

from collections.abc import Iterator

from ....module_utils.tools.cpus import format_list
from ..harm import busiest, lost, overflowed, overload, squeezed
from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host, Nic

# Queues for each processor that serves them from which on it is crowded, and interrupts that prove who does.
_CROWD, _MANY, _NEARLY_ALL = 4, 1_000_000, 0.95


def _few(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        cpus = _serving(nic)
        if not cpus or not nic.linked or nic.desired("irq", "affinity") is not None:
            continue
        # What RPS or programs take over is done elsewhere.
        rows = busiest(host, 0.8, len(cpus))
        late = [row for row in rows if squeezed(host, row) or overflowed(host, row)]
        loss = lost(nic, "rx_missed")
        if not rows or {row.count("cpu") for row in rows} != set(cpus) or not (late or loss):
            continue
        isolated = host.text("power", "isolated")
        evidence = {
            "interrupts": len(_queues(nic)),
            "served by processors": ", ".join(map(str, cpus)),
            **({"isolated": isolated} if isolated else {}),
            **({"rounds out of budget": sum(row.count("squeezed") for row in late)} if late else {}),
            **({"lost, ring full": loss.text} if loss else {}),
        }
        remedy = {} if isolated else nic_remedy(nic.name, irq={"affinity": "spread"})
        yield Hit(evidence, nic.name, remedy=remedy, action=_ISOLATED if isolated else "")


_ISOLATED = (
    "The other processors are isolated (`isolcpus` in the kernel's command line, or a profile of tuned for real time), "
    "so that these few do all work of the network: leave more of them out of it, on the NUMA node of the NIC; or let "
    "the programs on the isolated ones take packets past the kernel."
)


def _queues(nic: Nic) -> list[Facts]:
    rows = nic.rows("interrupts")
    names = {row.text("name") for row in rows}
    return rows if len(names) == len(rows) else []


def _serving(nic: Nic) -> list[int]:
    """The few processors, two or more, that have served nearly all interrupts of many queues."""
    rows = _queues(nic)
    served = [sum(column) for column in zip(*(row.numbers("counts") for row in rows))]
    total, found = sum(served), 0
    most: list[int] = []
    for cpu in sorted(range(len(served)), key=lambda cpu: -served[cpu]):
        if found >= _NEARLY_ALL * total:
            break
        most.append(cpu)
        found += served[cpu]
    # Queues that hardly get any packets crowd nobody.
    busy = sum(1 for row in rows if sum(row.numbers("counts")) * len(rows) * 4 >= total)
    crowded = total >= _MANY and len(most) > 1 and len(most) * _CROWD <= min(busy, len(served))
    return sorted(most) if crowded else []


def _small(host: Host) -> Iterator[Hit]:
    raw = Facts(host.at("power", "capacities"))
    able = {int(cpu): raw.count(cpu) for cpu in raw.raw if isinstance(cpu, str) and cpu.isdecimal() and len(cpu) < 5}
    best = max(able.values(), default=0)
    small = {cpu for cpu, number in able.items() if number * 10 <= best * _SMALL}
    large, turn = sorted(set(able) - small), 0
    for nic in host.nics if small else []:
        served = [sum(column) for column in zip(*(row.numbers("counts") for row in nic.rows("interrupts")))]
        there = sum(count for cpu, count in enumerate(served) if cpu in small)
        harm = overload(host, nic)
        meant = nic.desired("irq", "affinity") is not None or not nic.linked
        if meant or sum(served) < _MANY or there < 0.9 * sum(served) or not harm:
            continue
        evidence = {
            "served by small processors": f"{there} of {sum(served)} interrupts",
            "large ones": format_list(large),
            **harm,
        }
        # NICs with one interrupt each must not meet at the first of them.
        own = large if len(nic.rows("interrupts")) > 1 else [large[turn % len(large)]]
        turn += 1
        yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, irq={"affinity": format_list(own)}))


# Tenths of what the fastest can do.
_SMALL = 7


RULES = (
    Rule(
        id="interrupts-on-small-cores",
        severity="medium",
        title="Small processors serve the interrupts of a NIC, and cannot keep up",
        condition="processors are not alike (cpu_capacity), those with 70 % of the largest and less have served 90 % "
        "of a million interrupts of a NIC or more, and the busiest processor was out of budget or dropped packets, or "
        "the ring was full",
        explanation="Boards with large and small processors begin with the small ones, and the kernel gives the "
        "interrupts to the first. A small one takes half of the packets that a large one takes.",
        action="Let the large processors serve the interrupts.",
        reference="https://docs.kernel.org/scheduler/sched-capacity.html",
        host=_small,
        proven=True,
    ),
    Rule(
        id="interrupts-on-few-cores",
        severity="medium",
        title="A few processors serve the interrupts of many queues, and cannot keep up",
        condition="at least two processors, and no more than a quarter of all or than one for four busy queues, have "
        "served 95 % of a million interrupts of a NIC or more, handle 80 % of all packets, and were out of budget, "
        "dropped packets, or a ring of the NIC was full",
        explanation="Queues are there so that many processors share the work. Processors that are isolated, a list of "
        "allowed ones that was left behind, or irqbalance that saves power leave it to a few.",
        action="Spread the interrupts over the cores.",
        reference="https://docs.kernel.org/core-api/irq/irq-affinity.html",
        host=_few,
        proven=True,
    ),
)
