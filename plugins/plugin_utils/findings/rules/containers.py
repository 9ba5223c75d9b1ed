# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of containers and guests: what forwarding, or the lack of it, does to them and to the host itself."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

from ..harm import much
from ..model import Hit, Rule
from ..view import Host

# Networks of containers that are of no use without forwarding, by the names that Docker, Podman and CNI give them.
_ROUTED = ("docker0", "podman", "cni")

_CALLS = "net.bridge.bridge-nf-call-iptables"


def _cut_off(host: Host) -> Iterator[Hit]:
    if host.flag("kernel", "forwards_ipv4") is not False:
        return
    for row in host.rows("bridges"):
        name = row.text("name")
        if name.startswith(_ROUTED) and row.count("containers"):
            refused, since = much(host, "IpInAddrErrors")
            files = {
                f"set by {file.text('file')}": value
                for file in host.rows("sysctl_files")
                for key, value in file.texts("sets").items()
                if key in ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding")
            }
            evidence = {
                "net.ipv4.ip_forward": 0,
                "bridge": name,
                "containers": row.count("containers"),
                **files,
                **({"packets for others": f"{refused} {since}"} if refused else {}),
            }
            remedy = {"tuning_host_sysctl": {"net.ipv4.ip_forward": 1}}
            yield Hit(evidence, remedy=remedy, severity="" if refused else "medium")
            return


def _no_routers(host: Host) -> Iterator[Hit]:
    refused, since = much(host, "Ip6OutNoRoutes")
    if host.flag("listeners", "default_route_6") is not False or not refused:
        return
    deaf = host.words("listeners", "ignores_routers")
    for nic in deaf:
        addresses = [row.text("address") for row in host.rows("addresses") if row.text("nic") == nic]
        public = [address for address in addresses if _public(address)]
        if public and any(row.text("nic") == nic and row.words("hardware") for row in host.rows("addresses")):
            key = f"net.ipv6.conf.{nic.replace('.', '/')}.accept_ra"
            evidence = {
                "forwarding of IPv6": "on",
                key: 1,
                "address": public[0],
                "default route of IPv6": "none",
                "packets without a route": f"{refused} {since}",
            }
            yield Hit(evidence, nic, remedy={"tuning_host_sysctl": {key: 2}})


def _public(address: str) -> bool:
    try:
        found = ip_interface(address)
    except ValueError:
        return False
    # 2000::/3 is what can be reached from elsewhere.
    return found.version == 6 and int(found.ip) >> 125 == 1


def _filtered(host: Host) -> Iterator[Hit]:
    if host.whole(_CALLS) != 1:
        return
    for row in host.rows("bridges"):
        if row.count("guests") and row.count("nics"):
            yield Hit({_CALLS: 1, "bridge": row.text("name"), "guests": row.count("guests")})


def _snoops(host: Host) -> Iterator[Hit]:
    dropped, since = much(host, "ndisc_cache_unresolved_discards")
    for row in host.rows("bridges") if dropped else []:
        inside = row.count("guests") + row.count("containers")
        if inside and row.count("nics") and row.flag("snoops"):
            evidence = {
                "bridge": row.text("name"),
                "multicast_snooping": 1,
                "guests and containers": inside,
                "packets to neighbours of IPv6 that did not answer": f"{dropped} {since}",
            }
            yield Hit(evidence)


RULES = (
    Rule(
        id="forwarding-off-for-containers",
        severity="high",
        title="Containers are cut off, because the host does not forward",
        condition="a bridge of Docker, Podman or CNI has containers, net.ipv4.ip_forward is 0, and at least 1000 "
        "packets (100 within an interval) were for others; without those it is medium",
        explanation="Docker and its like switch forwarding on when they start, and a file of sysctl.d, often of a "
        "guide for security, or `sysctl -p` switches it off again. Their packets are then discarded.",
        action="Set net.ipv4.ip_forward to 1 on hosts of containers, and take the other value out of the files.",
        reference="https://github.com/moby/moby/issues/47966",
        host=_cut_off,
    ),
    Rule(
        id="ipv6-routers-ignored",
        severity="high",
        title="The host ignores the routers of IPv6 since it forwards",
        condition="a NIC has a public address of IPv6, forwards, and has accept_ra 1, the host has no default route of "
        "IPv6, and packets had no route",
        explanation="With accept_ra 1 the kernel takes router advertisements only while it does not forward. Docker "
        "with IPv6, Kubernetes and libvirt switch forwarding on, and the default route goes.",
        action="Set accept_ra to 2 on this NIC, or configure the default route; then get an advertisement "
        "(`rdisc6 NIC`, or link down and up).",
        reference="https://github.com/moby/moby/issues/43466",
        host=_no_routers,
    ),
    Rule(
        id="bridge-passes-firewall",
        severity="note",
        title="Packets between guests pass the firewall of their host",
        condition="net.bridge.bridge-nf-call-iptables is 1, and a bridge has guests and a NIC",
        explanation="Docker loads br_netfilter and sets the policy of FORWARD to DROP, so guests on a bridge of the "
        "same host lose their network, although nothing of theirs has changed. Kubernetes needs it to be 1.",
        action="If guests are cut off, set it to 0 (where neither Kubernetes nor a firewall for guests needs it), or "
        "accept what is bridged (`iptables -I FORWARD -m physdev --physdev-is-bridged -j ACCEPT`).",
        reference="https://github.com/seapath/ansible/issues/909",
        host=_filtered,
    ),
    Rule(
        id="bridge-snoops-multicast",
        severity="note",
        title="A bridge that snoops multicast may hide neighbours of IPv6",
        condition="a bridge with a NIC and guests or containers has multicast_snooping 1, and at least 1000 packets "
        "(100 within an interval) waited in vain for a neighbour of IPv6",
        explanation="Questions for a neighbour are multicast, and a bridge that snoops sends them only to ports that "
        "have answered a querier. A guest whose firewall blocks these queries is not found any more.",
        action="If neighbours are found late or not at all, let guests answer MLD queries, or switch snooping off "
        "(`ip link set BRIDGE type bridge mcast_snooping 0`).",
        reference="https://github.com/lxc/incus/issues/3294",
        host=_snoops,
    ),
)
