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
        # A storm of some days is less on average since the boot, and most of what was received all the same.
        storm = found >= _STORM * seconds and found * 2 >= nic.packets
        lately = not nic.number("counters", "interval") and found * 4 >= max(_STORM * seconds, 3 * nic.packets)
        if nic.linked and seconds and (storm or lately):
            rate = f"{found / seconds:.0f} a second on average"
            evidence = {"broadcasts received": f"{found} of {nic.packets} packets {since}", "that is": rate}
            loop = _own_loop(nic, found)
            evidence.update({"comes as well by": f"{', '.join(loop)}, ports of {nic.text('master')}"} if loop else {})
            action = _BRIDGED.format(nic.text("master")) if loop else ""
            yield Hit(evidence, nic.name, action=action, severity="" if storm else "medium")


def _own_loop(nic: Nic, found: int) -> list[str]:
    """Other ports of the same bridge, without spanning tree, that have received as many broadcasts.

    Behind a bridge between two networks a storm of one of them is only sent by the other port.
    """
    row = next((row for row in nic.host.rows("bridges") if row.text("name") == nic.text("master")), None)
    others = [each for each in nic.host.nics if each.name != nic.name and each.text("master") == nic.text("master")]
    if row is None or row.number("forward_delay") is not None:
        return []
    counts = {each.name: each.counted("rx_broadcast")[0] for each in others if each.linked}
    return [name for name, count in counts.items() if 2 * count >= found]


_BRIDGED = (
    "The ports of {0} lead into one network: take the cable of one of them out, or make a bond of the two and put that "
    "into the bridge; else switch spanning tree on (`ip link set {0} type bridge stp_state 1`)."
)


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
        "they are half of all packets or more; medium where it is a quarter of that on average since the boot, and "
        "three quarters of all packets",
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
