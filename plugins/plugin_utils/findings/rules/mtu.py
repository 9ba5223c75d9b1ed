# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU: all that share a link must have the same, and the path must carry it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from ipaddress import ip_interface, ip_network
from typing import Any

from ..harm import too_large
from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Fleet, Host
from ..wires import Member, network_of, subnets, together

_PAGE = "https://man7.org/linux/man-pages/man8/ip-link.8.html"

_OWN = (
    "{0} follows its port {1}, as a bridge without an MTU of its own takes the smallest of its ports. Give {0} one "
    "where it is described, which ends that, and set both ends of {1} to the same: the one inside by the description "
    "of the container or guest."
)

# With whom an address is compared at most; one who has met it is enough.
_PEERS = 50


def _differs(fleet: Fleet) -> Iterator[Hit]:
    for network, everybody in sorted(subnets(fleet).items()):
        for site in sorted({member.site for member in everybody}):
            members = [member for member in everybody if member.site == site]
            counts = Counter(member.mtu for member in members)
            # Of two that are as frequent the smaller one is safe.
            usual = min(counts, key=lambda mtu: (-counts[mtu], mtu))
            others = [member for member in members if member.mtu == usual]
            for member in members:
                known = {together(member, other) for other in others[:_PEERS]}
                if member.mtu == usual or known == {False}:
                    continue
                evidence = {
                    "mtu": member.mtu,
                    "address": member.address,
                    f"mtu of {len(others)} others in {network}": usual,
                    "such as": [f"{other.host.name} {other.nic}" for other in others[:3]],
                    "share a link": "yes, by the neighbour table" if True in known else "not known",
                }
                # A router that takes less than its neighbours refuses what they could pass on, wherever it is.
                refused = too_large(member.host) if member.mtu < usual else ""
                evidence.update({"packets too large to forward": refused} if refused else {})
                port = _follows(member) if member.mtu < usual else ""
                evidence.update({f"mtu of its port {port}": member.mtu} if port else {})
                like = not site and _of_a_kind(member, others)
                evidence.update({"of the same group, with the same card": like} if like else {})
                severity = "" if True in known and not site else "medium" if refused else "low" if like else "note"
                remedy, action = nic_remedy(member.nic, mtu=usual), _OWN.format(member.nic, port) if port else ""
                yield Hit(evidence, member.nic, member.host.name, remedy, action, severity)


def _of_a_kind(member: Member, others: list[Member]) -> int:
    """How many others of a group of the inventory have the same card, if these are enough to be one cluster."""
    found = [other for other in others if _group(member, other) and _cards(member) == _cards(other)]
    return len(found) if len(found) >= _CLUSTER and _cards(member) else 0


def _group(one: Member, other: Member) -> bool:
    return bool({*one.host.groups} & {*other.host.groups} - {"ungrouped"})


def _cards(member: Member) -> set[tuple[str, str]]:
    return {(nic.driver, nic.text("pci_id")) for nic in member.ports if nic.real}


# With fewer nobody knows which of them is the rule.
_CLUSTER = 3


def _follows(member: Member) -> str:
    """The port whose smaller MTU a bridge has."""
    rows = [row for row in member.host.rows("bridges") if row.text("name") == member.nic]
    smallest = next((Facts(row.at("smallest")) for row in rows), Facts({}))
    return smallest.text("port") if smallest.count("mtu") == member.mtu else ""


def _above(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        master = nic.text("master")
        if master and nic.flag("physical") is True and host.bridge(master):
            yield from _too_large(master, nic.count("master_mtu"), nic.name, nic.count("mtu"))
    for bond, facts in host.below("bonds").items():
        yield from _too_large(f"the bridge above {bond}", facts.count("master_mtu"), bond, facts.count("mtu"))


def _too_large(bridge: str, upper: int, port: str, lower: int) -> Iterator[Hit]:
    if lower and upper > lower:
        evidence = {f"mtu of {bridge}": upper, f"mtu of its port {port}": lower}
        yield Hit(evidence, port, remedy=nic_remedy(port, mtu=upper))


def _shrunk(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        name, smallest = row.text("name"), Facts(row.at("smallest"))
        own, uplinks = smallest.count("mtu"), Facts(smallest.at("uplinks")).raw
        # Where a bridge knows VLANs, each of them may have its own size.
        jumbo = any(isinstance(mtu, int) and mtu > 1500 for mtu in uplinks.values())
        # Guests and containers learn the size of each other's segments; only what the host sends is smaller.
        if jumbo and smallest.count("inside") and not row.flag("vlans") and _speaks(host, name):
            evidence: dict[str, Any] = {f"mtu of {name}": own, f"mtu of its port {smallest.text('port')}": own}
            evidence.update({f"mtu of its port {port}": mtu for port, mtu in uplinks.items()})
            evidence["guests and containers with more"] = smallest.count("inside")
            yield Hit(evidence, name, action=_OWN.format(name, smallest.text("port")))


def _speaks(host: Host, bridge: str) -> bool:
    """Whether the host itself has an address at a bridge."""
    return any(row.text("nic") == bridge for row in host.rows("addresses"))


def _members(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        mtu = facts.count("mtu")
        wrong = {name: member.count("mtu") for name, member in facts.below("members").items()}
        wrong = {name: found for name, found in wrong.items() if mtu and found and found != mtu}
        if wrong:
            yield Hit(
                {f"mtu of {bond}": mtu, **{f"mtu of {name}": found for name, found in wrong.items()}},
                bond,
                remedy=nic_remedy(bond, mtu=mtu),
            )


def _not_carried(host: Host) -> Iterator[Hit]:
    for peer in host.rows("peers"):
        # What a connection sends again and again is a black hole (sockets.py), unless no router is on the way.
        if peer.flag("stuck") is True and peer.flag("link") is not True:
            continue
        if peer.flag("answers") is True and peer.flag("carries") is False and peer.count("mtu") > 1500:
            evidence = {"mtu": peer.count("mtu"), "no answer of that size from": peer.text("address")}
            if peer.count("largest"):
                evidence["the largest packet that comes back"] = peer.count("largest")
            yield Hit(evidence, peer.text("nic"), remedy=nic_remedy(peer.text("nic"), mtu=1500))
    for row in host.rows("path_mtu"):
        own = {
            network_of(item.text("address")): item.count("mtu")
            for item in host.rows("addresses")
            if item.text("nic") == row.text("nic")
        }
        for network, mtu in own.items():
            if network and mtu > 1500 and 0 < row.count("mtu") < mtu and _inside(row.text("to"), network):
                evidence = {"mtu": mtu, "path MTU": f"{row.count('mtu')} to {row.text('to')} in {network}"}
                yield Hit(evidence, row.text("nic"), remedy=nic_remedy(row.text("nic"), mtu=row.count("mtu")))


def _inside(address: str, network: str) -> bool:
    try:
        return ip_interface(address).ip in ip_network(network)
    except ValueError:
        return False


def _possible(fleet: Fleet) -> Iterator[Hit]:
    for network, members in sorted(subnets(fleet).items()):
        ports = {member: member.ports for member in members}
        fast = all(
            nics and all(nic.real and nic.speed >= 10000 and nic.count("max_mtu") >= 9000 for nic in nics)
            for nics in ports.values()
        )
        if (
            len({member.host.name for member in members}) < 2
            or not fast
            or any(member.mtu != 1500 for member in members)
        ):
            continue
        for member in members:
            speeds = ", ".join(f"{nic.name} {nic.speed}Mb/s" for nic in ports[member])
            evidence = {"mtu": 1500, "subnet": network, "hosts in it": len(members), "links": speeds}
            yield Hit(evidence, member.nic, member.host.name, nic_remedy(member.nic, mtu=9000))


RULES = (
    Rule(
        id="mtu-differs-in-subnet",
        severity="high",
        title="The MTU differs from that of the others in the subnet",
        condition="an address on a wire has another MTU than most of the same subnet that share its link, as neighbour "
        "tables prove; where nobody knows whether they share it, and in networks of clouds, it is medium for a router "
        "with the smaller MTU that has refused packets as too large, low outside of clouds where three or more of the "
        "others are in a group with it and have the same card, and else a note",
        explanation="Inside a subnet nobody tells a sender that a packet is too large; it is silently dropped. Small "
        "packets pass, so that logins work and transfers hang.",
        action="Give all hosts of the subnet the same MTU.",
        reference=_PAGE,
        fleet=_differs,
        switch=True,
    ),
    Rule(
        id="bridge-mtu-above-uplink",
        severity="high",
        title="The bridge takes larger packets than its uplink",
        condition="the MTU of a bridge is above that of its port with hardware",
        explanation="Guests and containers send packets as large as the bridge allows, and what the uplink cannot "
        "carry is silently dropped. Small packets pass, so that logins work and transfers hang.",
        action="Raise the MTU of the uplink and of the switch behind it, or lower that of the bridge and the guests.",
        reference=_PAGE,
        host=_above,
        switch=True,
    ),
    Rule(
        id="bridge-mtu-below-uplink",
        severity="low",
        title="A bridge of jumbo frames has the small MTU of one of its ports",
        condition="a bridge that does not know VLANs and has an address has the MTU of its smallest port, its port "
        "with hardware has one above 1500, and at least one guest or container a larger one",
        explanation="A bridge without an MTU of its own takes the smallest of its ports, so the host itself sends "
        "small packets since that port came. What others send to this port is silently dropped where it is larger.",
        action="Give all ports of the bridge the same MTU.",
        reference=_PAGE,
        host=_shrunk,
    ),
    Rule(
        id="mtu-of-bond-members",
        severity="high",
        title="A member of the bond has another MTU",
        condition="the MTU of a member is not that of its bond",
        explanation="What the bond sends through the smaller member is lost or refused. A bond sets the MTU of its "
        "members itself, so somebody else has changed it since.",
        action="Set the MTU of the bond, which sets that of its members.",
        reference="https://docs.kernel.org/networking/bonding.html",
        host=_members,
    ),
    Rule(
        id="jumbo-not-carried",
        severity="high",
        title="The path does not carry the jumbo frames that the NIC sends",
        condition="a peer answers small packets and none of the NIC's MTU, or the kernel has learned a smaller "
        "MTU for a host of the same subnet",
        explanation="Every switch port and NIC between two hosts must accept this size. One that does not drops the "
        "packet.",
        action="Raise the MTU of the switch and of the other hosts, or return to what the path carries.",
        reference=_PAGE,
        host=_not_carried,
        proven=True,
        switch=True,
    ),
    Rule(
        id="jumbo-possible",
        severity="note",
        title="All links of the subnet could carry jumbo frames",
        condition="all addresses of a subnet lie on links of at least 10000 Mb/s that can have an MTU of 9000, "
        "and have 1500",
        explanation="Six times larger packets mean six times fewer to handle, and fewer headers: a stream over 10G has "
        "9.90 instead of 9.41 Gbit/s. The switch must carry them as well.",
        action="Raise the MTU of the switch ports first, then that of all hosts; path_check verifies that it works.",
        reference=_PAGE,
        fleet=_possible,
        switch=True,
    ),
)
