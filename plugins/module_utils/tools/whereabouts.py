# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/net and sysfs about where a NIC stands: default routes, link, bond; without starting a process."""

from __future__ import annotations

import sys
from typing import Iterator, List, Set, Tuple

from ..schema import Reader
from . import sysfs

# include/uapi/linux/route.h: the route is usable; it refuses what it means.
_UP, _REJECT = 0x1, 0x200


def answer(host: Reader, question: str, nic: str) -> str:
    """A word about a NIC, or nothing: to `default_route` and `link` any word is a yes, to `bond` it is its name."""
    if question == "default_route":
        return nic if nic in default_routes(host) else ""
    if question == "link":
        return nic if sysfs.carrier(host, nic) else ""
    master = host.target(f"{sysfs.ROOT}/{nic}/master")
    return master if master and host.exists(f"{sysfs.ROOT}/{master}/bonding") else ""


def default_routes(host: Reader) -> Set[str]:
    """The NICs of the default routes in the main table, of IPv4 and IPv6."""
    return {nic for nic, _way in _defaults(host)} - {"lo"}


def gateways(host: Reader) -> List[str]:
    """The routers of the default routes, as `ping` takes them."""
    from ipaddress import ip_address  # costs as much as all else here, and few ask

    ways = [(nic, ip_address(way)) for nic, way in _defaults(host) if any(way)]
    return list(dict.fromkeys(f"{way}%{nic}" if way.is_link_local else str(way) for nic, way in ways))


def _defaults(host: Reader) -> Iterator[Tuple[str, bytes]]:
    """(NIC, address of the next hop; zeros without one) of each."""
    for line in (host.read("/proc/net/route") or "").splitlines()[1:]:
        words = line.split()
        # Iface Destination Gateway Flags RefCnt Use Metric Mask ...; addresses as the processor holds them
        if len(words) > 7 and words[1] == words[7] == "00000000" and _usable(words[3]):
            yield words[0], bytes.fromhex(words[2])[:: -1 if sys.byteorder == "little" else 1]
    for line in (host.read("/proc/net/ipv6_route") or "").splitlines():
        words = line.split()
        # destination, its length, source, its length, next hop, metric, references, uses, flags, NIC
        if len(words) == 10 and words[0].strip("0") == "" and words[1] == "00" and _usable(words[8]):
            yield words[9], bytes.fromhex(words[4])


def _usable(flags: str) -> bool:
    try:
        return int(flags, 16) & (_UP | _REJECT) == _UP
    except ValueError:
        return False
