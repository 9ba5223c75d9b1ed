# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses of a bond, which stand in its entry: a bond is made with all that it needs, or it cuts the host off."""

from __future__ import annotations

import ipaddress
import re
from typing import Mapping, Sequence

from .. import masks
from ..model import OTHER_TOOL
from .settings import Guide

_LISTS = ("members", "addresses")
KEYS = ("addresses", "dhcp", "gateway")


def is_list(key: str) -> bool:
    """Whether an option of a bond may be said in parts."""
    return key in _LISTS


def address(guide: Guide, line: int, bond: str, text: str, mask: str, otherwise: str) -> None:
    """An address with its prefix or mask; `otherwise` is what is said where that is none."""
    try:
        one = ipaddress.ip_interface(text if "/" in text or not mask else f"{text}/{mask}")
    except ValueError:
        guide.sink.remark(line, OTHER_TOOL, otherwise)
        return
    if "/" not in text and not mask:
        guide.sink.remark(line, OTHER_TOOL, otherwise)
        return
    guide.sink.set(line, masks.name(bond), "bond", "addresses", str(one))


def gateway(guide: Guide, line: int, bond: str, text: str, otherwise: str) -> None:
    """The default gateway through a bond."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        guide.sink.remark(line, OTHER_TOOL, otherwise)
        return
    guide.sink.set(line, masks.name(bond), "bond", "gateway", text)


def dhcp(guide: Guide, line: int, bond: str) -> None:
    """A bond asks for its IPv4 address."""
    guide.sink.set(line, masks.name(bond), "bond", "dhcp", True)


# Keys of ifcfg about addresses, with the number of one.
_IFCFG = re.compile(r"(BOOTPROTO|IPADDR|PREFIX|NETMASK|GATEWAY|IPV6ADDR|IPV6_DEFAULTGW)(\d*)")


def ifcfg(guide: Guide, line: int, nic: str, key: str, value: str, others: Mapping[str, str]) -> bool:
    """An address in the file of a bond; whether it was one."""
    found = _IFCFG.fullmatch(key)
    made = "BONDING_OPTS" in others or others.get("BONDING_MASTER") == "yes" or others.get("TYPE", "").lower() == "bond"
    if not found or not made:
        return False
    otherwise = f"{key}={masks.shown(value)}: it belongs to the network manager"
    word, number = found.groups()
    if word == "BOOTPROTO" and value.lower() == "dhcp":
        dhcp(guide, line, nic)
    elif word in ("GATEWAY", "IPV6_DEFAULTGW"):
        gateway(guide, line, nic, value, otherwise)
    elif word == "IPADDR":
        address(guide, line, nic, value, others.get(f"PREFIX{number}") or others.get(f"NETMASK{number}", ""), otherwise)
    elif word == "IPV6ADDR":
        address(guide, line, nic, value, "", otherwise)
    else:
        guide.sink.nothing(line, "stands in the entry of the bond")
    return True


_IP4, _IP6 = ("ipv4.addresses", "ipv4.address", "ip4"), ("ipv6.addresses", "ipv6.address", "ip6")
_GATEWAYS = ("ipv4.gateway", "gw4", "ipv6.gateway", "gw6")


def nmcli(guide: Guide, line: int, nic: str, key: str, value: str) -> bool:
    """A property of a connection that is a bond; whether it is about its addresses."""
    otherwise = f"{key} {masks.shown(value)}: it belongs to NetworkManager"
    if key in (*_IP4, *_IP6):
        for word in value.replace(",", " ").split():
            address(guide, line, nic, word, "", otherwise)
    elif key in _GATEWAYS:
        gateway(guide, line, nic, value, otherwise)
    elif key == "ipv4.method" and value == "auto":
        dhcp(guide, line, nic)
    elif key in ("ipv4.method", "ipv6.method"):
        guide.sink.nothing(line, "stands in the entry of the bond")
    else:
        return False
    return True


def networkd(guide: Guide, line: int, bond: str, key: str, value: str) -> bool:
    """A key of a .network file for a bond; whether it is about its addresses."""
    otherwise = f"{key}={masks.shown(value)}: it belongs to systemd"
    if key == "Address":
        address(guide, line, bond, value, "", otherwise)
    elif key == "Gateway":
        gateway(guide, line, bond, value, otherwise)
    elif key == "DHCP" and value.lower() in ("yes", "true", "ipv4"):
        dhcp(guide, line, bond)
    else:
        return False
    return True


def netplan(guide: Guide, line: int, bond: str, word: str, values: Sequence[str]) -> bool:
    """A key of a bond of netplan; whether it is about its addresses. A route stands in `values` as its destination and
    its gateway."""
    otherwise = f"{word} belongs to netplan"
    if word == "addresses":
        for value in values:
            address(guide, line, bond, value, "", otherwise)
    elif word in ("gateway4", "gateway6"):
        gateway(guide, line, bond, " ".join(values), otherwise)
    elif word == "dhcp4" and values in (["true"], ["yes"]):
        dhcp(guide, line, bond)
    elif word == "dhcp4":
        guide.sink.nothing(line, "stands in the entry of the bond")
    else:
        return False
    return bool(values)
