# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather bridges that have ports: how many belong to containers, guests and hardware, and what the bridge does."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence

from ..host import ReadOnlyHost
from ..tools import bridge, iptables, route_table, sysfs
from .saying import said

# IFF_TAP of include/uapi/linux/if_tun.h: the other end is a guest.
_TAP = 2
# BR_STATE_LISTENING and _LEARNING of include/uapi/linux/if_bridge.h.
_NOT_YET = (1, 2)
# Drivers whose cards filter by VLAN, and have room for some hundred of these only.
_FILTERS = ("mlx5_core", "mlx4_en")


# Bridges of containers, by the names that Docker, Podman, CNI and kubenet give them; those of OpenWrt and Open vSwitch
# begin with br- as well.
_CONTAINERS = re.compile(r"docker0|cni0|cbr0|(cni-)?podman\d+|br-[0-9a-f]{12}")


def overlaps(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Networks of containers that hide a part of one that lies elsewhere, by the routes."""
    names = [name for name in host.names(sysfs.ROOT) if _CONTAINERS.fullmatch(name)]
    return [*route_table.within(host.read(route_table.TABLE) or "", names)] if names else []


def gather(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """By name, with the number of their ports by kind; one that snoops sends multicast only to whom has asked.

    `vlans` is whether it knows VLANs (`vlan_filtering`); then `vlan_ids` has the number of those of each port whose
    card can filter only some hundred. `smallest` is the port with the smallest MTU, where others have a larger one: how
    many guests and containers (`inside`), and, where the bridge itself has no more, ports with hardware (`uplinks`),
    `forward_delay` the seconds of spanning tree, and `mac_of` the port of a guest or container whose MAC it has.
    `dropped_by` are the firewalls that drop what its guests send, and one that `forgets` learns no addresses.
    """
    found = []
    for name in host.names(sysfs.ROOT):
        ports = host.names(f"{sysfs.ROOT}/{name}/brif")
        if ports:
            kinds = [_kind(host, port) for port in ports]
            counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
            does = {
                fact: True
                for fact, file in (("snoops", "multicast_snooping"), ("vlans", "vlan_filtering"))
                if sysfs.number(host, f"{sysfs.ROOT}/{name}/bridge/{file}") == 1
            }
            if sysfs.number(host, f"{sysfs.ROOT}/{name}/bridge/ageing_time") == 0:
                does["forgets"] = True
            filtering = [port for port in ports if does.get("vlans") and sysfs.driver(host, port) in _FILTERS]
            members = {port: bridge.count(said(host, bridge.vlans_of(port))) for port in filtering}
            known = {"vlan_ids": members} if any(members.values()) else {}
            found.append(
                {
                    **{"name": name, **counts, **does, **known},
                    **_smallest(host, name, dict(zip(ports, kinds))),
                    **_delay(host, name, ports),
                    **_borrowed(host, name, dict(zip(ports, kinds))),
                }
            )
    _firewalled(host, found)
    return found


# Whether frames between ports of a bridge pass the firewall, and its program.
_FIREWALLS = (("bridge-nf-call-iptables", "iptables"), ("bridge-nf-call-ip6tables", "ip6tables"))


def _firewalled(host: ReadOnlyHost, found: Sequence[Dict[str, Any]]) -> None:
    """Add to bridges of guests which firewalls surely drop what they send, and how much they have dropped so far."""
    rows = [row for row in found if row.get("guests") and row.get("nics")]
    for switch, program in _FIREWALLS if rows else ():
        if sysfs.number(host, f"/proc/sys/net/bridge/{switch}") == 1:
            rules = said(host, iptables.saved(program))
            for row in rows:
                packets = iptables.dropped_bridged(rules, row["name"])
                if packets is not None:
                    row.setdefault("dropped_by", {})[program] = packets


# NET_ADDR_RANDOM of include/uapi/linux/netdevice.h: nobody has given the bridge a MAC, so it has the smallest of its
# ports (br_stp_recalculate_bridge_id in net/bridge/br_stp_if.c).
_NOT_GIVEN = 1
_COME_AND_GO = ("guests", "containers")


def _borrowed(host: ReadOnlyHost, name: str, kinds: Mapping[str, str]) -> Dict[str, Any]:
    """The port of a guest or container whose MAC the bridge has, where that is not the MAC of any other port."""
    if sysfs.number(host, f"{sysfs.ROOT}/{name}/addr_assign_type") != _NOT_GIVEN:
        return {}
    own = sysfs.text(host, f"{sysfs.ROOT}/{name}/address")
    same = [port for port in kinds if own and sysfs.text(host, f"{sysfs.ROOT}/{port}/address") == own]
    return {"mac_of": same[0]} if same and all(kinds[port] in _COME_AND_GO for port in same) else {}


def _delay(host: ReadOnlyHost, name: str, ports: List[str]) -> Dict[str, Any]:
    """With spanning tree: the seconds in each of two states before a port forwards, and how many guests wait now."""
    base = f"{sysfs.ROOT}/{name}/bridge"
    delay = sysfs.number(host, f"{base}/forward_delay")
    # 1 is the kernel's own, 2 that of a daemon (mstpd), which may let ports of guests forward at once.
    if sysfs.number(host, f"{base}/stp_state") != 1 or delay is None:
        return {}
    states = [
        sysfs.number(host, f"{sysfs.ROOT}/{port}/brport/state") for port in ports if _kind(host, port) == "guests"
    ]
    return {"forward_delay": delay // 100, "learning": sum(state in _NOT_YET for state in states)}


def _smallest(host: ReadOnlyHost, bridge: str, ports: Mapping[str, str]) -> Dict[str, Any]:
    """The port with the smallest MTU, which the bridge takes over unless it was given one, where others have more."""
    found = {port: sysfs.number(host, f"{sysfs.ROOT}/{port}/mtu") or 0 for port in ports}
    port = min(found, key=lambda name: found[name])
    if not 0 < found[port] < max(found.values()):
        return {}
    more = [name for name in ports if found[name] > found[port]]
    inside = sum(ports[name] in _COME_AND_GO for name in more)
    # A guest's NIC has neither a device nor anything below it.
    wires = [name for name in more if ports[name] == "nics" or sysfs.below(host, name)]
    same = sysfs.number(host, f"{sysfs.ROOT}/{bridge}/mtu") == found[port]
    told = {"inside": inside, "uplinks": {name: found[name] for name in wires} if same else {}}
    return {"smallest": {"port": port, "mtu": found[port], **{key: value for key, value in told.items() if value}}}


def _kind(host: ReadOnlyHost, port: str) -> str:
    flags = sysfs.text(host, f"{sysfs.ROOT}/{port}/tun_flags")
    if re.fullmatch(r"0x[0-9a-f]{1,8}", flags) and int(flags, 16) & _TAP:
        return "guests"
    if host.exists(f"{sysfs.ROOT}/{port}/device"):
        return "nics"
    # A veth has its other end in a namespace of its own; the kernel gives it no folder by which to know it.
    return "containers" if port.startswith("veth") else "others"
