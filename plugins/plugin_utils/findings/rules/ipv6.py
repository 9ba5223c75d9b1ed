# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv6 that is configured, and leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from ....module_utils.tools import unanswered
from ..model import Hit, Rule
from ..view import Host
from .containers import public


def _unanswered(host: Host) -> Iterator[Hit]:
    outside = [row for row in host.rows("addresses") if public(row.text("address")) and row.words("hardware")]
    sent, heard = unanswered.packets(lambda name: host.protocol(name)[0], bool(host.number("protocols", "interval")))
    if sent and outside and host.flag("listeners", "default_route_6"):
        # What is neither ICMP nor UDP may be VRRP or a routing protocol, to which nobody answers.
        asking = host.count("sockets", "unanswered_6")
        evidence = {
            "address": outside[0].text("address"),
            "default route of IPv6": "yes",
            "packets sent by IPv6, but ICMP and UDP": f"{sent} {host.protocol(unanswered.SENT[0])[1]}",
            "received": heard,
            **({"connections that ask again now": asking} if asking else {}),
        }
        yield Hit(evidence, outside[0].text("nic"), severity="" if asking else "note")


RULES = (
    Rule(
        id="ipv6-unanswered",
        severity="medium",
        title="The host tries IPv6 first, and nothing comes back",
        condition="a NIC has a public address of IPv6, there is a default route, and of at least 1000 packets (100 "
        "within an interval) that are neither ICMP nor UDP fewer than one in a hundred came back; a note where no "
        "connection to a public address of IPv6 asks again just now, as VRRP and routing protocols look the same",
        explanation="A router announces IPv6 and does not forward it, or a firewall drops it on the way. Programs try "
        "it before IPv4, and each connection waits until that has failed.",
        action="Mend IPv6 at the router or its provider (`ping -6` and `traceroute -6` tell how far it gets). Until "
        "then prefer IPv4 (`precedence ::ffff:0:0/96 100` in /etc/gai.conf), or switch IPv6 off on this NIC.",
        reference="https://man7.org/linux/man-pages/man5/gai.conf.5.html",
        host=_unanswered,
    ),
)
