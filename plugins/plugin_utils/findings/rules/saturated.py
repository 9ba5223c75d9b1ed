# SPDX-License-Identifier: GPL-3.0-or-later
"""A processor that does nothing but receive packets while others receive few."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import filled, softirq_share, squeezed, strained
from ..model import Hit, Rule
from ..view import Host
from .interrupts import crowded


def _full(host: Host) -> Iterator[Hit]:
    row = filled(host)
    # Rounds out of budget tell the same, with more.
    if not row or (squeezed(host) and strained(host)):
        return
    rest = [other for other in host.processors if other.count("time") and other.at("cpu") != row.at("cpu")]
    others = [softirq_share(other) for other in rest]
    if not others or sum(others) >= 50 * len(others):
        return
    evidence = {
        f"CPU {row.count('cpu')}, in softirq": f"{softirq_share(row)} % of {host.watched:g} s",
        "the others, on average": f"{sum(others) // len(others)} %",
        "packets that it processed": f"{row.count('processed')} of {host.processed}",
    }
    why, remedy, action = crowded(host)
    yield Hit({**evidence, **why}, remedy=remedy, action=action, severity="" if remedy else "note")


RULES = (
    Rule(
        id="softirq-fills-one-processor",
        severity="medium",
        title="One processor does nothing but receive packets, while others receive few",
        condition="within an interval one processor spent 90 % of its time in softirq, processed half of all packets "
        "and 5000 a second, and the others spent less than half of theirs there on average; a note where several "
        "queues are in use and nothing is known to share out more",
        explanation="A queue of a NIC is served by one processor at a time. When that one is full (ksoftirqd at 100 "
        "%), no more packets come through, even if nothing is counted as lost: the sender slows down, or the "
        "hypervisor drops what does not fit.",
        action="Spread the work: more channels, interrupts on several processors, or RPS.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_full,
    ),
)
