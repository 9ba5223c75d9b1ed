# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter of the reverse path, which drops what is answered another way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import HOUR, MINUTE, seldom
from ..model import Hit, Rule
from ..view import Host
from .containers import vpns

_FILTER = "net.ipv4.conf.all.rp_filter"


def _reverse(host: Host) -> Iterator[Hit]:
    count, since = host.protocol("TcpExtIPReversePathFilter")
    taken, _since = host.protocol("IpInReceives")
    now = host.number("protocols", "interval")
    ways = sum(nic.linked for nic in host.nics)
    tunnels, pods = vpns(host), _pods(host)
    # By a tunnel comes less than by the wire, which has its packets as well; and of connections to pods it is the
    # first packet that is dropped, beside all packets of the others.
    many = count * 1000 >= taken or ((tunnels or pods) and not now and not seldom(host, count, MINUTE))
    several = ways >= 2 or (ways and pods)
    if count < (100 if now else 1000) or not many or not several or (not now and seldom(host, count, HOUR)):
        return
    strict = host.whole(_FILTER)
    evidence = {"dropped by the reverse path": f"{count} of {taken} {since}", _FILTER: strict}
    mends = {"tuning_host_sysctl": {_FILTER: 2}}
    remedy = mends if strict in (0, 1) else {}
    # With one way out of a node it is mostly its pods that answer by another device, or their load balancer.
    alone = _ANSWERED_INSIDE if ways < 2 else ""
    if pods and strict and _cilium(host):
        # The larger one of this and that of a device holds, so that Cilium cannot switch it off at its own.
        off = {"tuning_host_sysctl": _off(host)}
        yield Hit({**evidence, "network of pods": "Cilium"}, remedy=off, mends=off, action=_BY_CILIUM)
    elif count * 100 >= taken:
        yield Hit(evidence, remedy=remedy, mends=mends, action=alone)
    elif remedy and (beside := _of_other_ways(host, count)):
        yield Hit({**evidence, **beside}, remedy=remedy, mends=mends)
    elif tunnels or not remedy:
        lost = _lost_of_tunnels(host, count) if remedy else {}
        shown = {**evidence, **({"tunnels": tunnels} if tunnels else {}), **lost}
        yield Hit(shown, remedy=remedy, mends=mends, severity="" if lost else "note")
    elif alone or pods:
        yield Hit(evidence, remedy=remedy, mends=mends, action=_ANSWERED_INSIDE, severity="note")
    else:
        # Forged addresses and broadcasts of a second network on the same wire are some, too.
        yield Hit(evidence, action=_WHOSE, severity="note")


def _of_other_ways(host: Host, count: int) -> dict[str, str]:
    """What came by NICs that no default route leaves by, if the drops are a tenth of that, and sent to this host alone.

    Whatever its source, a packet that comes by the default route is answered there.
    """
    ways = [row.text("nic") for row in host.rows("default_routes")]
    below = {name for row in host.rows("addresses") if row.text("nic") in ways for name in row.words("hardware")}
    out = below.union(ways, *([nic.name for nic in host.under(way)] for way in ways))
    others = [nic for nic in host.nics if nic.linked and nic.name not in out]
    # Where one does not count its broadcasts, the drops may be nothing else.
    if any(nic.number("counters", "total", "rx_broadcast") is None for nic in others if nic.packets):
        return {}
    came = sum(nic.packets for nic in others)
    heard = sum(nic.counted("rx_broadcast")[0] for nic in others) + host.protocol("IpExtInMcastPkts")[0]
    now = host.number("protocols", "interval")
    if not ways or not out & {nic.name for nic in host.nics} or not 0 < came <= 10 * count or count <= heard:
        return {}
    names = " and ".join(nic.name for nic in others)
    return {f"received by {names}": f"{came} packets"} if now or not seldom(host, count, MINUTE) else {}


def _lost_of_tunnels(host: Host, count: int) -> dict[str, str]:
    """What tunnels of WireGuard have sent, if the drops are a tenth of that, six a minute, and no broadcasts."""
    rows = [row for row in host.rows("tunnels") if row.text("kind") == "wireguard"]
    now = any(row.number("interval") for row in rows)
    sent = sum(row.count("growth", "sent") if now else row.count("sent") for row in rows)
    heard = sum(nic.counted("rx_broadcast")[0] for nic in host.nics if nic.linked)
    often = now or not seldom(host, count, MINUTE // 6)
    return {"sent by WireGuard": f"{sent} packets"} if 0 < sent <= 10 * count and count > heard and often else {}


def _pods(host: Host) -> bool:
    """Whether packets for others may come by the wire and go on by devices inside."""
    return host.forwards and host.flag("kernel", "kubernetes") is True


def _cilium(host: Host) -> bool:
    rows = [*host.rows("addresses"), *host.rows("tunnels")]
    return any(row.text("nic").startswith("cilium_") for row in rows)


def _off(host: Host) -> dict[str, Any]:
    """No filter for all devices, and a loose one at those of the wire; a dot in their names would be taken for more."""
    wires = [nic.name for nic in host.nics if nic.linked and "." not in nic.name]
    return {_FILTER: 0, **{f"net.ipv4.conf.{name}.rp_filter": 2 for name in wires}}


_BY_CILIUM = (
    "Cilium hands packets to devices that their answers do not leave by, and needs no filter at its own (lxc*, "
    "cilium_*): set it to 0 for all, and to 2 at the NIC; see that no file of sysctl.d sets it again after that of "
    "Cilium (99-zzz-override_cilium.conf), and restart its agent."
)
_ANSWERED_INSIDE = (
    "Packets that come by the wire are answered by a device inside of the node, such as those for pods without "
    "kube-proxy, or from pods of a second network: use the loose filter, or none at that device, and see that no file "
    "of sysctl.d sets it again."
)
_WHOSE = (
    "See whose packets they are (`net.ipv4.conf.all.log_martians` 1 for a while, then the kernel's log): forged "
    "addresses and broadcasts of a second network are what the filter is for. Only for packets of valid connections "
    "use the loose filter, or give each NIC a routing table of its own."
)


RULES = (
    Rule(
        id="reverse-path-filter",
        severity="medium",
        title="Packets are dropped because their answers would take another NIC",
        condition="the host has several links, or is a node of Kubernetes, and at least 1000 packets (100 within an "
        "interval), and one in a hundred, were dropped by the filter of the reverse path, or on a node with Cilium, "
        "where it is on for all devices, one in a thousand or one a minute, or a tenth of what came by NICs without a "
        "default route, more than broadcasts and multicast, and one a minute; from one in a thousand and one an hour "
        "on, or one a minute with a VPN or on a node, it is a note, as broadcasts of a second network on the same wire "
        "are some, too, but for six a minute that are a tenth of what WireGuard has sent",
        explanation="With rp_filter 1 a packet must arrive on the NIC that its answer would leave by. On a host with "
        "several NICs, or with policy routing, packets of valid connections do not.",
        action="Use the loose filter, or give each NIC a routing table of its own.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_reverse,
        proven=True,
    ),
)
