# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge kernel parameters and features that guides hand down: gone, without effect, or harmful today.

Facts of the kernel, each with the release since which it holds; a guide is judged for the release that is asked for.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from .model import HARMFUL, NO_EFFECT, NOTE, OTHER_TOOL

Release = Tuple[int, int]
Numbers = Sequence[int]
NEWEST: Release = (999, 0)

# Parameters of this host that are no matter of its network.
FOREIGN = ("kernel.", "vm.", "fs.", "dev.", "user.", "debug.", "abi.", "crypto.")

CONGESTION = (
    *("reno", "cubic", "bbr", "bbr2", "bbr3", "htcp", "vegas", "westwood", "illinois", "bic", "hybla", "yeah", "veno"),
    *("highspeed", "lp", "scalable", "dctcp", "cdg", "nv"),
)
# Queueing disciplines with a limit of their own, which do not look at txqueuelen.
OWN_LIMIT = ("fq", "fq_codel", "cake", "fq_pie", "sfq")


class Verdict(NamedTuple):
    """What is said of a parameter, from which release on, and of which values."""

    keys: Tuple[str, ...]
    kind: str
    text: str
    since: Release = (0, 0)
    when: Optional[Callable[[Numbers], bool]] = None


def _below(limit: int) -> Callable[[Numbers], bool]:
    return lambda numbers: bool(numbers) and 0 <= numbers[0] < limit


def _is(*values: int) -> Callable[[Numbers], bool]:
    return lambda numbers: list(numbers[:1]) in [[value] for value in values]


def _rigid(numbers: Numbers) -> bool:
    return len(numbers) == 3 and numbers[0] == numbers[1] == numbers[2]


# Pages of 4 KiB: 4 million of them are 16 GiB, more than TCP should hold anywhere.
def _bytes(numbers: Numbers) -> bool:
    return len(numbers) == 3 and min(numbers) >= 1 << 22


_GONE = "the kernel has no such parameter any more"
VERDICTS = (
    Verdict(("net.ipv4.tcp_tw_recycle",), NO_EFFECT, f"{_GONE} (gone since Linux 4.12)", (4, 12)),
    Verdict(("net.ipv4.tcp_tw_recycle",), HARMFUL, "it refuses clients behind one NAT address", when=_is(1)),
    Verdict(("net.ipv4.tcp_low_latency",), NO_EFFECT, "the kernel ignores it since Linux 4.14", (4, 14)),
    Verdict(("net.ipv4.tcp_fack",), NO_EFFECT, "the kernel ignores it since Linux 4.15", (4, 15)),
    Verdict(("net.ipv4.tcp_frto_response", "net.ipv4.tcp_cookie_size"), NO_EFFECT, f"{_GONE} (3.10)", (3, 10)),
    Verdict(("net.ipv4.tcp_abc", "net.ipv4.tcp_max_ssthresh"), NO_EFFECT, f"{_GONE} (3.9)", (3, 9)),
    Verdict(("net.ipv4.tcp_dma_copybreak",), NO_EFFECT, f"{_GONE} (3.18)", (3, 18)),
    Verdict(
        ("net.ipv4.route.max_size", "net.ipv4.route.gc_*"),
        NO_EFFECT,
        "it is of the route cache, which Linux 3.6 removed",
        (3, 6),
    ),
    Verdict(("net.ipv6.route.max_size",), NO_EFFECT, "the kernel no longer counts IPv6 routes since Linux 6.3", (6, 3)),
    Verdict(("net.*.route.flush",), NO_EFFECT, "it empties a cache once, and is no state that lasts"),
    Verdict(
        ("net.ipv4.ip_conntrack_max", "net.ipv4.netfilter.*"),
        NO_EFFECT,
        "the old name of connection tracking is gone since Linux 4.9; write net.netfilter.nf_conntrack_...",
        (4, 9),
    ),
    Verdict(("net.netfilter.nf_conntrack_helper",), NO_EFFECT, f"{_GONE} (gone since Linux 6.1)", (6, 1)),
    Verdict(
        ("net.ipv4.icmp_ignore_bogus_error_messages",),
        NO_EFFECT,
        "there is no such parameter; meant is net.ipv4.icmp_ignore_bogus_error_responses",
    ),
    Verdict(("net.ipv4.inet_peer_gc_*", "net.core.hot_list_length"), NO_EFFECT, _GONE, (3, 6)),
    Verdict(
        ("kernel.sched_latency_ns", "kernel.sched_*granularity_ns", "kernel.sched_migration_cost_ns"),
        NO_EFFECT,
        "it left sysctl with Linux 5.13",
        (5, 13),
    ),
    Verdict(("kernel.sched_nr_migrate", "kernel.sched_tunable_scaling"), NO_EFFECT, "it left sysctl", (5, 13)),
    Verdict(("kernel.exec-shield",), NO_EFFECT, "it never was in the kernel of kernel.org, and is gone"),
    Verdict(
        ("net.ipv4.tcp_timestamps",),
        HARMFUL,
        "without timestamps TCP measures round trips badly and cannot tell old segments on fast links",
        when=_is(0),
    ),
    Verdict(("net.ipv4.tcp_sack",), HARMFUL, "without SACK one lost packet costs a whole window", when=_is(0)),
    Verdict(("net.ipv4.tcp_dsack",), HARMFUL, "without DSACK TCP cannot tell reordering from loss", when=_is(0)),
    Verdict(
        ("net.ipv4.tcp_window_scaling",),
        HARMFUL,
        "a window of 64 KiB at most is too small for any fast link",
        when=_is(0),
    ),
    Verdict(("net.ipv4.tcp_moderate_rcvbuf",), HARMFUL, "it ends the tuning of receive buffers", when=_is(0)),
    Verdict(
        ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
        HARMFUL,
        "minimum and maximum are the same: each socket keeps that much when memory is short, and no buffer adapts",
        when=_rigid,
    ),
    Verdict(
        ("net.ipv4.tcp_mem", "net.ipv4.udp_mem"),
        HARMFUL,
        "the unit is pages, not bytes: with so many the kernel never limits the memory of the network",
        when=_bytes,
    ),
    Verdict(("net.core.somaxconn",), HARMFUL, "it is below the default of 4096", (5, 4), _below(4096)),
    Verdict(("net.core.optmem_max",), HARMFUL, "it is below the default of 20480", (3, 0), _below(20480)),
    Verdict(
        ("net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default"),
        HARMFUL,
        "it is below the default of 212992",
        (3, 0),
        _below(212992),
    ),
    Verdict(("net.core.netdev_max_backlog",), HARMFUL, "it is below the default of 1000", when=_below(1000)),
    Verdict(("net.core.netdev_budget",), HARMFUL, "it is below the default of 300", when=_below(300)),
    Verdict(
        ("net.ipv4.tcp_limit_output_bytes",), HARMFUL, "it is below the default of 1048576", (4, 20), _below(1048576)
    ),
    Verdict(("net.ipv4.ip_no_pmtu_disc",), NOTE, "without path MTU discovery packets get fragmented", when=_is(1)),
    Verdict(("net.ipv4.tcp_no_metrics_save",), NOTE, "it is of use for tests between changes only", when=_is(1)),
    Verdict(
        ("net.ipv4.ip_forward", "net.ipv*.conf.*.forwarding", "net.ipv6.conf.*.seg6_enabled"),
        NOTE,
        "this is routing, not tuning",
    ),
    Verdict(("net.netfilter.*",), NOTE, "the key is there once the module nf_conntrack is loaded"),
    Verdict(("net.bridge.*",), NOTE, "the key is there once the module br_netfilter is loaded"),
    Verdict(("net.ipv4.vs.*",), NOTE, "the key is there once the module ip_vs is loaded"),
    Verdict(
        ("net.core.busy_poll", "net.core.busy_read"),
        NOTE,
        "busy polling costs a processor",
        when=lambda numbers: bool(numbers) and numbers[0] > 0,
    ),
)

# What `ethtool -k` can show, by net/ethtool/common.c of the kernel; another name is refused by ethtool.
_FEATURES = """
tx-scatter-gather tx-checksum-ipv4 tx-checksum-ip-generic tx-checksum-ipv6 highdma tx-scatter-gather-fraglist
tx-vlan-hw-insert rx-vlan-hw-parse rx-vlan-filter tx-vlan-stag-hw-insert rx-vlan-stag-hw-parse rx-vlan-stag-filter
vlan-challenged tx-generic-segmentation tx-lockless netns-local rx-gro rx-gro-hw rx-lro tx-tcp-segmentation
tx-gso-robust tx-tcp-ecn-segmentation tx-tcp-accecn-segmentation tx-tcp-mangleid-segmentation tx-tcp6-segmentation
tx-fcoe-segmentation tx-gre-segmentation tx-gre-csum-segmentation tx-ipxip4-segmentation tx-ipxip6-segmentation
tx-ipip-segmentation tx-sit-segmentation tx-udp_tnl-segmentation tx-udp_tnl-csum-segmentation tx-gso-partial
tx-tunnel-remcsum-segmentation tx-sctp-segmentation tx-esp-segmentation tx-udp-segmentation tx-gso-list
tx-udp-fragmentation tx-checksum-fcoe-crc tx-checksum-sctp fcoe-mtu rx-ntuple-filter rx-hashing rx-checksum
tx-nocache-copy loopback rx-fcs rx-all l2-fwd-offload hw-tc-offload esp-hw-offload esp-tx-csum-hw-offload
rx-udp_tunnel-port-offload tls-hw-tx-offload tls-hw-rx-offload tls-hw-record rx-gro-list macsec-hw-offload
rx-udp-gro-forwarding hsr-tag-ins-offload hsr-tag-rm-offload hsr-fwd-offload hsr-dup-offload
"""
FEATURES = tuple(_FEATURES.split())


def release(text: str) -> Release:
    """(6, 1) of `6.1.0-25-amd64`; the newest when nothing is said."""
    parts = text.split(".")
    if len(parts) < 2 or not parts[0].isdigit():
        return NEWEST
    minor = "".join(char for char in parts[1] if char.isdigit())
    return int(parts[0]), int(minor or 0)


def of_parameter(key: str, value: str, kernel: Release) -> List[Verdict]:
    """What there is to say of a kernel parameter; the first is the one that counts."""
    words = value.split()
    numbers = [int(word) for word in words if word.lstrip("-").isdigit()]
    found = [
        verdict
        for verdict in VERDICTS
        if kernel >= verdict.since
        and any(fnmatchcase(key, pattern) for pattern in verdict.keys)
        and (verdict.when is None or (len(numbers) == len(words) and verdict.when(numbers)))
    ]
    if key.startswith(FOREIGN) and not found:
        found = [Verdict((key,), OTHER_TOOL, "it is no parameter of the network")]
    if key == "net.ipv4.tcp_congestion_control" and value not in CONGESTION:
        near = "bbr" if sorted(value) == sorted("bbr") else ""
        text = f"the kernel knows no congestion control '{value}' and refuses it" + (
            f"; meant is {near}" if near else ""
        )
        found = [Verdict((key,), NO_EFFECT, text)]
    return found
