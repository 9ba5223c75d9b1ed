# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues in front of the wire that hold too little: of the qdisc, and of the NIC itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host

# Of those that take their limit from txqueuelen, all but noqueue, and of the queues below mq.
_FIFO = ("pfifo_fast", "pfifo")
# As ether_setup() of the kernel has it (DEFAULT_TX_QUEUE_LEN in include/net/pkt_sched.h).
_USUAL = 1000


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
            yield Hit(evidence, nic.name, remedy=remedy, action=_RING, severity="note")


_RING = (
    "Raise the transmit ring; if it stays full, see whether the hypervisor has time for the guest. Alone it is no loss."
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
        "(100 within an interval), and once for 1000 packets, and is below its maximum, of drivers that count it",
        explanation="A program may send faster than the link for some milliseconds, and what does not fit into the "
        "queue is lost before it was sent, or refused with ENOBUFS. Old guides and scripts shorten it.",
        action="Give it its usual length, or use fq_codel, which holds 10000 packets and keeps the delay short.",
        reference="https://man7.org/linux/man-pages/man8/tc-pfifo_fast.8.html",
        host=_short,
        proven=True,
    ),
)
