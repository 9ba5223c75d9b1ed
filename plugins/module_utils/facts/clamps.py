# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather whether a router that dials in by PPP lowers the MSS of connections that pass, for each version of IP."""

from __future__ import annotations

from typing import Dict

from ..host import ReadOnlyHost
from ..tools import iptables, nft, sysfs
from .saying import said


def gather(host: ReadOnlyHost) -> Dict[str, bool]:
    """Whether there is such a rule, by version; asked only where IPv6 is forwarded and there is a device of PPP."""
    dials = any(name.startswith("ppp") for name in host.names(sysfs.ROOT))
    if not dials or sysfs.number(host, "/proc/sys/net/ipv6/conf/all/forwarding") != 1:
        return {}
    clamping = nft.clamping(said(host, nft.RULESET))
    legacy = {family: "TCPMSS" in said(host, iptables.saved(f"{family}tables")) for family in ("ip", "ip6")}
    return {
        "ipv4": bool(clamping & {"ip", "inet"}) or legacy["ip"],
        "ipv6": bool(clamping & {"ip6", "inet"}) or legacy["ip6"],
    }
