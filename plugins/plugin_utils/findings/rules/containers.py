# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of containers and guests: what forwarding, or the lack of it, does to them and to the host itself."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

from ..harm import HOUR, MINUTE, much, seldom
from ..model import Hit, Rule
from ..view import Facts, Host

# Networks of containers that are of no use without forwarding, by the names that Docker, Podman and CNI give them.
_ROUTED = ("docker0", "podman", "cni")

_CALLS, _CALLS_6 = (f"net.bridge.bridge-nf-call-{name}" for name in ("iptables", "ip6tables"))


def _cut_off(host: Host) -> Iterator[Hit]:
    if host.flag("kernel", "forwards_ipv4") is not False:
        return
    refused, since = much(host, "IpInAddrErrors")
    found = next((row for row in host.rows("bridges") if row.text("name").startswith(_ROUTED)), Facts({}))
    # A tunnel alone may end here; who sends packets for others, again and again, takes this host for a router.
    now = bool(host.number("protocols", "interval"))
    # A laptop is a client, and its network has broadcasts of others.
    often = refused and (now or not seldom(host, refused, HOUR)) and host.flag("power", "battery") is not True
    tunnels = vpns(host) if often else []
    # Clients that are cut off ask all the time; what comes less often may be broadcasts of a second network, too, and
    # so may all that is no more than the NICs have received of these.
    heard = sum(nic.counted("rx_broadcast")[0] for nic in host.nics if nic.linked)
    serves = (
        (now or not seldom(host, refused, MINUTE))
        and refused > heard
        and any(_serves(row) for row in host.rows("addresses") if row.text("nic") in tunnels)
    )
    pods = _pods(host)
    if found.count("containers"):
        routed = {"bridge": found.text("name"), "containers": found.count("containers")}
    elif pods:
        routed, serves = {"network of pods": pods}, bool(often) and refused > heard
    elif tunnels:
        routed = {"tunnels": tunnels}
    else:
        return
    files = {
        f"set by {file.text('file')}": value
        for file in host.rows("sysctl_files")
        for key, value in file.texts("sets").items()
        if key in ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding")
    }
    refusals = {"packets for others": f"{refused} {since}"} if refused else {}
    remedy = {"tuning_host_sysctl": {"net.ipv4.ip_forward": 1}}
    evidence = {"net.ipv4.ip_forward": 0, **routed, **files, **refusals}
    if "bridge" not in routed and not serves:
        # Each device may forward on its own, whatever is set for all of them.
        yield Hit(evidence, severity="note")
    else:
        yield Hit(evidence, remedy=remedy, severity="" if refused else "medium")


def _pods(host: Host) -> list[str]:
    """The devices by which the pods of a node of Kubernetes reach each other, where that is no bridge."""
    if host.flag("kernel", "kubernetes") is not True:
        return []
    return sorted({row.text("nic") for row in host.rows("addresses") if row.text("nic") in _NETWORKS})


# Those of Cilium, Calico (VXLAN and IP in IP), flannel, Antrea, OVN-Kubernetes, Kube-OVN and Weave.
_NETWORKS = (
    "cilium_host",
    "vxlan.calico",
    "tunl0",
    "flannel.1",
    "flannel-wg",
    "antrea-gw0",
    "ovn-k8s-mp0",
    "ovn0",
    "weave",
)

# The prefixes of networks of IPv4 that a VPN has for its clients; those between two hosts are longer.
_FOR_MANY = range(8, 30)


def _serves(row: Facts) -> bool:
    """Whether an address is the first of a network of IPv4 for many, as the server of a VPN has it and no client."""
    try:
        own = ip_interface(row.text("address"))
    except ValueError:
        return False
    network = own.network
    return own.version == 4 and network.prefixlen in _FOR_MANY and own.ip == network.network_address + 1


def vpns(host: Host) -> list[str]:
    """The tunnels of VPNs: WireGuard by its kind, and those that a program reads, such as OpenVPN's."""
    kinds = {row.text("nic") for row in host.rows("addresses") if row.text("kind") == "wireguard"}
    return sorted(kinds | {row.text("nic") for row in host.rows("tunnels") if row.text("kind") == "tun"})


def _no_routers(host: Host) -> Iterator[Hit]:
    refused, since = much(host, "Ip6OutNoRoutes")
    if host.flag("listeners", "default_route_6") is not False or not refused:
        return
    deaf = host.words("listeners", "ignores_routers")
    for nic in deaf:
        addresses = [row.text("address") for row in host.rows("addresses") if row.text("nic") == nic]
        reachable = [address for address in addresses if public(address)]
        if reachable and any(row.text("nic") == nic and row.words("hardware") for row in host.rows("addresses")):
            key = f"net.ipv6.conf.{nic.replace('.', '/')}.accept_ra"
            evidence = {
                "forwarding of IPv6": "on",
                key: 1,
                "address": reachable[0],
                "default route of IPv6": "none",
                "packets without a route": f"{refused} {since}",
            }
            yield Hit(evidence, nic, remedy={"tuning_host_sysctl": {key: 2}})


def public(address: str) -> bool:
    """Whether an address of IPv6 is one by which the host can be reached from elsewhere."""
    try:
        found = ip_interface(address)
    except ValueError:
        return False
    # 2000::/3 is what can be reached from elsewhere.
    return found.version == 6 and int(found.ip) >> 125 == 1


def _filtered(host: Host) -> Iterator[Hit]:
    on = {key: 1 for key in (_CALLS, _CALLS_6) if host.whole(key) == 1}
    if not on:
        return
    # Nothing counts what a firewall drops but the trace of an interval, and that only for the host as a whole.
    dropped = host.count("drops", "NETFILTER_DROP")
    harm = dropped >= _REFUSED and any(row.text("name").startswith(_ROUTED) for row in host.rows("bridges"))
    told = {"dropped by the firewall": f"{dropped} in {host.interval:g} s"} if harm else {}
    for row in host.rows("bridges"):
        if row.count("guests") and row.count("nics"):
            evidence = {**on, "bridge": row.text("name"), "guests": row.count("guests"), **told}
            kept = Facts(row.at("dropped_by"))
            programs = [key.rpartition("-")[2] for key in on]
            lost = {program: kept.count(program) for program in programs if kept.count(program)}
            evidence.update({f"dropped by FORWARD of {name}": f"{count} packets" for name, count in lost.items()})
            keys = {f"net.bridge.bridge-nf-call-{program}": 0 for program in lost}
            # A node of Kubernetes needs it.
            free = keys and host.flag("kernel", "kubernetes") is not True
            remedy = {"tuning_host_sysctl": keys} if free else {}
            yield Hit(evidence, remedy=remedy, severity="high" if lost else "low" if harm else "")


# More within some seconds than a scan of ports from outside.
_REFUSED = 1000


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


# BR_MAX_PORTS of net/bridge/br_private.h is 1024, and the first number is no port.
_PORTS = 1023


def _full(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        kinds = {kind: row.count(kind) for kind in ("containers", "guests", "nics", "others") if row.count(kind)}
        if sum(kinds.values()) * 100 >= _PORTS * 95:
            full = sum(kinds.values()) >= _PORTS
            evidence = {"bridge": row.text("name"), "ports": kinds, "ports at most": _PORTS}
            yield Hit(evidence, severity="" if full else "low")


def _hidden(host: Host) -> Iterator[Hit]:
    for row in host.rows("overlaps"):
        wire = row.text("around")
        how, other = ("has in it", wire) if wire else ("a part of", row.text("inside"))
        evidence = {
            "bridge": row.text("nic"),
            "its network": row.text("network"),
            how: f"{other} by {row.text('by')}",
        }
        # The host itself is in it, and the address of its router may be that of the bridge.
        out = {way.text("nic") for way in host.rows("default_routes")}
        yield Hit(evidence, row.text("nic"), severity="medium" if wire and row.text("by") in out else "")


# Bridges of pods, by the names that flannel and kubenet give them.
_PODS = ("cni0", "cbr0")


def _unfiltered(host: Host) -> Iterator[Hit]:
    # A key that is not there may merely not be readable.
    if host.sysctl(_CALLS) != "0" or not host.forwards or host.flag("kernel", "kubernetes") is not True:
        return
    for row in host.rows("bridges"):
        # With one pod alone nothing passes between two of them.
        if row.text("name") in _PODS and row.count("containers") >= 2:
            evidence = {_CALLS: "0", "bridge": row.text("name"), "containers": row.count("containers")}
            yield Hit(evidence, remedy={"tuning_host_sysctl": {_CALLS: 1}})


RULES = (
    Rule(
        id="forwarding-off-for-containers",
        severity="high",
        title="Containers or clients of a VPN are cut off, because the host does not forward",
        condition="net.ipv4.ip_forward is 0, at least 1000 packets (100 within an interval) were for others, and there "
        "are containers on a bridge of Docker, Podman or CNI; or these packets are more than the broadcasts that its "
        "NICs have received, and come at least once an hour to a node of Kubernetes with a network of pods, or at "
        "least once a minute to the first address of a tunnel's network for many hosts, of WireGuard or a program. A "
        "note where they are fewer or come seldom, or to another address of a tunnel, as clients have it; for "
        "containers it is medium without those packets, and none of a tunnel's with a battery",
        explanation="Docker and its like switch forwarding on when they start, and a file of sysctl.d, often of a "
        "guide for security, or `sysctl -p` switches it off again; the server of a VPN and nodes of Kubernetes need it "
        "from the start. Their packets are then discarded.",
        action="Set net.ipv4.ip_forward to 1 on hosts of containers, nodes of Kubernetes and servers of a VPN, and "
        "take the other value out of the files.",
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
        condition="net.bridge.bridge-nf-call-iptables or -ip6tables is 1, and a bridge has guests and a NIC; high "
        "where the chain FORWARD drops what comes by this bridge and leaves by it, whatever it is, and has dropped "
        "something, and low where the firewall dropped at least 1000 packets within an interval, and Docker or its "
        "like has a bridge of its own",
        explanation="Docker loads br_netfilter and sets the policy of FORWARD to DROP, that of ip6tables as well from "
        "Docker 27 on, so guests on a bridge of the same host lose their network, or IPv6 alone. Kubernetes needs 1.",
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
        "(100 within an interval) waited for a neighbour of IPv6 that did not answer",
        explanation="Questions for a neighbour are multicast, and a bridge that snoops sends them only to ports that "
        "have answered a querier. A guest whose firewall blocks these queries is not found any more.",
        action="If neighbours are found late or not at all, let guests answer MLD queries, or switch snooping off "
        "(`ip link set BRIDGE type bridge mcast_snooping 0`).",
        reference="https://github.com/lxc/incus/issues/3294",
        host=_snoops,
    ),
    Rule(
        id="bridge-full",
        severity="high",
        title="A bridge has all the ports that it can have",
        condition="a bridge has 1023 ports; low from 95 % of that on",
        explanation="A bridge of Linux has 1023 ports at most, and no parameter changes that. The next container or "
        "guest does not start (`exchange full`).",
        action="Remove interfaces whose containers are gone (`ip link show master BRIDGE`), and spread the others over "
        "several bridges or hosts.",
        reference="https://github.com/moby/moby/issues/44973",
        host=_full,
    ),
    Rule(
        id="bridge-avoids-firewall",
        severity="medium",
        title="Pods on one node do not reach each other by the address of a service",
        condition="a bridge of pods (cni0 or cbr0) has two or more, the host forwards and belongs to "
        "Kubernetes, and net.bridge.bridge-nf-call-iptables is 0",
        explanation="kube-proxy changes the address of a service into that of a pod with rules of the firewall, and "
        "answers between two ports of a bridge do not pass these. DNS and other services fail on nodes where client "
        "and server are neighbours, and work elsewhere.",
        action="Load br_netfilter at boot (/etc/modules-load.d), and set net.bridge.bridge-nf-call-iptables to 1, as "
        "kubeadm requires it.",
        reference="https://github.com/kelseyhightower/kubernetes-the-hard-way/issues/561",
        host=_unfiltered,
    ),
    Rule(
        id="container-network-hides",
        severity="note",
        title="The network of containers hides a part of another network",
        condition="the network of a bridge of Docker, Podman or CNI lies within one to which the host has a route by "
        "another NIC, such as that of a VPN; a route for more than a /8 does not count, such as those by which a VPN "
        "takes all packets; or such a network of another NIC lies within that of the bridge, which is medium where a "
        "default route leaves by that NIC",
        explanation="Docker takes networks of 172.16.0.0/12 and 192.168.0.0/16 that look free when it is asked. The "
        "more exact route wins, so that packets for servers with these addresses go to the bridge and are lost.",
        action="If these servers are needed, give Docker other networks (`default-address-pools` and `bip` in "
        "/etc/docker/daemon.json, `subnet` in a Compose file), and make the networks anew.",
        reference="https://github.com/moby/moby/issues/37823",
        host=_hidden,
    ),
)
