# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that counters prove: broken packets, and a transmitter that hangs."""

from __future__ import annotations

from collections.abc import Iterator

from ..hangs import known
from ..harm import DAY, lost, much, rare
from ..model import Hit, Rule
from ..optics import told
from ..view import Host, Nic
from .duplex import mismatched
from .link import on_usb, wireless
from .placement import overlays

_PAGE = "https://docs.kernel.org/networking/statistics.html"
_MONTH = 30 * 86400


def _broken(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        broken, since = nic.counted("rx_crc")
        often = broken >= 10 and broken > nic.packets / 1_000_000 and not rare(nic, broken, DAY)
        # Ends that do not agree on the duplex break packets on the best of cables.
        if nic.real and often and not mismatched(nic):
            bare = nic.speed >= _CORRECTED and nic.value("fec", "encoding") == "off"
            evidence = {
                "broken packets": f"{broken} of {nic.packets} {since}",
                **({"Speed": f"{nic.speed}Mb/s", "FEC": "off"} if bare else {}),
            }
            board = nic.driver.startswith(_BOARDS) and broken * 100 >= nic.packets
            alarm, better = told(nic)
            action = better or (_CORRECT if bare else _DELAYS if board else "")
            yield Hit({**evidence, **alarm}, nic.name, action=action)


# Drivers of NICs that are part of a board's processor, with a PHY beside it (stmmac and its glue, macb, fec, mvneta).
_BOARDS = ("dwmac", "rk_gmac", "meson8b", "stmmac", "st_gmac", "sun8i", "starfive", "macb", "fec", "mvneta")
_DELAYS = (
    "On a board so many damaged packets are mostly the clock between processor and PHY (RGMII) and no cable: see "
    "whether another kernel or device tree of the board has other delays (`phy-mode`, `tx_delay`, `rx_delay`), and "
    "whether the link is right at 100 Mb/s; then try another cable and port."
)


# From this speed on, in Mb/s, all but the shortest cables need forward error correction.
_CORRECTED = 25000
_CORRECT = (
    "Switch forward error correction on at both ends (`fec: {encoding: rs}` here, the same on the port of the switch), "
    "without which only short copper and some optics carry this speed; then see cable and transceiver."
)


def _hangs(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        hangs, since = nic.counted("tx_timeouts")
        if not nic.linked or not hangs:
            continue
        row = known(nic)
        evidence = {
            "transmitter resets": f"{hangs} {since}",
            "driver": nic.driver,
            **({"known": row.about, "see": row.reference} if row else {}),
        }
        remedy, action = (row.remedy(nic), row.action) if row else ({}, "")
        mends = row.mends(nic) if row else {}
        yield Hit(
            evidence, nic.name, remedy=remedy, action=action, severity="" if _often(nic, hangs) else "note", mends=mends
        )


def _often(nic: Nic, hangs: int) -> bool:
    """One in years is no trouble; where nobody knows the time, it takes a second one."""
    uptime = nic.host.number("kernel", "uptime")
    if nic.number("counters", "interval"):
        return True
    return hangs * _MONTH >= uptime if uptime else hangs > 1


def _stands(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        seconds, backlog = nic.number("counters", "interval") or 0, nic.count("queues", "qdisc", "backlog")
        taken, emulated = nic.packets, nic.text("queues", "qdisc", "root") == "netem"
        # A switch that pauses a port without end has a rule of its own.
        held = emulated or nic.counted("rx_pause")[0]
        still = nic.number("counters", "growth", "tx_packets") == 0 and backlog >= _WAITING
        if nic.linked and seconds >= _STILL and still and taken >= _WAITING and not held:
            row = known(nic)
            evidence = {
                "sent": f"0 packets in {seconds:g} s",
                "waiting now": f"{backlog} packets",
                "received meanwhile": taken,
                "driver": nic.driver,
                **({"known": row.about, "see": row.reference} if row else {}),
            }
            action = f"{_AGAIN.format(nic.name)} {row.action}" if row else ""
            yield Hit(evidence, nic.name, remedy=row.remedy(nic) if row else {}, action=action)


# Seconds within which the slowest link sends something, and packets that say that it should, and that it lives.
_STILL, _WAITING = 5, 10
_AGAIN = "Start it again from the console: `ip link set {0} down; ip link set {0} up`."


def _rates(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # On the air some packets are never acknowledged.
        if not nic.linked or wireless(nic):
            continue
        found = {}
        for way, about in (("rx", "received"), ("tx", "sent")):
            errors, since = nic.counted(f"{way}_errors")
            packets = nic.packets if way == "rx" else nic.counted("tx_packets")[0]
            # What other rules know by its own name is not told twice.
            rest = errors - sum(nic.counted(name)[0] for name in _NAMED if way == "rx")
            if rest >= 100 and rest >= (packets + errors) / (_ON_USB if on_usb(nic) else 100):
                found[f"errors, {about}"] = f"{errors} beside {packets} packets {since}"
        unsent, since = nic.counted("tx_dropped")
        sent = nic.counted("tx_packets")[0]
        if unsent >= 1000 and unsent * 100 >= sent + unsent:
            found["dropped instead of sent"] = f"{unsent} beside {sent} packets {since}"
        if found:
            yield Hit(found, nic.name, action=_TRANSFERS if on_usb(nic) else "")


# USB repeats by itself what the wire damages, so that not even one transfer in so many fails on a sound adapter.
_ON_USB = 1000
_TRANSFERS = (
    "On USB it is the transfers that fail (`Tx status` in the kernel's log): try another port without a hub, another "
    "cable and another adapter, and keep USB from sleeping (usbcore.autosuspend)."
)
# Counters of errors that have a rule of their own.
_NAMED = ("rx_crc", "rx_missed", "rx_fifo", "rx_too_long")


def _checksums(host: Host) -> Iterator[Hit]:
    found, clear = {}, False
    for protocol, units, taken in (("Udp", "UDP packets", "InDatagrams"), ("Tcp", "TCP segments", "InSegs")):
        broken, since = much(host, f"{protocol}InCsumErrors")
        received, _since = host.protocol(f"{protocol}{taken}")
        # One in a hundred is no noise of the line; what an overlay does to its own packets has a rule of its own.
        if broken and broken * 1000 > received and not (protocol == "Udp" and overlays(host)):
            found[f"{units} with a wrong checksum"] = f"{broken} beside {received} {since}"
            clear = clear or broken * 100 > received
    if found:
        yield Hit(found, severity="" if clear else "note")


def _long(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        loss = lost(nic, "rx_too_long")
        if loss and nic.linked:
            yield Hit({"longer than the MTU": loss.text, "mtu": nic.count("mtu")}, nic.name)


RULES = (
    Rule(
        id="broken-packets",
        severity="medium",
        title="Packets arrive damaged",
        condition="at least 10 packets, one a day of uptime, and more than one in a million, had a wrong checksum on "
        "the wire",
        explanation="The checksum of a frame (CRC) fails only if a cable, plug or transceiver damages the signal. TCP "
        "takes each loss for congestion and slows down.",
        action="Replace the cable or the transceiver, and check that the counter no longer grows.",
        reference=_PAGE,
        host=_broken,
        switch=True,
    ),
    Rule(
        id="transmitter-hangs",
        severity="high",
        title="The transmitter has hung",
        condition="the driver has reset the NIC because it did not send for seconds, more than once a month of uptime; "
        "rarer resets are a note",
        explanation="Each reset interrupts all connections for seconds. The cause is the firmware, or an offload that "
        "this chip does not handle.",
        action="Update firmware and kernel, look at the received pause frames, and try without tso.",
        reference=_PAGE,
        host=_hangs,
        proven=True,
    ),
    Rule(
        id="transmitter-stands-still",
        severity="critical",
        title="Packets wait to be sent, and none is",
        condition="within an interval of at least 5 seconds a NIC with a link has sent nothing, while at least 10 "
        "packets wait in its qdisc and at least 10 have arrived, and it was not paused",
        explanation="The transmit queue of the driver waits for an interrupt or a completion that has got lost, "
        "mostly without a message in the kernel's log. The link stays up and packets still arrive, but the host "
        "answers nobody.",
        action="Start it again from the console (`ip link set NIC down; ip link set NIC up`), then use the newest "
        "kernel and firmware, and try without tso and gso.",
        reference="https://github.com/raspberrypi/linux/issues/7339",
        host=_stands,
        proven=True,
    ),
    Rule(
        id="frames-above-mtu",
        severity="medium",
        title="Packets larger than the MTU arrive and are discarded",
        condition="the NIC has thrown away at least 1000 packets (100 within an interval), and more than one in "
        "100000, because they were longer than its MTU allows",
        explanation="A host on the same link sends larger packets than this one accepts, usually jumbo frames. Small "
        "packets pass, so that logins work and transfers hang.",
        action="Give all hosts of the subnet the same MTU; `tcpdump -e greater 1515` at the sender shows who it is.",
        reference=_PAGE,
        host=_long,
        switch=True,
    ),
    Rule(
        id="error-rate",
        severity="high",
        title="Many packets have an error or are not sent",
        condition="at least 100 packets, and 1 % of a direction (0.1 % of an adapter on USB), are counted as errors "
        "that no other counter explains, or the driver has dropped at least 1000, and 1 %, of what it had to send",
        explanation="TCP slows down to a fraction of the link where one packet in a hundred is lost. Errors of sending "
        "come from the driver or its hypervisor, or from a link partner that lets nothing through.",
        action="See all counters (`ethtool -S NIC`) for the ones that grow, then the cable, the port of the switch, "
        "and a newer driver; for what is not sent also try without tso and gso.",
        reference=_PAGE,
        host=_rates,
        switch=True,
    ),
    Rule(
        id="checksums-wrong",
        severity="medium",
        title="Packets arrive whole, with wrong checksums inside",
        condition="at least 1000 datagrams of UDP or segments of TCP (100 within an interval), and one in a hundred, "
        "had a wrong checksum; of UDP on a host without an overlay; from one in a thousand on it is a note",
        explanation="A cable breaks whole packets, which the NIC discards itself. A checksum alone is wrong where a "
        "sender leaves it to hardware that does not do it, such as a tap, a veth or a tunnel on its way, or where the "
        "memory of a device on the way is bad.",
        action="Find the senders by `tcpdump -vvn` (`bad udp cksum`, `incorrect`). If it is one, switch checksums off "
        "where its packets come from: `ethtool -K TAP tx off` on the hypervisor, or in the container. If it is all of "
        "them, replace what all their packets pass: a switch, a router, or this NIC.",
        reference="https://github.com/weaveworks/ignite/issues/870",
        host=_checksums,
        proven=True,
    ),
)
