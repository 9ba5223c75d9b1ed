# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather addresses, and what is known of the packet sizes that paths carry."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..host import ReadOnlyHost
from ..schema import InputError
from ..tools import ip, ping, sysfs


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


def asked(host: ReadOnlyHost, peers: Sequence[str]) -> List[Dict[str, Any]]:
    """For each `NIC=ADDRESS`, whether a packet of the NIC's own MTU comes back from there."""
    found = []
    for peer in peers:
        nic, equals, address = peer.partition("=")
        if not equals:
            raise InputError(f"peers: '{peer}' is not right; write NIC=ADDRESS, such as enp1s0=192.168.10.2")
        mtu = sysfs.number(host, f"{sysfs.ROOT}/{nic}/mtu")
        if mtu:
            found.append({"nic": nic, "address": address, "mtu": mtu, "carries": ping.carries(host, nic, address, mtu)})
    return found
