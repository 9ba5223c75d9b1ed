# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that counters prove: broken packets, and a transmitter that hangs."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

_PAGE = "https://docs.kernel.org/networking/statistics.html"


def _broken(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        broken, since = nic.counted("rx_crc")
        packets, _since = nic.counted("rx_packets")
        if nic.real and broken >= 10 and broken > packets / 1_000_000:
            yield Hit({"broken packets": f"{broken} of {packets} {since}"}, nic.name)


def _hangs(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        hangs, since = nic.counted("tx_timeouts")
        if nic.real and hangs:
            yield Hit({"transmitter resets": f"{hangs} {since}", "driver": nic.driver}, nic.name)


RULES = (
    Rule(
        id="broken-packets",
        severity="medium",
        title="Packets arrive broken",
        condition="at least 10 packets, and more than one in a million, had a wrong checksum on the wire",
        explanation="A checksum of the wire fails only where cable, plug or transceiver damage the signal. TCP takes "
        "each loss for congestion and slows down.",
        action="Replace the cable or the transceiver, and see whether the counter stands still.",
        reference=_PAGE,
        host=_broken,
    ),
    Rule(
        id="transmitter-hangs",
        severity="high",
        title="The transmitter has hung",
        condition="the driver has reset the NIC because it did not send for seconds",
        explanation="Each reset interrupts all connections for seconds. It comes from firmware, or from an offload "
        "that this chip does not master.",
        action="Update the firmware; on an Intel I219 switch tso and gso off.",
        reference=_PAGE,
        host=_hangs,
    ),
)
