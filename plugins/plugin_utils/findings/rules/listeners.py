# SPDX-License-Identifier: GPL-3.0-or-later
"""Who listens beside TCP and UDP: programs for routes, and for packets, and receivers of multicast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Hit, Rule
from ..view import Facts, Host

_MOST = "net.ipv4.igmp_max_memberships"

# What a program misses at its start, while all routes come at once, it reads again.
_MISSED = 100


def _overrun(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("listeners", "netlink") if row.count("missed") >= _MISSED]
    if rows:
        told = {
            f"missed by {row.text('program') or 'process'} {row.count('pid')}": f"{row.count('missed')} messages"
            for row in rows
        }
        router = any(row.text("program") in _ROUTING for row in rows)
        yield Hit(told, severity="" if router else "note")


# Programs that carry routes between the kernel and their neighbours.
_ROUTING = ("zebra", "bird", "bird6", "frr", "keepalived", "ospfd", "bgpd", "quagga", "gobgpd", "babeld")


# Of the 1024 packets that may wait in a queue; as many tell that it is full at the moment.
_LONG = 512


def _queues(host: Host) -> Iterator[Hit]:
    found, stands = {}, False
    for row in host.rows("listeners", "packet_queues"):
        lost = row.count("full") + row.count("missed")
        # The kernel counts what it gave in 32 bits, so the share of it may be smaller than it seems.
        if lost >= _MISSED * 10 and lost * 1000 >= row.count("given"):
            who = f" of {row.text('program')}" if row.text("program") else ""
            stands = stands or row.count("waiting") >= _LONG
            found[f"queue {row.count('queue')}{who}"] = (
                f"{row.count('full')} dropped because it was full, {row.count('missed')} because its socket was, of "
                f"{row.count('given')} packets"
            )
    if found:
        yield Hit(found, severity="" if stands else "note")


def _memberships(host: Host) -> Iterator[Hit]:
    most = host.whole(_MOST)
    for nic in sorted(name for name in Facts(host.at("listeners", "groups")).raw if isinstance(name, str)):
        groups = host.count("listeners", "groups", nic)
        # 224.0.0.1 is not requested by any socket.
        if most and groups - 1 >= most:
            evidence = {"groups": groups, _MOST: most}
            yield Hit(evidence, nic, remedy=_more(groups))
    # One socket, such as that of mDNS, has joined a group at one NIC after the other until it might join no more.
    own = sorted({row.text("nic") for row in host.rows("addresses") if "." in row.text("address")})
    joined = [nic for nic in own if host.count("listeners", "groups", nic) > 1]
    if most and len(joined) == most < len(own):
        left = [nic for nic in own if nic not in joined]
        shown = {"NICs in a group": most, "NICs in none": ", ".join(left), _MOST: most}
        yield Hit(shown, remedy=_more(len(own)))


def _more(groups: int) -> dict[str, Any]:
    return {"tuning_host_sysctl": {_MOST: {"at_least": 1 << (groups * 4).bit_length()}}}


RULES = (
    Rule(
        id="netlink-overruns",
        severity="medium",
        title="A program misses what the kernel tells of routes and links",
        condition="the netlink sockets of a program for routing have missed at least 100 messages; of another program "
        "it is a note",
        explanation="The kernel tells of each route, address and neighbour by a message, and drops what a program "
        "does not read in time. Its view of the routes is then wrong, or it exits (`recvmsg overrun`).",
        action="Give the program a larger buffer for netlink (`--nl-bufsize` or `-s` of zebra, `netlink rx buffer` of "
        "BIRD), and let it listen to fewer kinds of messages.",
        reference="https://github.com/FRRouting/frr/issues/7883",
        host=_overrun,
        proven=True,
    ),
    Rule(
        id="packet-queue-full",
        severity="medium",
        title="A program that decides about packets is too slow for them",
        condition="queues of NFQUEUE have dropped at least 1000 packets since their program began, and one in a "
        "thousand, because they were full or the socket of the program was; a note where fewer than "
        "512 packets wait now",
        explanation="Rules of the firewall hand packets to a program, such as Suricata, Snort or ntopng, and wait for "
        "its answer. Only 1024 may wait unless it asks for more, and all others are dropped, whatever they belong to.",
        action="Spread the packets over several queues with a thread each (`--queue-balance 0:3` of iptables, `queue "
        "num 0-3 fanout` of nft), let the program ask for longer queues and a larger socket buffer, and let what does "
        "not fit pass if that is allowed (`fail-open` of Suricata); send it only what it has to see, such as the first "
        "packets of a connection.",
        reference="https://github.com/ntop/ntopng/issues/822",
        host=_queues,
        proven=True,
    ),
    Rule(
        id="multicast-memberships",
        severity="note",
        title="As many multicast groups have been joined as one socket may join",
        condition="a NIC is in at least net.ipv4.igmp_max_memberships groups, beside that of all hosts, or just "
        "as many NICs with an address are in a group as that limit says, and others are in none",
        explanation="Each socket may join so many groups, and the next one fails with `No buffer space available`. "
        "Proxies of IGMP, receivers of streams and mDNS on many links meet that limit.",
        action="Raise the limit if a program complains.",
        reference="https://github.com/pali/igmpproxy/issues/30",
        host=_memberships,
    ),
)
