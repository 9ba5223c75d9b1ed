# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather whether a router that dials in by PPP lowers the MSS of connections that pass, for each version of IP."""

from __future__ import annotations

from typing import Dict

from ..host import ReadOnlyHost
from ..tools import iptables, nft, sysfs
from .saying import said

_FORWARDS = ("/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding")


def gather(host: ReadOnlyHost) -> Dict[str, bool]:
    """Whether there is such a rule, by version; asked only where packets are forwarded and there is a device of PPP.

    Nothing is told where there are no rules at all, as the programs may be missing.
    """
    dials = any(name.startswith("ppp") for name in host.names(sysfs.ROOT))
    if not dials or not any(sysfs.number(host, path) == 1 for path in _FORWARDS):
        return {}
    rules = said(host, nft.RULESET)
    saved = {family: said(host, iptables.saved(f"{family}tables")) for family in ("ip", "ip6")}
    if not rules and not any(saved.values()):
        return {}
    clamping = nft.clamping(rules)
    legacy = {family: "TCPMSS" in text for family, text in saved.items()}
    return {
        "ipv4": bool(clamping & {"ip", "inet"}) or legacy["ip"],
        "ipv6": bool(clamping & {"ip6", "inet"}) or legacy["ip6"],
    }
