# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests whose hypervisor is the cause of their losses."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import overflowed, squeezed, stolen
from ..model import Hit, Rule
from ..view import Host


def _taken(host: Host) -> Iterator[Hit]:
    share, since = stolen(host)
    if not share or not (squeezed(host) or overflowed(host)):
        return
    rows = host.processors
    evidence = {
        "time taken away": f"{share} % of what the guest wanted, {since}",
        "rounds that ran out of budget": sum(row.count("squeezed") for row in rows),
        "dropped before the protocols": sum(row.count("dropped") for row in rows),
    }
    yield Hit(evidence)


RULES = (
    Rule(
        id="processor-taken-away",
        severity="medium",
        title="The hypervisor takes processor time away while packets wait",
        condition="at least 10 % of the time in which a guest wanted to run went to others (steal), and its processors "
        "ran out of budget or dropped packets",
        explanation="While a virtual processor does not run, its packets wait in the ring and in the backlog, and are "
        "lost when these are full. No setting of the guest gives it more time.",
        action="Give the guest processors of its own, a larger share or another host; a guest on credits (burstable) "
        "needs a larger type.",
        reference="https://man7.org/linux/man-pages/man5/proc_stat.5.html",
        host=_taken,
        proven=True,
    ),
)
