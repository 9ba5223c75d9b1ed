# SPDX-License-Identifier: GPL-3.0-or-later
"""Show where packets die on a host: each stage from wire to socket, what passed, what died, and the knob of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...module_utils.tools.qdisc import OWN_LIMIT
from .view import Facts, Host, Nic


class Stage(NamedTuple):
    """One stage: on which NIC if on one, what passed and what died there, since when, and what to turn."""

    stage: str
    nic: str
    passed: int | None
    died: int
    since: str
    knob: str


# By NIC: what the stage is, the counter of what passed it, the one of what died there, what to turn.
_NIC = (
    ("wire", "rx_packets", "rx_crc", "cable, transceiver, port of the switch"),
    ("FIFO of the NIC", "rx_packets", "rx_fifo", "width of the slot, ASPM; pause"),
    ("length", "rx_packets", "rx_too_long", "MTU here, and that of the sender"),
    ("receive ring", "rx_packets", "rx_missed", "ring rx, channels, irq affinity"),
    ("buffers of the driver", "rx_packets", "rx_no_memory", "vm.min_free_kbytes"),
    ("transmit, in the driver", "tx_packets", "tx_errors", "ring tx, driver, cable"),
)

_TCP = "net.ipv4.tcp_rmem, tcp_mem"

# Of protocols: what passed, what died, in the kernel's names.
_PROTOCOLS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("IP", "IpInReceives", ("IpInDiscards",), "memory of the host"),
    ("IP, reverse path", "IpInReceives", ("TcpExtIPReversePathFilter",), "net.ipv4.conf.all.rp_filter"),
    ("IP, fragments", "IpReasmReqds", ("IpReasmFails",), "net.ipv4.ipfrag_high_thresh"),
    ("IP, too large to forward", "IpForwDatagrams", ("IpFragFails",), "MTU, MSS of the router"),
    ("connection tracking", "", ("nf_conntrack_drop", "nf_conntrack_early_drop"), "net.netfilter.nf_conntrack_max"),
    ("neighbour table", "", ("arp_cache_table_fulls", "ndisc_cache_table_fulls"), "net.ipv4.neigh.default.gc_thresh3"),
    ("TCP, requests", "TcpPassiveOpens", ("TcpExtTCPReqQFullDrop",), "net.core.somaxconn, tcp_max_syn_backlog"),
    ("TCP, accept queue", "TcpPassiveOpens", ("TcpExtListenOverflows",), "net.core.somaxconn, backlog of the program"),
    ("TCP", "TcpInSegs", ("TcpInErrs", "TcpExtTCPBacklogDrop", "TcpExtTCPRcvQDrop", "TcpExtRcvPruned"), _TCP),
    ("UDP, checksum", "UdpInDatagrams", ("UdpInCsumErrors",), "offloads, cable"),
    ("UDP, memory of all", "UdpInDatagrams", ("UdpMemErrors",), "net.ipv4.udp_mem"),
    ("UDP, socket", "UdpInDatagrams", ("UdpRcvbufErrors",), "net.core.rmem_default, rmem_max, SO_RCVBUF"),
    ("UDP over IPv6, socket", "Udp6InDatagrams", ("Udp6RcvbufErrors",), "net.core.rmem_default, rmem_max, SO_RCVBUF"),
    ("UDP, sending", "UdpOutDatagrams", ("UdpSndbufErrors",), "net.core.wmem_default, wmem_max, SO_SNDBUF"),
    ("UDP over IPv6, sending", "Udp6OutDatagrams", ("Udp6SndbufErrors",), "net.core.wmem_default, wmem_max, SO_SNDBUF"),
)


def stages(host: Host) -> list[Stage]:
    """The stages that this host tells of, in the way of a packet: in from the wire, up to the socket, and out again."""
    inward = [row for nic in host.nics if nic.linked for row in _nic(nic, _NIC[:-1])]
    outward = [row for nic in host.nics if nic.linked for row in (*_qdisc(nic), *_nic(nic, _NIC[-1:]))]
    return [*inward, *_softnet(host), *_protocols(host), *outward]


def _nic(nic: Nic, rows: tuple[tuple[str, str, str, str], ...]) -> Iterator[Stage]:
    for stage, passed, died, knob in rows:
        if nic.number("counters", "total", died) is not None:
            count, since = nic.counted(died)
            yield Stage(stage, nic.name, nic.counted(passed)[0], count, since, knob)


def _softnet(host: Host) -> Iterator[Stage]:
    rows = host.processors
    if rows:
        squeezed, dropped = (sum(row.count(name) for row in rows) for name in ("squeezed", "dropped"))
        since = f"in {host.watched:g} s" if host.watched else "since the boot"
        yield Stage("NAPI budget (late, not lost)", "", host.processed, squeezed, since, "net.core.netdev_budget")
        yield Stage("backlog", "", host.processed, dropped, since, "net.core.netdev_max_backlog")


def _protocols(host: Host) -> Iterator[Stage]:
    for stage, passed, died, knob in _PROTOCOLS:
        if any(host.number("protocols", "total", name) is not None for name in died):
            count = sum(host.protocol(name)[0] for name in died)
            known = host.number("protocols", "total", passed) is not None
            yield Stage(stage, "", host.protocol(passed)[0] if known else None, count, host.protocol(died[0])[1], knob)


def _qdisc(nic: Nic) -> Iterator[Stage]:
    if nic.number("queues", "qdisc", "dropped") is not None:
        died, sent = nic.count("queues", "qdisc", "dropped"), nic.count("counters", "total", "tx_packets")
        name = nic.text("queues", "qdisc", "root") or "qdisc"
        leaf = nic.text("queues", "qdisc", "leaf") or name
        knob = "channels, qdisc" if leaf in OWN_LIMIT else "channels, txqueuelen, qdisc"
        yield Stage(f"qdisc {name}", nic.name, sent, died, "since it was made", knob)


def reasons(host: Host) -> dict[str, int]:
    """The kernel's own reasons for the drops of the interval, most first."""
    raw = Facts(host.at("drops")).raw
    found = {name: host.count("drops", name) for name in raw if isinstance(name, str)}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def rows(host: Host) -> list[dict[str, Any]]:
    """The stages as plain data."""
    return [stage._asdict() for stage in stages(host)]
