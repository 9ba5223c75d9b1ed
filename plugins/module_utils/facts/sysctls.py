# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the kernel parameters that matter to the network, who sets them at boot, and the congestion controls."""

from __future__ import annotations

from typing import Any, Dict, List

from ..deciding.inputs import vector
from ..host import ReadOnlyHost
from ..tools import conf, sysctl

# What a rule looks at, and what a person who reads a report would ask for next.
WATCHED = (
    "fs.file-max",
    "net.bridge.bridge-nf-call-ip6tables",
    "net.bridge.bridge-nf-call-iptables",
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.conf.all.arp_announce",
    "net.ipv4.conf.all.arp_filter",
    "net.ipv4.conf.all.arp_ignore",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.conf.all.send_redirects",
    "net.ipv4.igmp_max_memberships",
    "net.ipv4.ip_forward",
    "net.ipv4.ip_no_pmtu_disc",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ipfrag_high_thresh",
    "net.ipv4.neigh.default.gc_thresh1",
    "net.ipv4.neigh.default.gc_thresh2",
    "net.ipv4.neigh.default.gc_thresh3",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_max_orphans",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_reordering",
    "net.ipv4.tcp_retries2",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tw_recycle",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "net.ipv4.udp_mem",
    "net.ipv4.vs.conn_reuse_mode",
    "net.ipv4.vs.conntrack",
    "net.ipv6.neigh.default.gc_thresh1",
    "net.ipv6.neigh.default.gc_thresh2",
    "net.ipv6.neigh.default.gc_thresh3",
    "net.ipv6.route.max_size",
    "net.netfilter.nf_conntrack_buckets",
    "net.netfilter.nf_conntrack_max",
    "net.netfilter.nf_conntrack_tcp_be_liberal",
    "net.netfilter.nf_conntrack_tcp_timeout_close_wait",
    "net.netfilter.nf_conntrack_tcp_timeout_established",
    "sunrpc.tcp_max_slot_table_entries",
    "sunrpc.tcp_slot_table_entries",
    "vm.min_free_kbytes",
)


def values(host: ReadOnlyHost) -> Dict[str, str]:
    """The live values; a key that this kernel does not have is left out."""
    texts = {key: host.read(sysctl.path(key)) for key in WATCHED}
    return {key: vector(text) for key, text in texts.items() if text is not None}


def files(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """All files of sysctl.d in the order in which they are read at boot, with what they say about the network."""
    found = []
    for file, lines in sysctl.after(host, ""):
        said = {line.key: line.value for line in lines if line.key.startswith("net.")}
        if said:
            ours = (host.read(file) or "").startswith(conf.HEADER)
            found.append({"file": file, "ours": ours, "sets": said})
    return found


def congestion(host: ReadOnlyHost) -> Dict[str, Any]:
    """The congestion controls that are there, and those that a module would bring."""
    there, loadable = sysctl.congestion_controls(host)
    return {"available": sorted(there), "loadable": sorted(set(loadable or ()) - set(there))}
