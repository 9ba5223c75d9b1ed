# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunnels: the queue that a program reads, which may be too short, and peers of WireGuard that do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

# What such a device had before OpenVPN 2.5 was 100, and the kernel's own is 500; TCP begins to fit from here on.
_ENOUGH = 1000


def _short(host: Host) -> Iterator[Hit]:
    for row in host.rows("tunnels"):
        queue, dropped, sent = row.count("queue"), row.count("dropped"), row.count("sent")
        if row.text("kind") != "tap" and 0 < queue < _ENOUGH and dropped >= 1000 and dropped * 10_000 > sent:
            evidence = {"queue length": queue, "dropped before the program": f"{dropped} beside {sent} packets"}
            yield Hit(evidence, row.text("nic"))


def _asleep(host: Host) -> Iterator[Hit]:
    for row in host.rows("tunnels"):
        seconds = row.number("interval")
        growth = ("growth",) if seconds else ()
        lost, sent = row.count(*growth, "unanswered"), row.count(*growth, "sent")
        # Telephones sleep, and what is sent to them meanwhile is some packets.
        if row.text("kind") == "wireguard" and lost >= (100 if seconds else 1000) and lost * 10 >= sent + lost:
            since = f"in {seconds:g} s" if seconds else "since it was made"
            yield Hit({"dropped, no handshake": f"{lost} beside {sent} packets {since}"}, row.text("nic"))


def decrypted(host: Host) -> str:
    """The tunnel of WireGuard that most packets come by, if no threads take them; else empty.

    Processors handle these twice, as they come and when they are decrypted.
    """
    for row in host.rows("tunnels"):
        received = row.count(*(("growth",) if row.number("interval") else ()), "received")
        if row.flag("threads") is False and received * 3 >= host.processed > 0:
            return row.text("nic")
    return ""


WITHOUT_THREADS = (
    "Let threads of the kernel take what WireGuard has decrypted (`napi: {threaded: true}` of the tunnel): what one "
    "peer sends is taken in order, by one processor at a time, and only threads can the scheduler move away from one "
    "that is busy already. Calico has a setting of its own for it (`wireguardThreadingEnabled`)."
)


RULES = (
    Rule(
        id="wireguard-peer-silent",
        severity="low",
        title="WireGuard drops what it should send, because a peer does not answer",
        condition="a tunnel of WireGuard has dropped at least 1000 packets (100 within an interval), and one in ten, "
        "while it waited for a handshake",
        explanation="A peer behind NAT can be reached only as long as the NAT remembers it, and that forgets after "
        "some minutes without packets. The tunnel then looks well at both ends until that peer sends something itself.",
        action="See which peer it is (`wg show`: the latest handshake is older than three minutes). Set "
        "`PersistentKeepalive = 25` at peers behind NAT; else see whether its endpoint and its UDP port are right, and "
        "whether it is switched off, as telephones are.",
        reference="https://github.com/angristan/wireguard-install/issues/338",
        host=_asleep,
    ),
    Rule(
        id="tunnel-queue-short",
        severity="medium",
        title="The queue of a tunnel is too short for its program",
        condition="a tunnel that a program serves (tun) has a queue of less than 1000 packets, and has dropped at "
        "least 1000, and one in ten thousand",
        explanation="A program such as OpenVPN reads one packet after the other, and a TCP burst is longer than a "
        "queue of 100. Each loss halves the rate of a connection, so that the tunnel is several times slower.",
        action="Let the queue hold 1000 packets (`txqueuelen 1000` in the configuration of OpenVPN, which creates the "
        "device anew each time; `ip link set NIC txqueuelen 1000` until then); then check whether the program has a "
        "processor to itself.",
        reference="https://github.com/pritunl/pritunl/pull/467",
        host=_short,
    ),
)
