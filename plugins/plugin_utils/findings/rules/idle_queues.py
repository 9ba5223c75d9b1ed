# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues that get nothing, because the firmware of the card keeps them for a traffic class that nobody uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..harm import lost, overflowed, squeezed
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic

_FLAG = "disable-fw-lldp"
# Interrupts of the busy half from which on the other one should have had some, and the part that is none of these:
# each queue has a few at its start, and is looked after every two seconds.
_MANY, _NONE = 1_000_000, 1000


def _halves(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if nic.driver != "i40e" or not nic.linked or nic.value("private_flags", _FLAG) is not False:
            continue
        busy, idle = _split(nic)
        if not busy:
            continue
        losses = {name: lost(nic, name) for name in ("rx_missed", "rx_fifo")}
        told = {f"lost, {_POSITIONS[name]}": loss.text for name, loss in losses.items() if loss}
        if squeezed(host) or overflowed(host):
            told["processors"] = "out of budget, or their backlog overflowed"
        evidence = {
            "queues that work": f"0 to {busy - 1}",
            "queues without interrupts": f"{busy} to {busy + idle - 1}",
            _FLAG: "off",
            **told,
        }
        remedy = nic_remedy(nic.name, private_flags={_FLAG: True})
        yield Hit(evidence, nic.name, remedy=remedy, severity="medium" if told else "")


_POSITIONS = {"rx_missed": "ring full", "rx_fifo": "packet buffer full"}


def _split(nic: Nic) -> tuple[int, int]:
    """How many queues work and how many do not, where these are the upper half of at least four."""
    served: dict[int, int] = {}
    for row in nic.rows("interrupts"):
        match = re.search(r"-TxRx-(\d{1,4})$", row.text("name"))
        if match:
            served[int(match[1])] = sum(row.numbers("counts"))
    half = len(served) // 2
    if half < 2 or half * 2 != len(served) or sorted(served) != list(range(half * 2)):
        return 0, 0
    low, high = ([served[number] for number in range(start, start + half)] for start in (0, half))
    # All of the lower half are at work, so that it is not a matter of a few connections.
    even = sum(low) >= _MANY and min(low) * half * 4 >= sum(low)
    return (half, half) if even and max(high) * _NONE < sum(low) // half else (0, 0)


RULES = (
    Rule(
        id="firmware-halves-queues",
        severity="note",
        title="Only half of the queues of an X710 get packets, because its firmware has split them",
        condition="a NIC of i40e has its private flag disable-fw-lldp off, the lower half of its queues has had at "
        "least a million interrupts, spread over all of them, and none of the upper half has had a thousandth of their "
        "share; medium where packets were lost, or processors ran out of budget",
        explanation="The agent for DCB in the firmware starts with two traffic classes, and each gets half of the "
        "queues. RSS spreads packets within a class only, while channels and the table of RSS show all queues, so half "
        "of the processors have nothing to do.",
        action="Switch the agent off (the card keeps that), unless the switch rules the classes of this port by DCB.",
        reference="https://github.com/LibtraceTeam/libtrace/issues/222",
        host=_halves,
        proven=True,
    ),
)
