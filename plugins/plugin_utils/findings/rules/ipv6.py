# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv6 that is configured, and leads nowhere, or may not be used."""

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


def _refused(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("listeners", "refused_6") if row.text("address")]
    for nic in dict.fromkeys(row.text("nic") for row in rows):
        own = [row.text("address") for row in rows if row.text("nic") == nic]
        # One of the link alone, such as fe80::, comes back from a loop or a switch that echoes.
        local = [address for address in own if address.startswith("fe80:")]
        evidence = {"addresses": own[:_LISTED], "flags": "dadfailed"}
        # Bridges of containers send back what comes from them (hairpin), and nobody misses that address.
        severity = "note" if len(local) == len(own) else ""
        yield Hit(evidence, nic, action=_ECHO if local else "", severity=severity)


_LISTED = 5


_ECHO = (
    "The address of the link, which is made from the MAC, was answered for as well: either the MAC is there twice, as "
    "of a guest that was copied, or what the host sends comes back to it, by a loop, two ports without a bond, or "
    "uplinks of a hypervisor that do not know of each other. Mend that, then take the link down and up."
)


RULES = (
    Rule(
        id="ipv6-address-refused",
        severity="high",
        title="An address of IPv6 is not used, because it was found to be taken",
        condition="the kernel has marked an address of IPv6 dadfailed; a note where that is the address of the link "
        "only",
        explanation="Before it uses an address of IPv6, a host asks its neighbours for it (DAD). If anybody answers, "
        "or the question itself comes back, the address stays on the NIC and is never used.",
        action="Find who has it (`ip -6 neigh` and the log of the switch tell its MAC) and give one of the two another "
        "address, then take it off and add it again (`ip address del`, `add`); if nobody has it, look for a loop.",
        reference="https://www.rfc-editor.org/rfc/rfc7527",
        host=_refused,
    ),
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
