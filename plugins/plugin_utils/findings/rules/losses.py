# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses on the way that no counter of the own NIC shows: TCP sends again, or a test was left behind."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _again(host: Host) -> Iterator[Hit]:
    again, since = host.protocol("TcpRetransSegs")
    sent, _since = host.protocol("TcpOutSegs")
    now = host.number("protocols", "interval")
    # Since the boot it may have been another network, and far peers lose one in a hundred anyway.
    if again >= (100 if now else 10_000) and again * (100 if now else 20) >= sent:
        evidence = {"segments sent again": f"{again} of {sent} {since}"}
        yield Hit(evidence, severity="" if now else "note")


def _netem(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        root, leaf = (nic.text("queues", "qdisc", name) for name in ("root", "leaf"))
        if "netem" in (root, leaf):
            dropped = nic.count("queues", "qdisc", "dropped")
            evidence = {"qdisc": "netem", "dropped": dropped}
            yield Hit(evidence, nic.name, severity="high" if dropped >= 100 else "")


RULES = (
    Rule(
        id="segments-sent-again",
        severity="medium",
        title="TCP sends one segment in a hundred again",
        condition="at least 100 segments, and 1 % of all, were sent again within an interval; since the boot 10000 and "
        "5 % are a note",
        explanation="They were lost on the way, at a place that this host does not see: a cable, a switch with small "
        "buffers, or the receiver. TCP slows down to a fraction of the link.",
        action="Audit the peers with audit_interval, look at the ports of the switches for errors and drops, and "
        "measure hop by hop (`mtr`).",
        reference="https://docs.kernel.org/networking/snmp_counter.html",
        host=_again,
    ),
    Rule(
        id="netem-left-behind",
        severity="medium",
        title="An emulation of a bad network is on a NIC",
        condition="the queueing discipline of a NIC is netem; high where it has dropped at least 100 packets",
        explanation="netem delays, drops or damages packets on purpose, for tests. Somebody has left it behind.",
        action="Remove it (`tc qdisc del dev NIC root`).",
        reference="https://man7.org/linux/man-pages/man8/tc-netem.8.html",
        host=_netem,
    ),
)
