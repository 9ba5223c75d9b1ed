# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather addresses, and what is known of the packet sizes that paths carry."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence

from ..host import ReadOnlyHost
from ..inputs import wish
from ..settings.link import link
from ..tools import ip, ping, sysfs

# What every path carries, also those of IPv6.
_SMALL = 1280

_PATH_CHECK = link.field("path_check")


def addresses(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """The addresses that somebody has set, with their NIC, which may be a bond or a VLAN, and its MTU."""
    return [
        {"nic": nic, "address": address, "mtu": sysfs.number(host, f"{sysfs.ROOT}/{nic}/mtu")}
        for nic, found in sorted(ip.addresses(host).items())
        for address in found
        if nic != "lo"
    ]


def learned(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Destinations whose path carries less than the NIC could send, as the kernel has been told."""
    return ip.exceptions(host)


def asked(host: ReadOnlyHost, peers: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """For each address in the path_check of an entry, whether a packet of the NIC's own MTU comes back from there.

    Entries are as in the inventory: the name may be a pattern, and one address, or several in a text, are a list too.
    """
    found = []
    wanted = [
        (nic, address)
        for entry in peers
        for nic in host.names(sysfs.ROOT)
        if fnmatchcase(nic, str(entry.get("name"))) and entry.get("path_check")
        for address in str(wish(_PATH_CHECK, entry["path_check"]).value).split()
    ]
    for nic, address in dict.fromkeys(wanted):
        mtu = sysfs.number(host, f"{sysfs.ROOT}/{nic}/mtu")
        if mtu:
            carries = ping.carries(host, nic, str(address), int(str(mtu)))
            # A peer that is switched off says nothing about the path.
            answers = carries or ping.carries(host, nic, str(address), _SMALL)
            found.append({"nic": nic, "address": str(address), "mtu": mtu, "carries": carries, "answers": answers})
    return found
