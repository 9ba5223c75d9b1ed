# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather everything that can be read about a host and its NICs; what cannot be read is a remark, never an error."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ..host import ReadOnlyHost
from ..schema import TuningError
from . import (
    absent,
    bonds,
    brakes,
    bridges,
    clamps,
    controllers,
    counters,
    detours,
    drops,
    firewall,
    interrupts,
    kernel,
    limits,
    listeners,
    managers,
    modules,
    nameservers,
    nics,
    optics,
    paths,
    persisted,
    power,
    programs,
    protocols,
    queues,
    rdma,
    served,
    switches,
    sysctls,
    teams,
    tunnels,
    vlans,
)

Read = Callable[[ReadOnlyHost], Any]


def gather(
    host: ReadOnlyHost,
    names: Sequence[str],
    interval: float,
    peers: Sequence[Mapping[str, Any]],
    configured: bool = False,
) -> Dict[str, Any]:
    """Facts by NIC under `nics`, those of the host under `host`, and under `remarks` what could not be read."""
    remarks: List[str] = []
    found = nics.gather(host, names, remarks)
    # What counts twice is read in one go, before and after: on a host that is overloaded all the rest takes far longer
    # than the interval.
    since = counters.span(host, interval)
    before = protocols.sample(host) if interval > 0 else {}
    rounds = interrupts.sample(host) if interval > 0 else []
    taken = tunnels.sample(host) if interval > 0 else []
    called = protocols.calls(host) if interval > 0 else {}
    tracing = drops.begin(host, interval)
    _add(found, "counters", _try("counters", remarks, lambda: counters.gather(host, list(found), interval)))
    counted: Tuple[Tuple[str, Read], ...] = (
        ("protocols", lambda host: protocols.gather(host, before, since())),
        ("softnet", lambda host: interrupts.softnet(host, rounds, since())),
        ("tunnels", lambda host: tunnels.gather(host, taken, since())),
        ("nfs", lambda host: protocols.mounts(host, called, since())),
    )
    about = {topic: _try(topic, remarks, partial(read, host)) for topic, read in counted}
    dropped = {"drops": drops.gather(host, tracing)} if tracing else {}
    shown = _try("queues", remarks, lambda: queues.ask(host)) or ""
    _add(found, "queues", _try("queues", remarks, lambda: queues.gather(host, list(found), shown)))
    _add(found, "lldp", _try("lldp", remarks, lambda: switches.gather(host, list(found))))
    _add(found, "interrupts", _try("interrupts", remarks, lambda: interrupts.gather(host, list(found))))
    rules = _try("queues", remarks, lambda: queues.dropping(host, shown)) or {}
    whole_host = _topics(peers, (about["protocols"] or {}).get("growth", {}))
    whole_host += (
        ("detours", lambda host: detours.gather(host, about["tunnels"] or ()) or None),
        ("firewall", lambda host: firewall.gather(host, about["softnet"] or ()) or None),
    )
    if configured:
        from . import files_by_hand  # only a capture needs it; an audit starts faster without

        whole_host += (("configured", files_by_hand.gather),)
    about.update({topic: _try(topic, remarks, partial(read, host)) for topic, read in whole_host})
    own = about["addresses"] or []
    used = [row["nic"] for row in own]
    _add(found, "optics", _try("optics", remarks, lambda: optics.gather(host, found, used)))
    about["loopback"] = [row["address"] for row in own if row["nic"] == "lo"]
    about["addresses"] = [row for row in own if row["nic"] != "lo"]
    told = about.get("sockets") or {}
    stuck, segments = told.get("stuck", ()), told.get("stuck_segments", {})
    # Nobody has asked for it, so a host without ping lacks nothing.
    about["peers"] = (about["peers"] or []) + (_try("peers", [], lambda: paths.swallowing(host, stuck, segments)) or [])
    whole = {topic: facts for topic, facts in about.items() if facts is not None}
    return {"nics": found, "host": {**whole, **dropped, **rules}, "remarks": remarks}


def _topics(peers: Sequence[Mapping[str, Any]], grown: Mapping[str, int]) -> Tuple[Tuple[str, Read], ...]:
    return (
        ("kernel", kernel.gather),
        ("power", power.gather),
        ("brakes", brakes.gather),
        ("programs", programs.gather),
        ("addresses", paths.addresses),
        ("neighbours", paths.neighbours),
        ("default_routes", paths.ways_out),
        ("half_open", paths.half_open),
        ("nameservers", nameservers.gather),
        ("path_mtu", paths.learned),
        ("peers", lambda host: paths.to_peers(host, peers)),
        ("bonds", bonds.gather),
        ("teams", teams.gather),
        ("bridges", bridges.gather),
        ("overlaps", bridges.overlaps),
        ("clamps", lambda host: clamps.gather(host) or None),
        ("controllers", controllers.gather),
        ("absent", absent.gather),
        ("vlans", vlans.gather),
        ("listeners", listeners.gather),
        ("limits", limits.gather),
        ("managers", managers.gather),
        ("sysctl", sysctls.values),
        ("sysctl_files", sysctls.files),
        ("congestion", sysctls.congestion),
        ("modules", modules.gather),
        ("sockets", lambda host: protocols.sockets(host, grown)),
        ("rdma", rdma.gather),
        ("smb", protocols.shares),
        ("samba_buffers", served.samba_buffers),
        ("persisted", persisted.gather),
    )


def _try(topic: str, remarks: List[str], read: Callable[[], Any]) -> Any:
    try:
        return read()
    except TuningError as error:
        remarks.append(f"{topic}: {error}")
        return None


def _add(found: Mapping[str, Dict[str, Any]], key: str, facts: Any) -> None:
    for nic, about in (facts or {}).items():
        found[nic][key] = about
