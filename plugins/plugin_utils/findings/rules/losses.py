# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses on the way that no counter of the own NIC shows: TCP sends again, or a test was left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import sent_again
from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host, Nic
from .link import wireless


def _again(host: Host) -> Iterator[Hit]:
    now = host.number("protocols", "interval")
    # Since the boot it may have been another network, and far peers lose one in a hundred anyway.
    near = 0 < (host.number("sockets", "rtt_ms") or 0) <= _NEAR_MS
    found = sent_again(host, 100 if now else _NEAR_PART if near else 20)
    if found:
        up = [nic for nic in host.nics if nic.linked]
        air = [nic.name for nic in up if wireless(nic)]
        evidence = {"segments sent again": found, **({"on the air": air} if air and len(air) == len(up) else {})}
        severity = "" if now or sent_again(host, _NO_PATH) else "note"
        action = _ON_THE_AIR if "on the air" in evidence else ""
        if near and not action:
            late, since = host.protocol("TcpExtTCPTimeouts")
            evidence.update({"longest round trip": f"{host.number('sockets', 'rtt_ms'):g} ms"})
            evidence.update({"timeouts of retransmission": f"{late} times {since}"} if late else {})
            action = _NEARBY
        yield Hit(evidence, severity=severity, action=action)


# All connections that move much stay within so many ms, which is the own network; that loses less than one in so many.
_NEAR_MS, _NEAR_PART = 5, 200
_NEARBY = (
    "The losses are in the own network: see the cables, and the ports of the switches for errors and for drops of what "
    "they send. If several hosts answer one at once (storage, Spark) it is the buffer of its port (incast): flow "
    "control or ECN there, or a faster port; each loss that costs a timeout (200 ms) is felt. Try without tso for a "
    "moment."
)
_ON_THE_AIR = (
    "This host has no cable: see the strength of its signal (`iw dev NIC link`), switch power saving off (`iw dev NIC "
    "set power_save off`), try another channel or band, or take a cable."
)


# No path that anybody uses loses one of five.
_NO_PATH = 5


def _unheard(host: Host) -> Iterator[Hit]:
    for peer in host.rows("peers"):
        nic = host.nic(peer.text("nic"))
        if peer.flag("stuck") is not True or peer.flag("carries") is not True or nic is None or nic.virtual:
            continue
        on = [key for key in ("tx", "tso", "gso") if nic.value("features", key) is True]
        if on:
            evidence = {"to": peer.text("address"), "packets that come back": peer.count("mtu"), "on": ", ".join(on)}
            yield Hit(evidence, nic.name)


def _netem(host: Host) -> Iterator[Hit]:
    found: dict[str, list[Facts]] = {}
    for row in host.rows("emulators"):
        found.setdefault(row.text("nic"), []).append(row)
    for name, rows in found.items():
        first, nic = rows[0], host.nic(name)
        dropped = sum(row.count("dropped") for row in rows)
        at = {"at the root": "root", "below mq": "leaves"}.get(_where(first), "")
        evidence = {"qdisc": "netem", "hangs": _where(first), "dropped": dropped}
        if nic is None or nic.flag("physical") is not True:
            # Laboratories of containers are made of such devices.
            yield Hit(evidence, name, action=_TEST_BED.format(_removal(name, first)), severity="note")
        elif at:
            remedy = nic_remedy(name, qdisc={at: "default"})
            yield Hit(evidence, name, remedy=remedy, severity="high" if dropped >= 100 else "")
        else:
            action = f"Remove it: {_removal(name, first)}."
            yield Hit(evidence, name, action=action, severity="high" if dropped >= 100 else "")


_TEST_BED = "If this is no test bed, remove it: {}."


def _removal(nic: str, row: Facts) -> str:
    return f"`tc qdisc del dev {nic} {'parent ' + row.text('parent') if row.text('parent') else 'root'}`"


def _where(row: Facts) -> str:
    return f"below {row.text('root') or 'another'}" if row.text("parent") else "at the root"


# Disciplines that hold a rate back; on a router that is what they are for.
_SHAPERS = ("cbq", "hfsc", "htb", "tbf")


def _shaped(host: Host) -> Iterator[Hit]:
    for nic in host.nics if not host.forwards else []:
        root, dropped = nic.text("queues", "qdisc", "root"), nic.count("queues", "qdisc", "dropped")
        if nic.linked and root in _SHAPERS and dropped >= 1000:
            row = next((row for row in host.rows("shapers") if row.text("nic") == nic.name), Facts({}))
            rate, sent = row.number("mbits") or 0, row.count("sent")
            # What a shaper drops has already waited in its queue, so somebody wants more than it lets pass.
            harm = nic.real and 0 < rate * 2 <= nic.speed and dropped * 1000 >= sent > 0
            told = {"rate": row.text("rate")} if rate else {}
            evidence = {"qdisc": root, **told, "dropped": dropped, "Speed": f"{nic.speed}Mb/s"}
            yield Hit(evidence, nic.name, severity="low" if harm else "")


def _forwarded(host: Host) -> Iterator[Hit]:
    for nic, row in full_flows(host) if host.forwards else ():
        # With a rate of its own fq is there for pacing.
        yield Hit(_flows(row), nic.name, remedy={} if row.text("options") else _where_it_hangs(row, "fq_codel"))


def _unpaced(host: Host) -> Iterator[Hit]:
    for nic, row in full_flows(host) if not host.forwards else ():
        now, moment = row.count("flow_limit"), nic.speed * 1_000_000 // 8 // (nic.count("mtu") or 1500) // 100
        best = min(_ALL_FLOWS, max(moment, 10 * now))
        words = " ".join(filter(None, ("fq", row.text("options"), f"flow_limit {best}")))
        yield Hit(_flows(row), nic.name, remedy=_where_it_hangs(row, words) if best > now else {})


def _where_it_hangs(row: Facts, words: str) -> dict[str, Any]:
    """What to write where fq is the root, or a leaf of mq; nothing where it hangs elsewhere."""
    key = {"fq": "root", "mq": "leaves"}.get(row.text("root"))
    return nic_remedy(row.text("nic"), qdisc={key: words}) if key else {}


# What fq lets all flows together have waiting (fq_init in net/sched/sch_fq.c).
_ALL_FLOWS = 10_000


def full_flows(host: Host) -> Iterator[tuple[Nic, Facts]]:
    """NICs whose fq drops so much of single flows that a finding tells of it."""
    for row in host.rows("fair_queues"):
        nic, dropped = host.nic(row.text("nic")), row.count("dropped")
        if nic is not None and nic.linked and dropped >= 1000 and dropped * 1000 >= row.count("sent"):
            yield nic, row


def _flows(row: Facts) -> dict[str, Any]:
    dropped = f"{row.count('dropped')} beside {row.count('sent')} packets"
    return {"qdisc": "fq", "flow_limit": row.count("flow_limit"), "dropped, too many of one flow": dropped}


def _few(host: Host) -> Iterator[Hit]:
    for row in host.rows("short_queues"):
        dropped, sent = row.count("dropped"), row.count("sent")
        if dropped >= 1000 and dropped * 1000 >= sent:
            queue = " ".join(word for word in (row.text("kind"), row.text("parent")) if word)
            evidence = {
                f"packets that {queue} holds": row.count("limit"),
                "dropped": f"{dropped} beside {sent} packets",
            }
            yield Hit(evidence, row.text("nic"), severity="" if sent else "high")


RULES = (
    Rule(
        id="segments-sent-again",
        severity="medium",
        title="TCP retransmits one segment in a hundred",
        condition="at least 100 segments, and 1 % of all, were retransmitted within an interval; since the boot 10000 "
        "and 20 %; from 5 % on it is a note, and from 0.5 % on where all connections that have moved much have a round "
        "trip of 5 ms or less",
        explanation="They were lost on the path, at a place that this host does not see: a cable, a switch with small "
        "buffers, or the receiver; or a NIC that cuts segments wrongly. TCP slows down to a fraction of the link.",
        action="Try without tso for a moment (`ethtool -K NIC tso off gso off`); audit the peers with audit_interval, "
        "look at the ports of the switches for errors and drops, and measure hop by hop (`mtr`).",
        reference="https://docs.kernel.org/networking/snmp_counter.html",
        host=_again,
    ),
    Rule(
        id="segments-never-arrive",
        severity="note",
        title="A connection hears nothing, although its path carries packets of full size",
        condition="a connection sends the same again and again, its peer answers packets of full size, and a NIC that "
        "is hardware computes checksums or cuts segments for it",
        explanation="What the kernel sends itself arrives, and what the NIC has to finish does not: it may compute a "
        "wrong checksum, or cut a segment wrongly, each time anew. A firewall that has forgotten the connection looks "
        "the same, and so does a peer whose program was moved.",
        action="Try without tso for a moment, then without checksums (`ethtool -K NIC tso off gso off`, `ethtool -K "
        "NIC tx off`): if it goes on at once, it is the NIC or its driver. Else see the firewalls on the way.",
        reference="https://github.com/gnubee-git/GnuBee_Docs/issues/54",
        host=_unheard,
    ),
    Rule(
        id="netem-left-behind",
        severity="medium",
        title="A NIC emulates a bad network (netem)",
        condition="a netem hangs on a NIC, at the root or below; high where it has dropped at least 100 packets, a "
        "note on devices that are no hardware",
        explanation="netem delays, drops or damages packets on purpose, for tests, and drops what exceeds its limit of "
        "packets that wait. It was probably left behind after a test.",
        action="Remove it with the lines below, which no rollback reverts, or with `tc qdisc del dev NIC root`.",
        reference="https://man7.org/linux/man-pages/man8/tc-netem.8.html",
        host=_netem,
    ),
    Rule(
        id="shaper-left-behind",
        severity="note",
        title="A NIC sends at a rate that somebody has set",
        condition="the queueing discipline of a NIC of a host that does not forward is cbq, hfsc, htb or tbf, and has "
        "dropped at least 1000 packets; low where that are one in a thousand, and its rate, or the largest ceiling of "
        "its classes, is half of the link's speed or less",
        explanation="It holds everything that is sent to its rate, however fast the link is. Programs such as "
        "wondershaper leave one behind, and some plugins of containers set one.",
        action="See its rate (`tc -s class show dev NIC`, `tc -d qdisc show dev NIC`); if nobody needs it, take it "
        "away with `tc qdisc del dev NIC root`. If it is meant, give it fq_codel below, which shares what there is.",
        reference="https://github.com/magnific0/wondershaper/issues/2",
        host=_shaped,
    ),
    Rule(
        id="fq-drops-forwarded",
        severity="note",
        title="fq drops packets on a host that forwards",
        condition="the host forwards, and the fq of a NIC has dropped at least 1000 packets, and one in a thousand, of "
        "flows that had too many waiting",
        explanation="fq is made for connections of the host itself, whose sockets wait for it. What comes from "
        "containers, guests or other hosts does not wait, and a burst of more than 100 packets of one flow "
        "(flow_limit) is cut off.",
        action="Use fq_codel on this NIC, or raise flow_limit (`tc qdisc change`) where fq is needed for pacing.",
        reference="https://github.com/cilium/cilium/issues/29083",
        host=_forwarded,
    ),
    Rule(
        id="fq-drops-unpaced",
        severity="medium",
        title="fq drops what a program sends at once",
        condition="the host does not forward, and the fq of a NIC has dropped at least 1000 packets, and one in a "
        "thousand, of flows that had too many waiting",
        explanation="TCP of the host waits for fq, and UDP does not: of what a program sends at once to one peer "
        "(QUIC, media, tunnels), and of what comes from guests, fq keeps flow_limit packets and drops the rest. A "
        "larger buffer of the socket does not help.",
        action="Let a flow have as many packets waiting as the link sends in 10 ms, or let the program pace what it "
        "sends (SO_MAX_PACING_RATE, SO_TXTIME).",
        reference="https://man7.org/linux/man-pages/man8/tc-fq.8.html",
        host=_unpaced,
        proven=True,
    ),
    Rule(
        id="shaper-queue-short",
        severity="medium",
        title="The queue of a shaper holds almost no packets",
        condition="a pfifo, or the classes of an htb without a queue of their own, hold ten packets at most and have "
        "dropped at least 1000, and one in a thousand; high where nothing else passed",
        explanation="A connection begins with ten packets at once, and a shaper lets them wait, so that there is "
        "always one too many. Such a queue is as long as that of the device when it was made: 0 or 1 where a program "
        "has created the device with that length.",
        action="Give the class a queue with a limit of its own (`tc qdisc replace dev NIC parent CLASS fq_codel`), or "
        "set the queue length of the device (`ip link set NIC txqueuelen 1000`) and let the program make the shaper "
        "anew.",
        reference="https://github.com/containernetworking/cni/pull/199",
        host=_few,
        proven=True,
    ),
)
