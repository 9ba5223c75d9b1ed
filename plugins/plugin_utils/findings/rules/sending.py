# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues in front of the wire that hold too little: of the qdisc, and of the NIC itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import DAY, HOUR, seldom
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic

# Of those that take their limit from txqueuelen, all but noqueue, and of the queues below mq.
_FIFO = ("pfifo_fast", "pfifo")
# As ether_setup() of the kernel has it (DEFAULT_TX_QUEUE_LEN in include/net/pkt_sched.h).
_USUAL = 1000


# The speed in Mb/s that one processor fills by one queue.
FILLED = 1000


def _full(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        root, leaf = (nic.text("queues", "qdisc", name) for name in ("root", "leaf"))
        dropped, sent = nic.count("queues", "qdisc", "dropped"), nic.count("counters", "total", "tx_packets")
        slow = nic.real and 0 < nic.speed <= FILLED and nic.count("txqueuelen") >= _USUAL
        # A counter of 32 bits has begun anew, so that nobody knows the share.
        wrapped = sent < min(1 << 32, dropped * 100) and seldom(host, 1, 30 * DAY)
        much = dropped >= 1000 and dropped * 1000 >= sent and not wrapped and not seldom(host, dropped, HOUR)
        if slow and (leaf or root) in _FIFO and much:
            evidence = {
                "Speed": f"{nic.speed}Mb/s",
                "qdisc": leaf or root,
                "dropped before sending": f"{dropped} beside {sent} packets",
            }
            yield Hit(evidence, nic.name, remedy=_fair(nic), mends=_fair(nic))


def _fair(nic: Nic) -> dict[str, Any]:
    below = nic.text("queues", "qdisc", "root") in ("mq", "multiq")
    return nic_remedy(nic.name, qdisc={"leaves" if below else "root": "fq_codel"})


# Milliseconds of waiting before the wire that everybody feels.
_FELT = 100


def _waits(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        root, leaf = (nic.text("queues", "qdisc", name) for name in ("root", "leaf"))
        backlog = nic.count("queues", "qdisc", "backlog")
        # Packets wait in full size while something is sent in bulk.
        late = backlog * nic.count("mtu") * 8 // (nic.speed * 1000) if nic.real and nic.speed else 0
        if (leaf or root) in _FIFO and late >= _FELT:
            evidence = {
                "qdisc": leaf or root,
                "txqueuelen": nic.count("txqueuelen"),
                "waiting now": f"{backlog} packets, {late} ms at {nic.speed}Mb/s",
            }
            yield Hit(evidence, nic.name, remedy=_fair(nic))


def _queues(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        length = nic.number("txqueuelen")
        root, leaf = (nic.text("queues", "qdisc", name) for name in ("root", "leaf"))
        dropped, sent = nic.count("queues", "qdisc", "dropped"), nic.count("counters", "total", "tx_packets")
        holds = leaf or root
        if length is None or not 0 < length < _USUAL or not nic.linked or holds not in _FIFO:
            continue
        if dropped >= 1000 and dropped * 10_000 >= sent and nic.desired("txqueuelen") is None:
            refused, since = host.protocol("UdpSndbufErrors")
            evidence = {
                "txqueuelen": int(length),
                "qdisc": holds,
                "dropped before sending": f"{dropped} beside {sent} packets",
                **({"UDP, not sent for lack of room": f"{refused} {since}"} if refused else {}),
            }
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, txqueuelen=_USUAL))


def _rings(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        size, top = nic.number("ring", "tx", "value"), nic.maximum("ring", "tx")
        full, since = nic.counted("tx_ring_full")
        sent = nic.counted("tx_packets")[0]
        least = 100 if nic.number("counters", "interval") else 10_000
        if size is not None and top is not None and size < top and full >= least and full * 1000 >= sent:
            evidence = {
                "tx ring": f"{size:g} of {top:g}",
                "transmit ring full": f"{full} beside {sent} packets {since}",
            }
            remedy = nic_remedy(nic.name, ring={"tx": "max"})
            severity = "low" if full >= _OFTEN and _has_room(nic) else "note"
            yield Hit(evidence, nic.name, remedy=remedy, action=_RING, severity=severity)


# Times within an interval.
_OFTEN = 1000


def _has_room(nic: Nic) -> bool:
    """Whether the link was not even half full within the interval, so that the ring is what holds it up."""
    seconds, sent = nic.number("counters", "interval"), nic.counted("tx_bytes")[0]
    return bool(seconds) and nic.real and 0 < sent * 8 * 2 < nic.speed * 1_000_000 * (seconds or 0)


_RING = (
    "Raise the transmit ring; if it stays full, see whether the hypervisor has time for the guest. Alone it is no "
    "loss, but sending waits."
)


def _short(host: Host) -> Iterator[Hit]:
    yield from _queues(host)
    yield from _rings(host)


RULES = (
    Rule(
        id="send-queue-short",
        severity="medium",
        title="What waits to be sent has less room than it could have",
        condition="pfifo_fast or pfifo hold less than 1000 packets by the txqueuelen of the NIC, and have dropped at "
        "least 1000, and one in 10000 of what was sent; a note where the transmit ring was full at least 10000 times "
        "(100 within an interval), and once for 1000 packets, and is below its maximum, of drivers that count it; low "
        "where that were 1000 times within an interval in which the link was less than half full",
        explanation="A program may send faster than the link for some milliseconds, and what does not fit into the "
        "queue is lost before it was sent, or refused with ENOBUFS. Old guides and scripts shorten it.",
        action="Give it its usual length, or use fq_codel, which holds 10000 packets and keeps the delay short.",
        reference="https://man7.org/linux/man-pages/man8/tc-pfifo_fast.8.html",
        host=_short,
        proven=True,
    ),
    Rule(
        id="link-full",
        severity="medium",
        title="More is sent than the link carries",
        condition="pfifo_fast or pfifo of a link of 1000 Mb/s or less, with a queue of 1000 packets or more, have "
        "dropped at least 1000 packets, one in 1000 of what was sent, and one an hour of uptime",
        explanation="One processor fills such a link, so that neither rings nor channels help. Backups and copies fill "
        "the queue, and what should pass at once, such as the heartbeats of a cluster, waits behind them or is lost.",
        action="Give each flow its turn (fq_codel), keep bulk traffic off this link or limit its rate, and give a "
        "cluster a link of its own; only a faster link carries more.",
        reference="https://pve.proxmox.com/pve-docs/chapter-pvecm.html",
        host=_full,
        proven=True,
    ),
    Rule(
        id="send-queue-delays",
        severity="medium",
        title="Packets wait long before they are sent",
        condition="in pfifo_fast or pfifo so many packets wait at the moment that the link needs 100 ms or more for "
        "them",
        explanation="A long queue without a discipline (bufferbloat) fills up with the first large transfer, and all "
        "other connections wait behind it. Old guides ask for a txqueuelen of 10000 and more.",
        action="Use fq_codel, which keeps the delay short, and give txqueuelen its usual length.",
        reference="https://www.bufferbloat.net/projects/bloat/wiki/Introduction/",
        host=_waits,
        proven=True,
    ),
)
