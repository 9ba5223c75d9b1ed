# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses, of IP or of hardware, that two hosts of the fleet have at once."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface, ip_network

from ..model import Hit, Rule
from ..view import Fleet, Host
from ..wires import VIRTUAL_ROUTERS, Member, subnets, together


def _twice(fleet: Fleet) -> Iterator[Hit]:
    for members in subnets(fleet).values():
        found: dict[str, list[Member]] = {}
        for member in members:
            # A cable that is not plugged in, such as that of a spare host, reaches nobody.
            if member.mac and all(nic.flag("carrier") is not False for nic in member.ports):
                found.setdefault(member.alone, []).append(member)
        for address, owners in sorted(found.items()):
            first = owners[0]
            # Routers of one gateway (anycast) share its MAC as well, and a cloud has many networks of the same numbers.
            others = [
                other
                for other in owners[1:]
                if other.host is not first.host and other.mac != first.mac and together(first, other) is not False
            ]
            if others and not first.site:
                known = any(together(first, other) for other in others)
                evidence = {
                    "address": address,
                    "MAC": first.mac,
                    "also at": [f"{other.host.name} {other.nic} {other.mac}" for other in others[:3]],
                    "share a link": "yes, by the neighbour table" if known else "not known",
                }
                yield Hit(evidence, first.nic, first.host.name, severity="" if known else "note")


def _both(fleet: Fleet) -> Iterator[Hit]:
    """Addresses without a subnet on a wire of two hosts: those of a service that moves between them."""
    found: dict[str, list[Member]] = {}
    for network, members in subnets(fleet).items():
        for one in members if ":" not in network else ():
            # A provider of a cloud brings such an address to whom it wants.
            up = bool(one.mac) and not one.site and all(nic.flag("carrier") is not False for nic in one.ports)
            for row in one.host.rows("addresses") if up else ():
                address = row.text("address")
                if row.text("nic") == one.nic and address.endswith("/32") and _within(address, network):
                    owners = found.setdefault(address[:-3], [])
                    if all(owner.host is not one.host for owner in owners):
                        owners.append(one)
    shared: dict[tuple[str, ...], list[str]] = {}
    for address, owners in sorted(found.items()):
        macs, apart = {owner.mac for owner in owners}, [together(owners[0], one) is False for one in owners[1:]]
        if len(owners) > 1 and len(macs) == len(owners) and not any(apart):
            shared.setdefault(tuple(owner.host.name for owner in owners), []).append(address)
    for hosts, addresses in shared.items():
        first, *others = found[addresses[0]]
        known = any(together(first, other) for other in others)
        more = [f"and {len(addresses) - _LISTED} more"] if len(addresses) > _LISTED else []
        evidence = {
            "addresses": [f"{address}/32" for address in addresses[:_LISTED]] + more,
            "MAC": first.mac,
            "also at": [f"{other.host.name} {other.nic} {other.mac}" for other in others[:3]],
            "share a link": "yes, by the neighbour table" if known else "not known",
        }
        # Real servers of LVS have the address of their director, and are told by arptables not to answer for it.
        balances = [one.host.name for one in (first, *others) if one.host.sysctl(_BALANCES)]
        shown = {**evidence, **({"balance by IPVS": balances} if balances else {})}
        action = _ONE_AT_A_TIME.format(addresses[0], others[0].nic)
        yield Hit(shown, first.nic, hosts[0], action=action, severity="" if known and not balances else "note")


_BALANCES = "net.ipv4.vs.conntrack"


_ONE_AT_A_TIME = (
    "Such an address belongs to a service that one host at a time shall have (keepalived, kube-vip, pacemaker): see "
    "why both believe it is theirs, such as VRRP (multicast to 224.0.0.18) that a firewall or a switch stops, or a "
    "lease that was lost without giving the address back. Take it from the one that was not chosen, by a restart of "
    "its service or `ip address del {0}/32 dev {1}` there."
)


def _duplicates(fleet: Fleet) -> Iterator[Hit]:
    yield from _twice(fleet)
    yield from _both(fleet)


def _cloned(fleet: Fleet) -> Iterator[Hit]:
    told: set[str] = set()
    for network, members in sorted(subnets(fleet).items()):
        found: dict[str, list[Member]] = {}
        for member in members:
            up = all(nic.flag("carrier") is not False for nic in member.ports)
            # Routers that serve one gateway share its MAC on purpose.
            if member.mac and member.ports and up and not member.mac.startswith(VIRTUAL_ROUTERS):
                found.setdefault(member.mac, []).append(member)
        for mac, owners in sorted(found.items()):
            first = owners[0]
            # Who has one of its addresses is the same machine, by another name in the inventory.
            own = {owner.alone for owner in owners if owner.host is first.host}
            same = {id(owner.host) for owner in owners if owner.alone in own}
            others = [other for other in owners[1:] if id(other.host) not in same]
            # With addresses of IPv6 as well it is the same two once more.
            if others and not first.site and mac not in told:
                told.add(mac)
                met = any(together(first, other) for other in others)
                evidence = {
                    "MAC": mac,
                    "address": first.address,
                    "also at": [f"{other.host.name} {other.nic} {other.address}" for other in others[:3]],
                    "share a link": "yes, by the neighbour table" if met else f"not known, but both are in {network}",
                }
                yield Hit(evidence, first.nic, first.host.name, severity="" if met else "note")


_IGNORE, _ANNOUNCE = "net.ipv4.conf.all.arp_ignore", "net.ipv4.conf.all.arp_announce"


def _answered(fleet: Fleet) -> Iterator[Hit]:
    """Addresses of services that several hosts have beside those of their links, and all tell the neighbours of."""
    networks = subnets(fleet)
    found: dict[str, list[tuple[Host, str, str]]] = {}
    for host in fleet.hosts:
        # A cloud asks nobody for a MAC, and has many networks of the same numbers.
        own = {
            network
            for network, members in networks.items()
            if any(one.host is host for one in members) and not any(one.site for one in members if one.host is host)
        }
        own_rows = [
            (row.text("nic"), row.text("address")) for row in host.rows("addresses") if not row.words("hardware")
        ]
        for nic, address in (*own_rows, *(("lo", address) for address in host.words("loopback"))):
            if address.endswith("/32") and host.sysctl(_IGNORE) == "0":
                network = next((network for network in own if _within(address, network)), "")
                if network:
                    found.setdefault(address[:-3], []).append((host, nic, network))
    shared: dict[str, list[tuple[str, str, str]]] = {}
    for address, owners in sorted(found.items()):
        # A routed one asks nobody for a MAC either.
        if len({network for _host, _nic, network in owners}) == 1 and len({host.name for host, *_rest in owners}) > 1:
            for host, nic, network in owners:
                shared.setdefault(host.name, []).append((address, nic, network))
    for host in fleet.hosts:
        rows = shared.get(host.name, [])
        if rows:
            address, nic, network = rows[0]
            others = [other.name for other, _nic, _network in found[address] if other is not host]
            more = [f"and {len(rows) - _LISTED} more"] if len(rows) > _LISTED else []
            listed = [*(row[0] for row in rows[:_LISTED]), *more]
            evidence = {"addresses": listed, "on": nic, "in the subnet of a NIC": network}
            shown = {**evidence, "also at": others[:3], _IGNORE: 0, _ANNOUNCE: host.whole(_ANNOUNCE)}
            # The kernel takes the larger of this value and that of the NIC, which is not read.
            yield Hit(shown, nic, host.name)


# Addresses that are told one by one.
_LISTED = 5


def _within(address: str, network: str) -> bool:
    try:
        return ip_interface(address).ip in ip_network(network)
    except ValueError:
        return False


RULES = (
    Rule(
        id="duplicate-mac",
        severity="high",
        title="Two hosts have the same MAC",
        condition="NICs of two hosts in one subnet have the same MAC and other addresses; where neighbour tables do "
        "not tell that they share a link it is a note",
        explanation="The switch sends what is for both to whoever sent last, so that each loses packets whenever the "
        "other one speaks. Guests that were copied with the MAC of their description, and boards whose MAC is that of "
        "an image, have this.",
        action="Give one of them another MAC: let the hypervisor make a new one, or set it in the configuration of the "
        "NIC (`macaddress` of netplan, `MACAddress=` of systemd, `cloned-mac-address` of NetworkManager).",
        reference="https://github.com/utmapp/UTM/issues/7035",
        fleet=_cloned,
    ),
    Rule(
        id="duplicate-address",
        severity="high",
        title="Two hosts have the same address",
        condition="an address is on NICs of two hosts that share a link, as their neighbours tell; where that is not "
        "known it is a note; one without a subnet (/32) counts where it lies in that of the NIC, and is a "
        "note where one of the hosts balances by IPVS",
        explanation="Neighbours send to whoever answered last, so connections to both break off at random. Machines "
        "that were cloned with their /etc/machine-id get the same lease of DHCP, as systemd-networkd asks by that.",
        action="Give one of them another address; make a new machine-id on clones (`rm /etc/machine-id && "
        "systemd-machine-id-setup`), or set `ClientIdentifier=mac`.",
        reference="https://github.com/aws/eks-anywhere/issues/940",
        fleet=_duplicates,
    ),
    Rule(
        id="address-answered-by-many",
        severity="note",
        title="Several hosts answer for the address of a service",
        condition="two hosts or more have one address of IPv4 on lo or another device without hardware, it lies in a "
        "subnet that they share outside of the clouds, and net.ipv4.conf.all.arp_ignore is 0; whether that of the NIC "
        "is higher, which then counts, is not read",
        explanation="By default a host answers for any address that it has, at whatever NIC it is asked. So all real "
        "servers of a load balancer (LVS), or all nodes of Kubernetes with kube-proxy in the mode ipvs, say that the "
        "address is theirs, and connections go now to one, now to another.",
        action="See whether arp_ignore of the NIC is 0 as well; then let hosts answer only for the addresses of the "
        "NIC that is asked (net.ipv4.conf.all.arp_ignore 1, net.ipv4.conf.all.arp_announce 2; for "
        "kube-proxy `strictARP: true`, as MetalLB requires it), so that only the load balancer answers.",
        reference="https://metallb.io/installation/",
        fleet=_answered,
    ),
)
