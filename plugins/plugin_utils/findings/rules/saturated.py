# SPDX-License-Identifier: GPL-3.0-or-later
"""A processor that does nothing but receive packets while others receive few."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import busiest, squeezed, strained
from ..model import Hit, Rule
from ..view import Facts, Host
from .interrupts import crowded

# Packets a second from which on they are what keeps a processor busy, and not timers or disks.
_PACKETS = 5000


def _share(row: Facts) -> int:
    """The percent of its time that a processor spent in softirq."""
    return 100 * row.count("softirq") // row.count("time") if row.count("time") else 0


def _full(host: Host) -> Iterator[Hit]:
    row = next(iter(busiest(host, 0.5)), None)
    # Since the boot nothing is full all the time. Rounds out of budget tell the same, with more.
    if not row or not host.watched or _share(row) < 90 or (squeezed(host) and strained(host)):
        return
    others = [_share(other) for other in host.processors if other.count("time") and other.at("cpu") != row.at("cpu")]
    if not others or sum(others) >= 50 * len(others) or row.count("processed") < _PACKETS * host.watched:
        return
    evidence = {
        f"CPU {row.count('cpu')}, in softirq": f"{_share(row)} % of {host.watched:g} s",
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
