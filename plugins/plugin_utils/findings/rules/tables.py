# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the kernel that are full: connections, neighbours, fragments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Hit, Rule
from ..view import Host

# A connection that is tracked takes about as many bytes, with its place in the hash table.
_ENTRY = 400
# The part of the memory that the table may take.
_PART = 32


def _conntrack(host: Host) -> Iterator[Hit]:
    used, most = host.count("protocols", "fill", "conntrack_count"), host.count("protocols", "fill", "conntrack_max")
    drops, since = host.protocol("nf_conntrack_drop")
    early, _since = host.protocol("nf_conntrack_early_drop")
    now = host.number("protocols", "interval") and drops + early >= 10
    if not most or not (used >= 0.8 * most or now):
        return
    evidence = {
        "nf_conntrack_count": used,
        "nf_conntrack_max": most,
        **({"dropped": f"{drops} {since}"} if drops else {}),
        **({"thrown out early": f"{early} {since}"} if early else {}),
    }
    memory = host.count("kernel", "memory_kib") * 1024
    room = memory // _PART // _ENTRY if memory else most * 4
    wanted = min(1 << (max(used, most) * 3).bit_length(), room)
    remedy = {"tuning_host_sysctl": {"net.netfilter.nf_conntrack_max": {"at_least": wanted}}} if wanted > most else {}
    full = used >= 0.95 * most or now
    yield Hit(evidence, remedy=remedy, severity="" if full else "medium")


def _neighbours(host: Host) -> Iterator[Hit]:
    for family, table in (("ipv4", "arp_cache"), ("ipv6", "ndisc_cache")):
        entries = host.count("protocols", "fill", f"{table}_entries")
        full, since = host.protocol(f"{table}_table_fulls")
        most = host.whole(f"net.{family}.neigh.default.gc_thresh3")
        now = host.number("protocols", "interval") and full
        if most and (entries >= 0.9 * most or now):
            # Linux collects garbage from the second on, and keeps what is below the first.
            best = 1 << (max(entries, most) * 2).bit_length()
            keys = {f"net.{family}.neigh.default.gc_thresh{place}": best >> (3 - place) for place in (1, 2, 3)}
            remedy = {"tuning_host_sysctl": {key: {"at_least": value} for key, value in keys.items()}}
            evidence = {
                f"neighbours, {family}": entries,
                f"net.{family}.neigh.default.gc_thresh3": most,
                "table full": f"{full} times {since}",
            }
            yield Hit(evidence, remedy=remedy)


def _fragments(host: Host) -> Iterator[Hit]:
    failed, since = host.protocol("IpReasmFails")
    asked, _since = host.protocol("IpReasmReqds")
    if failed < 1000 or failed * 100 < asked:
        return
    evidence: dict[str, Any] = {"fragments that came to nothing": f"{failed} of {asked} {since}"}
    room = host.whole("net.ipv4.ipfrag_high_thresh")
    # Fragments wait for the rest of their packet for some time; the fastest link brings as much within 50 ms.
    wanted = 1 << (host.fastest * 1_000_000 // 8 // 20).bit_length()
    raise_it = 0 < room < wanted
    remedy = {"tuning_host_sysctl": {"net.ipv4.ipfrag_high_thresh": {"at_least": wanted}}} if raise_it else {}
    yield Hit({**evidence, "net.ipv4.ipfrag_high_thresh": room}, remedy=remedy, severity="" if raise_it else "note")


RULES = (
    Rule(
        id="conntrack-full",
        severity="high",
        title="The table of tracked connections is full",
        condition="at least 95 % of nf_conntrack_max are in use, or packets were dropped for it within an interval; "
        "from 80 % on it is medium",
        explanation="A router with NAT or a stateful firewall keeps one entry for each connection. When the table is "
        "full, packets of new connections are dropped, and old ones go on.",
        action="Make the table larger, as far as the memory allows, and its hash table with it (the module parameter "
        "nf_conntrack.hashsize); then see who opens so many, and shorten the timeouts.",
        reference="https://docs.kernel.org/networking/nf_conntrack-sysctl.html",
        host=_conntrack,
        proven=True,
    ),
    Rule(
        id="neighbour-table-full",
        severity="high",
        title="The table of neighbours is full",
        condition="at least 90 % of gc_thresh3 are in use, or the table was full within an interval",
        explanation="Each host of the own subnets takes an entry, and containers do too. Without one nothing can be "
        "sent to a host, so that some of them cannot be reached by turns.",
        action="Raise the three thresholds together; a subnet of its own for part of the hosts helps too.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_neighbours,
        proven=True,
    ),
    Rule(
        id="fragments-lost",
        severity="medium",
        title="Packets in fragments are not put together again",
        condition="at least 1000 packets in fragments, and one in a hundred, came to nothing, and the memory for them "
        "is below what the fastest link brings in 50 ms",
        explanation="One lost fragment loses the whole packet, and those that wait for it take memory. UDP with large "
        "packets suffers, such as NFS, tunnels and DNS.",
        action="Send packets that fit the path, over TCP if possible; then raise the memory.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_fragments,
        proven=True,
    ),
)
