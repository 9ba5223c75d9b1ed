# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the kernel that are full: connections, neighbours, fragments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import DAY, HOUR, much, seldom, too_large
from ..model import Hit, Rule
from ..view import Facts, Host
from .clamps import LOWER, unclamped

# A connection that is tracked takes about as many bytes, with its place in the hash table.
_ENTRY = 400
# The part of the memory that the table may take.
_PART = 32


def _conntrack(host: Host) -> Iterator[Hit]:
    used, most = host.count("protocols", "fill", "conntrack_count"), host.count("protocols", "fill", "conntrack_max")
    drops, since = host.protocol("nf_conntrack_drop")
    early, _since = host.protocol("nf_conntrack_early_drop")
    now = host.number("protocols", "interval") and drops + early >= 10
    memory = host.count("kernel", "memory_kib") * 1024
    room = memory // _PART // _ENTRY if memory else most * 4
    # A table that somebody has made tiny says nothing of the need; a quarter of the room is about the kernel's own.
    own = 1 << max(0, (room // 4).bit_length() - 1)
    earlier = bool(memory) and most * 2 <= own and _was_full(host, drops, early)
    if not most or not (used >= 0.8 * most or now or earlier):
        return
    evidence = {
        "nf_conntrack_count": used,
        "nf_conntrack_max": most,
        **({"dropped": f"{drops} {since}"} if drops else {}),
        **({"thrown out early": f"{early} {since}"} if early else {}),
    }
    desired = min(max(own, 1 << (max(used, most) * 3).bit_length()), room)
    remedy = {"tuning_host_sysctl": {"net.netfilter.nf_conntrack_max": {"at_least": desired}}} if desired > most else {}
    full = used >= 0.95 * most or now
    bridges = [row.text("name") for row in host.rows("bridges") if row.count("guests") and row.count("nics")]
    passing = host.whole(_CALLS) == 1 and bridges and not host.forwards
    if passing:
        evidence.update({_CALLS: 1, "bridge of guests": bridges[0]})
    action = _GUESTS if passing else "" if used >= 0.8 * most or now else _EARLIER.format(own)
    closing = host.whole(_CLOSING)
    if closing > _CLOSED:
        evidence[_CLOSING] = closing
        action = action or _KEPT
    idle = host.whole(_IDLE)
    if idle > DAY:
        evidence[_IDLE] = idle
        action = action or _FORGOTTEN.format(idle // DAY)
    yield Hit(evidence, remedy=remedy, action=action, severity="" if full else "medium")


def _was_full(host: Host, drops: int, early: int) -> bool:
    """Whether packets were dropped since the boot for want of an entry; the kernel counts lost races there as well."""
    lost = drops - host.protocol("nf_conntrack_insert_failed")[0]
    return not host.number("protocols", "interval") and early > 0 and lost >= 1000 and not seldom(host, lost, HOUR)


_EARLIER = (
    "It has room now, but was full at some time since the boot (`journalctl -k | grep 'table full'` tells when), and "
    "is far smaller than the memory of this host allows, for which the kernel itself takes some {0}: make it larger, "
    "unless that has been done since, and see in the log who opened so many connections then."
)
_CALLS = "net.bridge.bridge-nf-call-iptables"
# Seconds that a connection is kept whose one end is closed, and the kernel's own for that.
_CLOSING, _CLOSED = "net.netfilter.nf_conntrack_tcp_timeout_close_wait", 60
_KEPT = (
    f"Connections of which one end is closed stay too long: set {_CLOSING} to 60 again (kube-proxy sets an hour at its "
    "start, `conntrack.tcpCloseWaitTimeout` of its configuration), or close the other end. Until then make the table "
    "larger, and its hash table with it (the module parameter nf_conntrack.hashsize)."
)
# Seconds that a connection is kept of which nothing is heard; RFC 5382 asks every NAT for 7440.
_IDLE = "net.netfilter.nf_conntrack_tcp_timeout_established"
_FORGOTTEN = (
    "Make the table larger, as far as the memory allows, and its hash table with it (the module parameter "
    "nf_conntrack.hashsize). Connections whose ends have gone without a word (containers, guests, phones) stay for {0} "
    f"days: if most are such (`conntrack -L`), lower {_IDLE}, to 86400 as kube-proxy does, or to 7440 and more where "
    "the ends use keepalive."
)
_GUESTS = (
    f"The connections are mostly those of guests, whose bridged packets pass the host's firewall: set {_CALLS} to 0, "
    "where no firewall for guests needs it (that of Proxmox does; then let its rules not track them). Until then make "
    "the table larger, and its hash table with it."
)


def _neighbours(host: Host) -> Iterator[Hit]:
    for family, table in (("ipv4", "arp_cache"), ("ipv6", "ndisc_cache")):
        entries = host.count("protocols", "fill", f"{table}_entries")
        full, since = host.protocol(f"{table}_table_fulls")
        most = host.whole(f"net.{family}.neigh.default.gc_thresh3")
        now = (entries >= 0.9 * most) or (host.number("protocols", "interval") and full)
        # A higher limit may have been set since.
        before = most <= _USUAL and full >= 1000 and not seldom(host, full, HOUR)
        if most and (now or before):
            # Linux collects garbage from the second on, and keeps what is below the first.
            best = 1 << (max(entries, most) * 2).bit_length()
            keys = {f"net.{family}.neigh.default.gc_thresh{number}": best >> (3 - number) for number in (1, 2, 3)}
            remedy = {"tuning_host_sysctl": {key: {"at_least": value} for key, value in keys.items()}}
            evidence = {
                f"neighbours, {family}": entries,
                f"net.{family}.neigh.default.gc_thresh3": most,
                "table full": f"{full} times {since}",
            }
            yield Hit(evidence, remedy=remedy, severity="" if now else "medium")


# gc_thresh3 as it is where nobody has set it.
_USUAL = 1024


# From this release on the kernel counts routes of IPv6 no more (af6d10345ca7).
_UNCOUNTED = (6, 3)


def _routes_6(host: Host) -> Iterator[Hit]:
    used, most = host.count("protocols", "fill", "routes_6"), host.whole("net.ipv6.route.max_size")
    refused, since = host.protocol("Ip6OutNoRoutes")
    if not 0 < most < 1 << 31 or used < 0.9 * most or not (0, 0) < host.release < _UNCOUNTED:
        return
    desired = 1 << (max(used, most) * 4).bit_length()
    evidence = {
        "routes of IPv6, those to single hosts included": used,
        "net.ipv6.route.max_size": most,
        "packets without a route": f"{refused} {since}",
    }
    yield Hit(evidence, remedy={"tuning_host_sysctl": {"net.ipv6.route.max_size": {"at_least": desired}}})


# The part of the memory that fragments may have.
_OF_MEMORY = 64


def _fragments(host: Host) -> Iterator[Hit]:
    failed, since = host.protocol("IpReasmFails")
    whole, _since = host.protocol("IpReasmOKs")
    late, _since = host.protocol("IpReasmTimeout")
    room, held = host.whole("net.ipv4.ipfrag_high_thresh"), host.count("protocols", "fill", "frag_memory")
    full = 0 < 0.9 * room <= held
    # Of what timed out the rest was lost on its way, and more memory would not have brought it.
    refused = failed - late >= max(1000, failed / 10)
    # A packet has many fragments, so the number of all that came says little of how many packets were lost.
    if failed < 1000 or not (failed * 100 >= failed + whole or (full and refused)):
        return
    if not host.number("protocols", "interval") and seldom(host, failed, HOUR):
        return
    evidence: dict[str, Any] = {
        "fragments that came to nothing": f"{failed} beside {whole} packets put together {since}",
        **({"timed out waiting for the rest": late} if late else {}),
        "net.ipv4.ipfrag_high_thresh": room,
        **({"in use of it": held} if held else {}),
    }
    # Fragments wait for the rest of their packet for some time; the fastest link brings as much within 50 ms.
    desired = 1 << (host.fastest * 1_000_000 // 8 // 20).bit_length()
    # Anybody may fill it, so it must not be much of the memory of the host.
    most = host.count("kernel", "memory_kib") * 1024 // _OF_MEMORY
    desired = min(desired, 1 << most.bit_length() - 1) if most > 0 else desired
    raise_it = 0 < room < desired and refused
    remedy = {"tuning_host_sysctl": {"net.ipv4.ipfrag_high_thresh": {"at_least": desired}}} if raise_it else {}
    stale = full and late * 10 >= failed
    yield Hit(evidence, remedy=remedy, action=_STALE if stale else "", severity="" if raise_it or full else "note")


_STALE = (
    "The memory is full of fragments whose rest does not come, each for net.ipv4.ipfrag_time seconds: lower that to "
    "what the path takes, such as 3 in a network of one's own (the documentation of ROS 2 has it for Wi-Fi), give them "
    "more memory, and find where fragments are lost; smaller datagrams end it."
)


def _races(host: Host) -> Iterator[Hit]:
    failed, since = host.protocol("nf_conntrack_insert_failed")
    sent = host.protocol("UdpOutDatagrams")[0] + host.protocol("IpForwDatagrams")[0]
    now = host.number("protocols", "interval")
    if failed >= (10 if now else 1000):
        harm = now or failed * 10_000 > sent
        yield Hit({"connections that could not be entered": f"{failed} {since}"}, severity="" if harm else "note")


def _too_large(host: Host) -> Iterator[Hit]:
    """What a container, a guest or a client sends through this host, larger than the way out takes."""
    both = {"packets too large to forward": too_large(host), "the same over IPv6": _too_large_6(host)}
    refused = {name: told for name, told in both.items() if told}
    if refused:
        line = unclamped(host)
        action = LOWER.format(line.text("nic")) if line else ""
        yield Hit({**refused, **_mtus(host)}, action=_PODS if host.flag("kernel", "kubernetes") is True else action)


def _too_large_6(host: Host) -> str:
    """The same of IPv6, where containers are behind it: clients of a router learn it by its advertisements."""
    count, since = much(host, "Ip6InTooBigErrors")
    sent, _since = host.protocol("Ip6OutForwDatagrams")
    inside = host.flag("kernel", "kubernetes") is True or any(map(_inner, host.rows("addresses")))
    forwards = host.flag("kernel", "forwards_ipv6") is True
    return f"{count} beside {sent} {since}" if forwards and inside and count * 10_000 > sent else ""


def _mtus(host: Host) -> dict[str, int]:
    rows = [*host.rows("addresses"), *host.rows("tunnels")]
    return {f"mtu of {row.text('nic')}": row.count("mtu") for row in rows if row.count("mtu")}


_PODS = (
    "Give pods the smallest MTU that they are forwarded by, which is that of the tunnel between nodes (`veth_mtu` of "
    "Calico, `MTU` of Cilium, `POD_MTU` of the CNI of Amazon), and start them anew; then see that no policy drops the "
    "ICMP messages that tell them of it."
)


def _inner(row: Facts) -> bool:
    return not row.words("hardware") and row.text("nic").startswith(_NETWORKS)


def _containers(host: Host) -> Iterator[Hit]:
    """A bridge without hardware whose MTU is above that of each way out."""
    ways = [nic.count("mtu") for nic in host.nics if nic.linked and not nic.text("master")]
    if not host.forwards or not ways or max(ways) >= 1500:
        return
    refused, since = much(host, "IpFragFails")
    # Where they are many, the other finding tells of them.
    told = host.number("protocols", "interval") or not seldom(host, refused, HOUR)
    felt = bool(refused and told) and not too_large(host)
    for row in host.rows("addresses"):
        name = row.text("nic")
        if _inner(row) and row.count("mtu") > max(ways):
            evidence: dict[str, Any] = {f"mtu of {name}": row.count("mtu"), "largest mtu of the ways out": max(ways)}
            evidence.update({"packets too large to forward": f"{refused} {since}"} if felt else {})
            yield Hit(evidence, name, severity="low" if felt else "")


# Bridges of containers and of libvirt, by the names that these give them.
_NETWORKS = ("docker", "br-", "cni", "podman", "virbr", "lxcbr", "lxdbr")


RULES = (
    Rule(
        id="conntrack-full",
        severity="high",
        title="The table of tracked connections is full",
        condition="at least 95 % of nf_conntrack_max are in use, or packets were dropped for it within an interval; "
        "from 80 % on it is medium, and where at least 1000, and one an hour of uptime, were dropped since the boot by "
        "a table of at most half of the kernel's own size",
        explanation="A router with NAT or a stateful firewall keeps one entry for each connection. When the table is "
        "full, packets of new connections are dropped, while old connections continue.",
        action="Make the table larger, as far as the memory allows, and its hash table with it (the module parameter "
        "nf_conntrack.hashsize); then find out who opens so many, and shorten the timeouts.",
        reference="https://docs.kernel.org/networking/nf_conntrack-sysctl.html",
        host=_conntrack,
        proven=True,
    ),
    Rule(
        id="conntrack-races",
        severity="medium",
        title="New connections are dropped because two packets race for one entry",
        condition="at least 10 entries could not be made in the table of tracked connections within an interval, or "
        "1000 and one for 10000 packets since the boot; fewer are a note",
        explanation="Two packets of one UDP socket reach the table at once, and NAT gives both the same tuple; the "
        "second is dropped. A resolver that asks for A and AAAA together waits five seconds for each.",
        action="Run a resolver on the host itself (such as NodeLocal DNSCache), `options single-request-reopen` in "
        "resolv.conf, and `--random-fully` in rules of SNAT.",
        reference="https://github.com/kubernetes/kubernetes/issues/56903",
        host=_races,
    ),
    Rule(
        id="too-large-to-forward",
        severity="medium",
        title="Packets are too large for the outgoing link",
        condition="the host forwards, and at least 1000 packets (100 within an interval), and one in 10000, were "
        "larger than the outgoing link allows and must not be fragmented; of IPv6 only where containers are behind it",
        explanation="Each costs a message to the sender, and a hanging connection if that is filtered. The usual "
        "cause is a network of containers or guests with a larger MTU than the uplink.",
        action="Give the inner network the MTU of the outgoing link (`mtu` in daemon.json of Docker, and with each "
        "network), or let the host lower the MSS (`TCPMSS --clamp-mss-to-pmtu`).",
        reference="https://github.com/moby/moby/issues/22297",
        host=_too_large,
        proven=True,
    ),
    Rule(
        id="inner-mtu-above-uplink",
        severity="note",
        title="The network of containers or guests has a larger MTU than the outgoing link",
        condition="the host forwards, all its links have an MTU below 1500, and a bridge of containers is above them; "
        "low where at least 1000 packets (100 within an interval), and one an hour, were too large to forward, but "
        "not one in 10000",
        explanation="TCP behind it asks its peers for segments that do not fit. That works as long as all ICMP "
        "messages about packet sizes arrive, and hangs where one is filtered.",
        action="Give the inner network the MTU of the outgoing link (`mtu` in daemon.json of Docker, and with each "
        "network).",
        reference="https://github.com/moby/moby/issues/22028",
        host=_containers,
    ),
    Rule(
        id="neighbour-table-full",
        severity="high",
        title="The neighbour table is full",
        condition="at least 90 % of gc_thresh3 are in use, or the table was full within an interval; medium where it "
        "was full 1000 times since the boot, and once an hour, and gc_thresh3 is not above its usual 1024",
        explanation="Each host of the connected subnets takes an entry, and so do containers. Without an entry "
        "nothing can be sent to a host, so that now these and now those are unreachable.",
        action="Raise the three thresholds together; a separate subnet for some of the hosts helps too.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_neighbours,
        proven=True,
    ),
    Rule(
        id="ipv6-routes-full",
        severity="high",
        title="The table of IPv6 routes is nearly full",
        condition="at least 90 % of net.ipv6.route.max_size are in use, on a kernel before Linux 6.3; later ones count "
        "none",
        explanation="Each destination takes an entry for some time, in addition to the configured routes. When the "
        "table is full, IPv6 packets have no route and neighbours are forgotten, while the routes look right.",
        action="Raise the limit, or use Linux 6.3 or later.",
        reference="https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=af6d10345ca7",
        host=_routes_6,
    ),
    Rule(
        id="fragments-lost",
        severity="medium",
        title="Fragmented packets are not reassembled",
        condition="at least 1000 packets in fragments, one an hour of uptime and one in a hundred (or fewer, while the "
        "memory for them is full and at least one in ten did not merely time out waiting for the rest), came to "
        "nothing, and nine tenths of the memory for them are in use, or it is below what the fastest link brings in 50 "
        "ms and at least 1000, and one in ten, did not merely time out waiting for the rest; else a note",
        explanation="One lost fragment loses the whole packet, and the fragments that wait for it use memory. UDP "
        "with large packets suffers, such as NFS, tunnels and DNS.",
        action="Send packets that fit the path, over TCP if possible; then raise the memory.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_fragments,
        proven=True,
    ),
)
