# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather addresses, and what is known of the packet sizes that paths carry."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence, Set

from ..deciding.inputs import understand
from ..host import ReadOnlyHost
from ..schema import Query
from ..settings.link import link
from ..tools import ip, ping, protocols, route_table, ss, sysfs
from .saying import said

# What every path carries, also those of IPv6.
_SMALL = 1280

_PATH_CHECK = link.field("path_check")

# What fits into a packet of 1500 bytes.
_SEGMENT = 1460

# Enough to know who shares a link, also where a scan has filled the table.
_MOST = 512


def addresses(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """The addresses but those of the link, with their NIC, which may be a bond or a VLAN, its MTU, MAC and kind.

    `hardware` are the devices under it, as far as the kernel tells: none under a tunnel or a bridge of containers;
    `proxies` are the switches by which it answers ARP for others.
    Of lo there are those that others may ask for, such as that of a service behind a load balancer.
    """
    return [
        {"nic": nic, "address": address, **_about(host, nic)}
        for nic, found in sorted(ip.addresses(host, expiring=True).items())
        for address in found
        if nic != "lo" or not address.startswith(("127.", "::1/"))
    ]


def _about(host: ReadOnlyHost, nic: str) -> Dict[str, Any]:
    base = f"{sysfs.ROOT}/{nic}"
    kind = re.search(r"^DEVTYPE=(\w+)", sysfs.text(host, f"{base}/uevent"), re.MULTILINE)
    hardware = _TYPES.get(sysfs.text(host, f"{base}/type"), "")
    return {
        "mtu": sysfs.number(host, f"{base}/mtu"),
        "mac": sysfs.text(host, f"{base}/address").lower(),
        "kind": kind[1] if kind else hardware,
        "hardware": sorted(_hardware(host, nic)),
        **_proxies(host, nic),
    }


def _proxies(host: ReadOnlyHost, nic: str) -> Dict[str, Any]:
    """The switches by which it answers ARP for addresses of others, such as proxy_arp."""
    found = [
        key
        for key in ("proxy_arp", "proxy_arp_pvlan")
        if sysfs.number(host, f"/proc/sys/net/ipv4/conf/{nic}/{key}") == 1
    ]
    return {"proxies": found} if found else {}


# Tunnels whose drivers tell no DEVTYPE, by their ARPHRD of include/uapi/linux/if_arp.h.
_TYPES = {"768": "ipip", "776": "sit", "778": "gre"}


def _hardware(host: ReadOnlyHost, nic: str, depth: int = 4) -> Set[str]:
    """The devices that a NIC stands on, itself included if it is one."""
    own = {nic} if host.exists(f"{sysfs.ROOT}/{nic}/device") else set()
    below = (_hardware(host, lower, depth - 1) for lower in sysfs.below(host, nic) if depth)
    return own.union(*below)


def neighbours(host: ReadOnlyHost) -> List[Dict[str, str]]:
    """Who this host has talked to on its links lately, by IPv4 address and MAC."""
    return [row for row in protocols.arp(host.read(protocols.ARP) or "") if row["mac"]][:_MOST]


def ways_out(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """The default routes of IPv4 in the main table, each with its NIC, metric and gateway, if it has one.

    `silent` is one that has just not answered ARP.
    """
    found = route_table.defaults(host.read(route_table.TABLE) or "")
    silent = protocols.incomplete(host.read(protocols.ARP) or "") if any(route.gateway for route in found) else set()
    return [
        {
            "nic": route.nic,
            "metric": route.metric,
            **({"gateway": route.gateway} if route.gateway else {}),
            **({"silent": True} if (route.nic, route.gateway) in silent else {}),
        }
        for route in found
    ]


def half_open(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Of a host with several ways out and no rules of routing: how many connections wait half-open at which NIC.

    Who has asked for these does not get the answer, or his own is lost. Peers to which the same NIC has a more exact
    route than the default one are none of them.
    """
    ways = {row["nic"] for row in ways_out(host)}
    if len(ways) < 2 or len(said(host, Query(("ip", "-4", "rule", "show"))).splitlines()) > _RULES:
        return []
    listed = said(host, Query(("ss", "-4", "-tnH", "state", "syn-recv")))
    own = {
        address.partition("/")[0]: nic for nic, found in ip.addresses(host, expiring=True).items() for address in found
    }
    counts: Dict[str, int] = {}
    routes = list(route_table.parse(host.read(route_table.TABLE) or ""))
    for address, peer in ss.ends(listed):
        nic = own.get(address, "")
        if route_table.exact(routes, peer) != nic:
            counts[nic] = counts.get(nic, 0) + 1
    return [{"nic": nic, "waiting": count} for nic, count in sorted(counts.items()) if nic in ways]


# Those of every host: local, main and default.
_RULES = 3


def learned(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Destinations whose path carries less than the NIC could send, as the kernel has been told."""
    release = re.match(r"(\d+)\.(\d+)", sysfs.text(host, "/proc/sys/kernel/osrelease"))
    # Before Linux 4.15 the kernel leaves the number of those of IPv6 at 0.
    counts = release is not None and (int(release[1]), int(release[2])) >= (4, 15)
    return ip.exceptions(host, six=not counts or protocols.has_exceptions_6(host.read("/proc/net/rt6_stats") or ""))


def to_peers(host: ReadOnlyHost, peers: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """For each address in the path_check of an entry, whether a packet of the NIC's own MTU comes back from there.

    Entries are as in the inventory: the name may be a pattern, and one address, or several in a text, are a list too.
    """
    found = []
    pairs = [
        (nic, address)
        for entry in peers
        for nic in host.names(sysfs.ROOT)
        if fnmatchcase(nic, str(entry.get("name"))) and entry.get("path_check")
        for address in str(understand(_PATH_CHECK, entry["path_check"]).value).split()
    ]
    for nic, address in dict.fromkeys(pairs):
        mtu = sysfs.number(host, f"{sysfs.ROOT}/{nic}/mtu")
        if mtu:
            carries = ping.carries(host, nic, str(address), int(str(mtu)))
            # A peer that is switched off says nothing about the path.
            answers = carries or ping.carries(host, nic, str(address), _SMALL)
            facts = {"nic": nic, "address": str(address), "mtu": mtu, "carries": carries, "answers": answers}
            if answers and not carries:
                facts["largest"] = ping.largest(host, nic, str(address), _SMALL, int(str(mtu)))
            found.append(facts)
    return found


def swallowing(host: ReadOnlyHost, stuck: Sequence[str], segments: Mapping[str, int]) -> List[Dict[str, Any]]:
    """Of peers that a connection hears nothing of, those to whom small packets pass, and whether full ones vanish.

    Whoever is simply gone, or says that a packet is too large, is none of them. `segments` are the largest that
    connections to them send.
    """
    found = []
    for address in stuck:
        for way in ip.ways_to(host, address)[:1]:
            mtu = sysfs.number(host, f"{sysfs.ROOT}/{way.nic}/mtu") or 0
            # Beyond the own link nobody promises more, but the other end by the segments that it takes.
            size = mtu if not way.router or segments.get(address, 0) > _SEGMENT else min(mtu, 1500)
            small = way.nic != "lo" and size > _SMALL and ping.answers(host, way.nic, address, _SMALL)
            facts = {"nic": way.nic, "address": address, "mtu": size, "answers": True, "stuck": True}
            # Between two ends of one link there is no router that could say anything, only switches.
            facts.update({} if way.router else {"link": True})
            if small and ping.swallowed(host, way.nic, address, size):
                largest = ping.largest(host, way.nic, address, _SMALL, size)
                found.append({**facts, "carries": False, "largest": largest})
            elif small and ping.answers(host, way.nic, address, size):
                found.append({**facts, "carries": True})
    return found
