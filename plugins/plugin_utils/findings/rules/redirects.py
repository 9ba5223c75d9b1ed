# SPDX-License-Identifier: GPL-3.0-or-later
"""Routers that tell hosts to go past them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_interface

from ..harm import HOUR, much, seldom
from ..model import Hit, Rule
from ..view import Host

_ALL = "net.ipv4.conf.all.send_redirects"


def _sends(host: Host) -> Iterator[Hit]:
    sent, since = much(host, "IcmpOutRedirects")
    now = host.number("protocols", "interval")
    if not sent or not host.forwards or (not now and seldom(host, sent, HOUR)):
        return
    several = _several(host)
    strange, _since = host.protocol("nf_conntrack_invalid")
    taken, _since = host.protocol("IpInReceives")
    # Hosts that obey send one half of a connection past the router, which cannot follow the other one.
    harm = bool(several) and strange >= (100 if now else 1000) and strange * 100 >= taken
    evidence = {
        "redirects sent": f"{sent} {since}",
        **{f"subnets of {nic}": networks for nic, networks in several.items()},
        **({"packets of no valid state": f"{strange} of {taken} {since}"} if harm else {}),
    }
    # The kernel sends them if either of the two says so.
    keys = [f"net.ipv4.conf.{nic}.send_redirects" for nic in several if re.fullmatch(r"[\w-]+", nic)]
    mends = {"tuning_host_sysctl": dict.fromkeys((_ALL, *keys), 0)}
    remedy = mends if keys and host.sysctl(_ALL) != "0" else {}
    yield Hit(evidence, remedy=remedy, mends=mends, severity="low" if harm else "")


def _several(host: Host) -> dict[str, list[str]]:
    """By device its subnets of IPv4, where it has two or more."""
    found: dict[str, list[str]] = {}
    for row in host.rows("addresses"):
        try:
            network = ip_interface(row.text("address")).network
        except ValueError:
            continue
        networks = found.setdefault(row.text("nic"), [])
        if network.version == 4 and network.num_addresses > 1 and str(network) not in networks:
            networks.append(str(network))
    return {nic: networks for nic, networks in found.items() if len(networks) > 1}


RULES = (
    Rule(
        id="router-sends-redirects",
        severity="note",
        title="The router tells hosts to go past it",
        condition="a host that forwards has sent at least 1000 redirects of ICMP (100 within an interval), and one an "
        "hour of uptime; low where a device has two subnets of IPv4, and one packet in a hundred has no valid state",
        explanation="Packets leave by the device that they came from, as between two subnets on one wire, and the "
        "router tells the sender of a shorter way. Whoever obeys goes past it, so that firewall and offload see half "
        "of each connection and take the rest for invalid, and packets pass by the slow path meanwhile.",
        action="Give each subnet a VLAN of its own; or set send_redirects to 0 for `all` and for the device, for the "
        "kernel sends them if either says so.",
        reference="https://github.com/openwrt/openwrt/pull/24873",
        host=_sends,
        proven=True,
    ),
)
