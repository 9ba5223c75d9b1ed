# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the packets that Open vSwitch has lost between the kernel and its daemon, without asking its tools."""

from __future__ import annotations

from typing import Dict, Set

from ..host import ReadOnlyHost
from ..tools import protocols

_PID = "/run/openvswitch/ovs-vswitchd.pid"
_DAEMON = "ovs-vswitchd"


def sample(host: ReadOnlyHost) -> Dict[str, int]:
    """Packets of new flows that found the netlink sockets of the daemon full, since it began; nothing without it."""
    number = (host.read(_PID) or "").strip()
    if not number.isdecimal() or (host.read(f"/proc/{number}/comm") or "").strip() != _DAEMON:
        return {}
    missed = protocols.unheard(host.read("/proc/net/netlink") or "")
    # There may be thousands of sockets, and most daemons have lost nothing.
    own = _sockets(host, number) if missed else set()
    return {"ovs_lost": sum(drops for inode, drops in missed.items() if inode in own)}


def _sockets(host: ReadOnlyHost, number: str) -> Set[str]:
    folder = f"/proc/{number}/fd"
    links = (host.target(f"{folder}/{name}") for name in host.names(folder))
    return {link[8:-1] for link in links if link.startswith("socket:[")}
