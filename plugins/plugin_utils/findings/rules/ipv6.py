# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv6 that is configured, and leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import enough, much
from ..model import Hit, Rule
from ..view import Host
from .containers import public

# All packets, and those of ICMP and UDP among them; the rest is mostly TCP, which the kernel does not count by family.
_SENT = ("Ip6OutRequests", "Icmp6OutMsgs", "Udp6OutDatagrams")
_HEARD = ("Ip6InDelivers", "Icmp6InMsgs", "Udp6InDatagrams", "Udp6NoPorts")


def _rest(host: Host, every: str, *others: str) -> int:
    return max(0, host.protocol(every)[0] - sum(host.protocol(name)[0] for name in others))


def _unanswered(host: Host) -> Iterator[Hit]:
    sent, since = enough(host, _rest(host, *_SENT), host.protocol(_SENT[0])[1])
    heard = _rest(host, *_HEARD)
    outside = [row for row in host.rows("addresses") if public(row.text("address")) and row.words("hardware")]
    # The kernel counts a datagram of multicast for each socket that gets it, and then nothing is left for TCP.
    copies = sum(host.protocol(name)[0] for name in _HEARD[1:3]) > host.protocol(_HEARD[0])[0]
    if sent and heard * 100 < sent and outside and host.flag("listeners", "default_route_6") and not copies:
        # What is neither ICMP nor UDP may be VRRP or a routing protocol, to which nobody answers.
        again, _since = much(host, "TcpExtTCPSynRetrans")
        evidence = {
            "address": outside[0].text("address"),
            "default route of IPv6": "yes",
            "packets sent by IPv6, but ICMP and UDP": f"{sent} {since}",
            "received": heard,
            **({"SYN sent again": again} if again else {}),
        }
        yield Hit(evidence, outside[0].text("nic"), severity="" if again * 10 >= sent else "note")


RULES = (
    Rule(
        id="ipv6-unanswered",
        severity="medium",
        title="The host tries IPv6 first, and nothing comes back",
        condition="a NIC has a public address of IPv6, there is a default route, and of at least 1000 packets (100 "
        "within an interval) that are neither ICMP nor UDP fewer than one in a hundred came back, while TCP sent "
        "SYN again, one for ten of these packets; a note without them, as VRRP and routing protocols look the same",
        explanation="A router announces IPv6 and does not forward it, or a firewall drops it on the way. Programs try "
        "it before IPv4, and each connection waits until that has failed.",
        action="Mend IPv6 at the router or its provider (`ping -6` and `traceroute -6` tell how far it gets). Until "
        "then prefer IPv4 (`precedence ::ffff:0:0/96 100` in /etc/gai.conf), or switch IPv6 off on this NIC.",
        reference="https://man7.org/linux/man-pages/man5/gai.conf.5.html",
        host=_unanswered,
    ),
)
