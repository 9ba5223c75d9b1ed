# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings and channels: below their maximum while counters prove that more is needed."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"


def _lost(nic: Nic) -> dict[str, str]:
    """What was lost for lack of room, where it is more than a few packets at boot."""
    packets, since = nic.counted("rx_packets")
    found = {}
    for name, label in (("rx_missed", "lost, ring full"), ("rx_no_buffer", "no free buffer")):
        lost, _since = nic.counted(name)
        if lost >= 100 and lost > packets / 100_000:
            found[label] = f"{lost} of {packets} packets {since}"
    return found


def _ring(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
        if size is not None and top is not None and size < top:
            lost = _lost(nic)
            if lost:
                yield Hit(
                    {"rx ring": f"{size} of {top}", **lost}, nic.name, remedy=nic_remedy(nic.name, ring={"rx": "max"})
                )


def _channels(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        for key in ("combined", "rx"):
            count, top = nic.number("channels", key, "value"), nic.maximum("channels", key)
            if count is None or top is None or count >= top:
                continue
            proof = dict(_lost(nic))
            dropped = nic.count("queues", "qdisc", "dropped")
            if dropped >= 100 and dropped > nic.count("counters", "total", "tx_packets") / 100_000:
                proof["dropped before sending"] = f"{dropped} packets"
            if proof:
                remedy = nic_remedy(nic.name, channels={key: "max"})
                yield Hit({f"{key} channels": f"{count} of {top}", **proof}, nic.name, remedy=remedy)
                break


RULES = (
    Rule(
        id="ring-too-small",
        severity="high",
        title="The receive ring overflows and could be larger",
        condition="the NIC lost at least 100 packets, and more than one in 100000, because its receive ring was full, "
        "and the ring is below its maximum",
        explanation="The ring holds what arrives until a processor fetches it. A burst from a fast sender fills a "
        "small ring before that, and TCP slows down for each loss.",
        action="Raise the ring to what the hardware has; the link is down for some seconds.",
        reference=_PAGE,
        host=_ring,
    ),
    Rule(
        id="channels-too-few",
        severity="medium",
        title="Packets are lost and more channels are there",
        condition="the NIC or its queueing disciplines lost at least 100 packets, and more than one in 100000, and the "
        "NIC uses fewer channels than it has",
        explanation="Each flow is hashed to one queue, and two clients on one queue share its speed. More queues mean "
        "fewer clients on each, and more processors at work.",
        action="Use all channels; the link is down for some seconds.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_channels,
    ),
)
