# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the bonds of a host with the state of their members."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ..host import ReadOnlyHost
from ..tools import bond, sysfs

# How a bond learns that a member has lost its link; 0 is never.
_WATCHES = ("miimon", "arp_interval")


def gather(host: ReadOnlyHost) -> Dict[str, Dict[str, Any]]:
    """By bond: mode, MTU, the partner of LACP, and by member its link, MTU and aggregator."""
    found = {}
    for name in sysfs.text(host, f"{sysfs.ROOT}/bonding_masters").split():
        # Modes in which all members work have none.
        active = sysfs.text(host, f"{sysfs.ROOT}/{name}/bonding/active_slave")
        found[name] = {
            "mode": bond.option(host, name, "mode") or "",
            "mtu": sysfs.number(host, f"{sysfs.ROOT}/{name}/mtu"),
            "hash": bond.option(host, name, "xmit_hash_policy") or "",
            "master_mtu": _above(host, name),
            "watches": {key: sysfs.number(host, f"{sysfs.ROOT}/{name}/bonding/{key}") for key in _WATCHES},
            "partner": bond.option(host, name, "ad_partner_mac") or "",
            "members": {member: _member(host, member) for member in bond.members(host, name)},
            **({"active": active, "primary": bond.option(host, name, "primary") or ""} if active else {}),
        }
    return found


def _above(host: ReadOnlyHost, name: str) -> Optional[int]:
    """The MTU of the bridge that a bond is a port of."""
    masters = [upper for upper in sysfs.above(host, name) if host.exists(f"{sysfs.ROOT}/{upper}/bridge")]
    return sysfs.number(host, f"{sysfs.ROOT}/{masters[0]}/mtu") if masters else None


def _member(host: ReadOnlyHost, name: str) -> Dict[str, Any]:
    base = f"{sysfs.ROOT}/{name}"
    return {
        "link": sysfs.text(host, f"{base}/bonding_slave/mii_status"),
        "failures": sysfs.number(host, f"{base}/bonding_slave/link_failure_count"),
        "aggregator": sysfs.number(host, f"{base}/bonding_slave/ad_aggregator_id"),
        "mtu": sysfs.number(host, f"{base}/mtu"),
        "speed": sysfs.number(host, f"{base}/speed"),
    }
