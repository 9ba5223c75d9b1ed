# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which addresses of a fleet share a link: by subnet, by what is under them, and by whom they have met."""

from __future__ import annotations

import re
from ipaddress import ip_interface
from typing import NamedTuple

from .view import Facts, Fleet, Host, Nic

# MACs of gateways that several routers serve (VRRP, HSRP and GLBP): two sites with the same number share them.
VIRTUAL_ROUTERS = ("00:00:5e:00:01:", "00:00:5e:00:02:", "00:00:0c:07:ac:", "00:00:0c:9f:f", "00:07:b4:")


class Member(NamedTuple):
    """An address on a wire: where it is, its MTU, and the MAC that others see."""

    host: Host
    nic: str
    address: str
    mtu: int
    mac: str

    @property
    def alone(self) -> str:
        """The address without its length."""
        return self.address.partition("/")[0]

    @property
    def ports(self) -> list[Nic]:
        """The hardware behind it."""
        return self.host.under(self.nic) or [nic for nic in self.host.nics if nic.text("master") == self.nic]

    @property
    def site(self) -> str:
        """Whose virtual network it is; the same private numbers are in use in all of them."""
        return next((_CLOUDS[nic.driver] for nic in self.ports if nic.driver in _CLOUDS), "")


# Networks of these clouds are routed, whatever the mask says.
_CLOUDS = {"ena": "AWS", "hv_netvsc": "Azure", "mana": "Azure", "gve": "Google"}

# What the kernel calls devices that put a header of their own around packets, so that each end has its own MTU.
_TUNNELS = ("wireguard", "vxlan", "geneve", "gre", "gretap", "ipip", "sit", "ip6tnl", "ppp", "tun", "xfrm", "vti")

# The names that Flannel, Calico and the tools of WireGuard give them, for where no kind is told.
_NAMED = {
    r"flannel(-v6)?\.\d+|vxlan(-v6)?\.calico": "vxlan",
    r"wg\d+|flannel-wg|wireguard\.cali": "wireguard",
    r"tunl\d+": "ipip",
}


def kind(row: Facts) -> str:
    """What a device is, as the kernel tells or, of some tunnels, its name."""
    named = (found for names, found in _NAMED.items() if re.fullmatch(names, row.text("nic")))
    return row.text("kind") or next(named, "")


def on_a_wire(host: Host, row: Facts) -> bool:
    """Whether an address shares a link with other machines: not that of a tunnel, or of containers on this host."""
    name = row.text("nic")
    if row.text("kind") in _TUNNELS:
        return False
    known = {nic.name for nic in host.nics}
    parent = name.partition(".")[0]
    return (
        any(device in known for device in row.words("hardware"))
        or name in known
        or name in host.below("bonds")
        or host.bridge(name)
        # A VLAN by the name that most managers give it.
        or (parent != name and (parent in known or parent in host.below("bonds")))
    )


def network_of(address: str) -> str:
    """The subnet of an address; empty for one that stands alone, or is none."""
    try:
        network = ip_interface(address).network
    except ValueError:
        return ""
    return str(network) if network.num_addresses > 1 and not network.is_link_local else ""


def _emulated(host: Host, nic: str) -> bool:
    """Whether a NIC is in a network that QEMU or VirtualBox makes for this guest alone, as its gateway tells.

    Each guest has the same address there, 10.0.2.15, and the same gateway with the same MAC.
    """
    for row in host.rows("neighbours"):
        numbers = [int(part) for part in row.text("address").split(".") if part.isdecimal()]
        qemu = ":".join(["52:55", *(f"{number:02x}" for number in numbers)])
        if row.text("nic") == nic and (row.text("mac") == qemu or row.text("mac").startswith("52:54:00:12:35:0")):
            return True
    return False


def subnets(fleet: Fleet) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {}
    for host in fleet.hosts:
        for row in host.rows("addresses"):
            network, mtu = network_of(row.text("address")), row.count("mtu")
            if network and mtu and on_a_wire(host, row) and not _emulated(host, row.text("nic")):
                nic = host.nic(row.text("nic"))
                mac = row.text("mac") or (nic.text("mac") if nic else "")
                member = Member(host, row.text("nic"), row.text("address"), mtu, mac.lower())
                found.setdefault(network, []).append(member)
    return found


def _met(member: Member) -> dict[str, str]:
    """The neighbours of an address, by address."""
    rows = member.host.rows("neighbours")
    found = {row.text("address"): row.text("mac") for row in rows if row.text("nic") == member.nic}
    return {address: mac for address, mac in found.items() if not mac.startswith(VIRTUAL_ROUTERS)}


def together(one: Member, other: Member) -> bool | None:
    """Whether two addresses share a link: they have met, or met the same third one; None where nobody knows."""
    first, second = _met(one), _met(other)
    if other.mac and first.get(other.alone) == other.mac:
        return True
    if one.mac and second.get(one.alone) == one.mac:
        return True
    common = [first[address] == second[address] for address in first.keys() & second.keys()]
    return all(common) if common else None
