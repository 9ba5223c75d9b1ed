# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which addresses a host can have, and which gateway they reach."""

from __future__ import annotations

import ipaddress
from typing import Any, Sequence, Union

from ..schema import InputError

IPAddress = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


def of_anybody(key: str, raw: Any) -> IPAddress:
    """An address on its own, such as that of a gateway; InputError if it is none."""
    try:
        if "%" in str(raw):
            raise ValueError
        return ipaddress.ip_address(str(raw).strip())
    except ValueError:
        raise InputError(f"{key}: {raw!r} is not an IP address") from None


def of_nic(key: str, raw: Any) -> str:
    """An address that a NIC can have, with the length of its prefix; InputError for any other."""
    found: Union[ipaddress.IPv4Interface, ipaddress.IPv6Interface, None]
    try:
        found = ipaddress.ip_interface(str(raw).strip())
    except ValueError:
        found = None
    if found is None or "/" not in str(raw) or "%" in str(raw):
        raise InputError(f"{key}: {raw!r} is not an address with a prefix length, such as 192.168.10.1/24")
    address, network = found.ip, found.network
    ends = (network.network_address, network.broadcast_address) if network.prefixlen < 31 and found.version == 4 else ()
    if address in ends or address.is_multicast or address.is_unspecified or address.is_loopback:
        raise InputError(f"{key}: {raw!r} is no address of a host")
    if found.version == 6 and address.is_link_local:
        raise InputError(f"{key}: {raw!r} is a link-local address, which the kernel assigns by itself; leave it out")
    return str(found)


def check_gateway(gateway: str, addresses: Sequence[str]) -> None:
    """InputError for a gateway that none of the addresses can reach."""
    way = ipaddress.ip_address(gateway) if gateway else None
    if way is None or way.is_link_local:
        return
    if not any(way in ipaddress.ip_interface(address).network for address in addresses):
        raise InputError(f"gateway: {gateway} is not in the network of any of the addresses")
