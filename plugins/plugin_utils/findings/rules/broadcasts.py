# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets for everybody or for many: a loop sends them round for ever, and so do two repeaters."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host, Nic

# A second; a network of a thousand hosts has some dozen, and a loop as many as the slowest link carries.
_STORM = 2000


def _storm(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        found, since = nic.counted("rx_broadcast")
        seconds = _seconds(nic)
        if nic.linked and seconds and found >= _STORM * seconds and found * 2 >= nic.packets:
            rate = f"{found / seconds:.0f} a second on average"
            yield Hit({"broadcasts received": f"{found} of {nic.packets} packets {since}", "that is": rate}, nic.name)


def _echo(host: Host) -> Iterator[Hit]:
    seconds = host.number("protocols", "interval") or 0
    came, went = (host.protocol(name)[0] for name in ("IpExtInMcastPkts", "IpExtOutMcastPkts"))
    # A player or a camera has much of one way only.
    if seconds and min(came, went) >= _ECHO * seconds and max(came, went) * 4 <= min(came, went) * 5:
        yield Hit({"multicast packets received": f"{came} in {seconds:g} s", "sent": f"{went} in {seconds:g} s"})


# A second; discovery by mDNS is some packets a minute.
_ECHO = 1000


def _seconds(nic: Nic) -> float:
    """How long it has counted, at most."""
    return nic.number("counters", "interval") or nic.host.number("kernel", "uptime") or 0


RULES = (
    Rule(
        id="broadcast-storm",
        severity="high",
        title="Broadcasts flood the network",
        condition="a NIC has received 2000 broadcasts a second, within the interval or on average since the boot, and "
        "they are half of all packets or more",
        explanation="Switches send a broadcast to every port, and each host has to look at it. Where two cables make a "
        "loop they go round for ever, so that all links are full and all hosts busy.",
        action="Find the loop: a cable from a switch to itself, a phone or an access point with two cables, a bridge "
        "on a host with two ports. See what goes round (`tcpdump -nn -e -c 100 -i NIC broadcast`), then let the "
        "switches prevent it (spanning tree, loop protection, storm control).",
        reference="https://github.com/ntop/ntopng/issues/7352",
        host=_storm,
        switch=True,
    ),
    Rule(
        id="multicast-echoes",
        severity="note",
        title="A host receives multicast by the thousand, and sends as much",
        condition="within an interval a host has received 1000 packets of multicast a second, and sent nearly as many, "
        "or the other way round",
        explanation="Two repeaters of mDNS or SSDP in one network, such as those of a router and of a container, take "
        "each other's packets for new ones and send them again without end. Printers and Wi-Fi suffer first. Programs "
        "of a cluster that talk by multicast look the same.",
        action="See what it is (`tcpdump -nn -c 100 -i NIC multicast`). If it is port 5353 or 1900, let one repeater "
        "alone do it: avahi's `enable-reflector`, the router's, or the plug-in of Home Assistant.",
        reference="https://github.com/home-assistant/plugin-multicast/issues/1",
        host=_echo,
    ),
)
