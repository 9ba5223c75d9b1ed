# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather who listens beside TCP and UDP: to messages of the kernel, to multicast groups, to routers of IPv6."""

from __future__ import annotations

from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import protocols, sysctl, sysfs

# More programs than that do not help a person who reads it.
_MOST = 8


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """Programs whose netlink sockets overflowed, groups by NIC, and NICs that ignore routers of IPv6.

    Where programs decide about packets (NFQUEUE), also their queues; and whether Docker has an overlay network here.
    """
    missed = protocols.overrun(host.read("/proc/net/netlink") or "")
    queues = protocols.packet_queues(host.read("/proc/net/netfilter/nfnetlink_queue") or "")
    queues = sorted(queues, key=lambda row: (-row["full"] - row["missed"], row["queue"]))[:_MOST]
    refused = protocols.refused_6(host.read("/proc/net/if_inet6") or "")
    worst = sorted(missed.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
    return {
        "netlink": [{"program": _program(host, number), "pid": number, "missed": count} for number, count in worst],
        "groups": protocols.groups(host.read("/proc/net/igmp") or ""),
        "default_route_6": protocols.default_route_6(host.read("/proc/net/ipv6_route") or ""),
        "ignores_routers": _deaf(host),
        **({"docker_overlay": True} if _overlay(host) else {}),
        **({"refused_6": refused} if refused else {}),
        **({"packet_queues": [{"program": _program(host, row["pid"]), **row} for row in queues]} if queues else {}),
    }


# The bridge by which Docker Swarm's containers leave the host, and the usual port of VXLAN.
_GATEWAY, _VXLAN = "docker_gwbridge", 4789


def _overlay(host: ReadOnlyHost) -> bool:
    """Docker keeps the devices of its overlays out of sight, and their sockets, which no program holds, stay here."""
    if not host.exists(f"{sysfs.ROOT}/{_GATEWAY}"):
        return False
    return any(protocols.of_the_kernel(host.read(f"/proc/net/{name}") or "", _VXLAN) for name in ("udp", "udp6"))


def _program(host: ReadOnlyHost, number: int) -> str:
    return (host.read(f"/proc/{number}/comm") or "").strip()


def _deaf(host: ReadOnlyHost) -> List[str]:
    """NICs that forward IPv6 and take router advertisements only while they do not."""
    found = []
    for nic in host.names(sysfs.ROOT):
        if nic != "lo" and "/" not in nic:
            # A dot in the name of a NIC is a slash in that of the parameter.
            keys = (f"net.ipv6.conf.{nic.replace('.', '/')}.{word}" for word in ("forwarding", "accept_ra"))
            if [sysfs.text(host, sysctl.path(key)) for key in keys] == ["1", "1"]:
                found.append(nic)
    return found
