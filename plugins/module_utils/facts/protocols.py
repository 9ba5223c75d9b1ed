# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what dies above the NIC: in IP, connection tracking, neighbour tables and sockets; and mounts over NFS."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, Optional

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import fixed_ports, nfs, protocols, ss, statistics, sysctl, sysfs, unanswered
from . import upcalls
from .saying import said

_STAT = "/proc/net/stat"
_BDI = "/sys/class/bdi"

# A connection that has moved as much shows a round trip that matters.
_BUSY = 10_000_000


def sample(host: ReadOnlyHost) -> Dict[str, int]:
    """What the protocols have counted since the boot, and the tables that have counters of their own."""
    found = protocols.counters(host.read("/proc/net/snmp") or "")
    found.update(protocols.counters(host.read("/proc/net/netstat") or ""))
    found.update(protocols.counters_by_line(host.read("/proc/net/snmp6") or ""))
    found.update(protocols.counters_by_line(host.read("/proc/net/xfrm_stat") or ""))
    # Nothing that they drop is told here, but a processor that was taken away explains it.
    found.update(protocols.processor_time(host.read("/proc/stat") or ""))
    found.update({key: number for key, number in _nfs_server(host).items() if key != "nfsd_threads"})
    found.update(protocols.nfs_client(host.read("/proc/net/rpc/nfs") or ""))
    found.update(upcalls.sample(host))
    for name, kept in _TABLES.items():
        columns = protocols.table(host.read(f"{_STAT}/{name}") or "")
        found.update({f"{name}_{key}": columns[key] for key in kept if key in columns})
    return found


def _nfs_server(host: ReadOnlyHost) -> Dict[str, int]:
    told = protocols.nfs_server("", host.read("/proc/net/rpc/nfsd") or "")
    # While a server starts or ends, the kernel lets readers of this file wait; then it has no threads.
    pools = host.read("/proc/fs/nfsd/pool_stats") if told.get("nfsd_threads") else None
    return {**told, **protocols.nfs_server(pools or "", "")}


_TABLES = {
    "nf_conntrack": ("drop", "early_drop", "insert_failed", "invalid", "search_restart"),
    "arp_cache": ("table_fulls", "forced_gc_runs", "unresolved_discards"),
    "ndisc_cache": ("table_fulls", "forced_gc_runs", "unresolved_discards"),
}


def gather(host: ReadOnlyHost, before: Dict[str, int], interval: float) -> Dict[str, Any]:
    """Those counters under `total`, what they have grown by since `before`, and how full the tables are now."""
    total = sample(host)
    facts: Dict[str, Any] = {"total": total, "fill": _fill(host)}
    if interval > 0:
        facts.update(growth=statistics.growth(before, total), interval=interval)
    return facts


def _fill(host: ReadOnlyHost) -> Dict[str, int]:
    found = protocols.sockets(host.read("/proc/net/sockstat") or "")
    for key in ("count", "max"):
        number = sysfs.number(host, sysctl.path(f"net.netfilter.nf_conntrack_{key}"))
        if number is not None:
            found[f"conntrack_{key}"] = number
    for name in ("arp_cache", "ndisc_cache"):
        columns = protocols.table(host.read(f"{_STAT}/{name}") or "")
        if "entries" in columns:
            found[f"{name}_entries"] = columns["entries"]
    threads = protocols.nfs_server("", host.read("/proc/net/rpc/nfsd") or "").get("nfsd_threads")
    if threads:
        clients = _ss(host, "-tnH", "state", "established", "( sport = :2049 )")
        found.update({"nfsd_threads": threads, **({"nfsd_connections": clients.count("\n")} if clients else {})})
        limit = sysfs.number(host, "/proc/fs/nfsd/max_connections")
        found.update({"nfsd_max_connections": limit} if limit else {})
    routes = protocols.routes_6(host.read("/proc/net/rt6_stats") or "")
    return {**found, "routes_6": routes} if routes else found


def sockets(host: ReadOnlyHost, grown: Mapping[str, int]) -> Dict[str, Any]:
    """The longest round trip of a connection that has moved much, of whom some hear nothing (`stuck`), and connections
    that may not send although they have something to (`held_back`), or lose much over a long path (`lossy`), and
    services that answer none of several connections any more (`silent`); and fixed ports of services that one has taken
    (`fixed_ports_taken`).

    Of many connections, also where most ports lead to, and how many their program does not close (`left_open`); where
    UDP has lost packets, which sockets have (`lost_in`); where accept queues were full, of which ports (`refused_at`),
    and how long those of all ports are (`backlogs`); where IPv6 hears nothing, since the boot or within an interval
    (`grown`), connections that go on asking (`unanswered_6`).
    """
    connections = _ss(host, "-tinH", "state", "established")
    trip, stuck = ss.longest_round_trip(connections, _BUSY), ss.stuck(connections, _STUCK)
    held = ss.held_back(connections, _HELD)
    told = {"rtt_ms": trip, "stuck": stuck, "held_back": held, "lossy": ss.lossy(connections, _HELD)}
    told.update(stuck_segments=ss.agreed(connections, stuck), silent=ss.silent(connections, _HELD))
    told["fixed_ports_taken"] = [
        {"port": port, "to": peer} for port, peer in sorted(fixed_ports.taken(connections).items())
    ]
    facts: Dict[str, Any] = {name: value for name, value in told.items() if value}
    fill = protocols.sockets(host.read("/proc/net/sockstat") or "")
    many = fill.get("tcp_inuse", 0) + fill.get("tcp_tw", 0) >= _MANY
    if many or fill.get("tcp_inuse", 0) >= _SOME:
        listed = _ss(host, "-tnaH")
        span = re.findall(r"\d+", sysfs.text(host, sysctl.path("net.ipv4.ip_local_port_range")))
        if many and len(span) == 2:
            count, peer = ss.most_ports(listed, int(span[0]), int(span[1]))
            facts.update({"ports": count, "ports_to": peer} if count else {})
        waiting, port, every = ss.left_open(listed)
        facts.update({"left_open": {"count": waiting, "port": port, "of": every}} if waiting >= _SOME else {})
    counted = _read(host, "/proc/net/snmp", protocols.counters)
    counted.update(_read(host, "/proc/net/snmp6", protocols.counters_by_line))
    if sum(counted.get(f"{name}RcvbufErrors", 0) for name in ("Udp", "Udp6")) >= _SOME:
        worst = ss.lost_in(_ss(host, "-uamnH"), _HELD)
        facts.update({"lost_in": worst} if worst else {})
    counted.update(_read(host, "/proc/net/netstat", protocols.counters))
    if counted.get(_LISTEN, 0) >= _SOME or grown.get(_LISTEN, 0) >= _SOME // 10:
        listening = _ss(host, "-tlnmH")
        told = {"refused_at": ss.refused_at(listening, _HELD), "backlogs": ss.backlogs(listening, _HELD)}
        facts.update({name: value for name, value in told.items() if value})
    if _unheard(counted, now=False) or _unheard(grown, now=True):
        asking = unanswered.asking(_ss(host, "-6", "-tnoH", "state", "syn-sent"))
        facts.update({"unanswered_6": asking} if asking else {})
    return facts


def _unheard(counted: Mapping[str, int], now: bool) -> bool:
    return unanswered.packets(lambda name: counted.get(name, 0), now)[0] > 0


def _read(host: ReadOnlyHost, file: str, parse: Callable[[str], Dict[str, int]]) -> Dict[str, int]:
    return parse(host.read(file) or "")


# Connections from which on it is worth the time to look where they lead to, peers that are asked at most, and
# connections that are told at most.
_MANY, _STUCK, _HELD = 5000, 2, 3
# Sockets that a program has left open, packets that UDP has lost, or connections that were refused, from which on it is
# worth the time to see where.
_SOME = 1000
_LISTEN = "TcpExtListenOverflows"


def _ss(host: ReadOnlyHost, *words: str) -> str:
    return said(host, Query(("ss", *words)))


def calls(host: ReadOnlyHost) -> Dict[str, Dict[str, int]]:
    """What each mount over NFS has counted of its calls since it began."""
    return nfs.sums(host.read("/proc/self/mountstats") or "")


def mounts(host: ReadOnlyHost, before: Mapping[str, Mapping[str, int]], interval: float) -> List[Dict[str, Any]]:
    """Mounts over NFS: the device by number, from where, its options that matter, its read-ahead, and its calls.

    Under `growth` are the calls since `before`, `interval` seconds ago.
    """
    known: Dict[str, Dict[str, Any]] = {}
    for line in (host.read("/proc/self/mountinfo") or "").splitlines():
        match = re.match(r"\d+ \d+ (0:\d+) \S+ (\S+) .* - (nfs4?) (\S+) (\S+)$", line)
        if match:
            options = re.findall(r"\b(rsize|wsize|nconnect|vers|proto|timeo)=([\w.]+)", match[5])
            options += [(word, "on") for word in ("sync", "noac") if word in match[5].split(",")]
            known[match[1]] = {"at": match[2], "from": match[4], "options": dict(options)}
    # Only NFS has devices of this form.
    devices = {name for name in host.names(_BDI) if re.fullmatch(r"0:\d+", name)} | set(known)
    counted = calls(host) if devices else {}
    found = []
    for name in sorted(devices):
        at = known.get(name, {}).get("at", "")
        row = {
            "device": name,
            **known.get(name, {}),
            "read_ahead_kb": sysfs.number(host, f"{_BDI}/{name}/read_ahead_kb"),
        }
        row.update(nfs.each(counted.get(at, {})))
        if interval > 0 and at in before and at in counted:
            row.update(growth=nfs.each(statistics.growth(before[at], counted[at])), interval=interval)
        found.append(row)
    return found


def shares(host: ReadOnlyHost) -> Optional[List[Dict[str, Any]]]:
    """Mounts over SMB, from where, and their options that matter; None where there are none."""
    found = []
    for line in (host.read("/proc/self/mountinfo") or "").splitlines():
        match = re.match(r"\d+ \d+ \S+ \S+ (\S+) .* - (?:cifs|smb3) (\S+) (\S+)$", line)
        if match:
            options = re.findall(r"(?:^|,)(vers|rsize|wsize|cache)=([\w.]+)", match[3])
            found.append({"at": match[1], "from": match[2], "options": dict(options)})
    return found or None
