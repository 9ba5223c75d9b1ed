# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what the kernel sets its network parameters to by itself, in the releases from 5.4 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Tuple

# What does not depend on the machine. Several values are those of several releases or builds; the sources are
# net/core/sysctl_net_core.c, tcp_sk_init() in net/ipv4/tcp_ipv4.c, and Documentation/networking/ip-sysctl.rst.
_FIXED: Mapping[str, str] = {
    "net.core.busy_poll": "0",
    "net.core.busy_read": "0",
    # Distributions build another one in, or set it in a file of a package.
    "net.core.default_qdisc": "pfifo_fast | fq_codel",
    "net.core.dev_weight": "64",
    "net.core.dev_weight_rx_bias": "1",
    "net.core.dev_weight_tx_bias": "1",
    "net.core.flow_limit_table_len": "4096",
    "net.core.gro_normal_batch": "8",
    "net.core.max_skb_frags": "17",
    "net.core.netdev_budget": "300",
    # Two jiffies: with 1000, 300, 250 and 100 of them in a second.
    "net.core.netdev_budget_usecs": "2000 | 6666 | 8000 | 20000",
    "net.core.netdev_max_backlog": "1000",
    "net.core.netdev_tstamp_prequeue": "1",
    "net.core.optmem_max": "20480 | 131072",
    "net.core.rmem_default": "212992",
    "net.core.rps_sock_flow_entries": "0",
    "net.core.somaxconn": "4096",
    "net.core.wmem_default": "212992",
    "net.ipv4.ip_default_ttl": "64",
    "net.ipv4.ip_early_demux": "1",
    "net.ipv4.ip_local_port_range": "32768 60999",
    "net.ipv4.ip_local_reserved_ports": "",
    "net.ipv4.ip_no_pmtu_disc": "0",
    "net.ipv4.ipfrag_high_thresh": "4194304",
    "net.ipv4.ipfrag_low_thresh": "3145728",
    "net.ipv4.ipfrag_time": "30",
    "net.ipv4.neigh.default.gc_interval": "30",
    "net.ipv4.neigh.default.gc_stale_time": "60",
    "net.ipv4.neigh.default.gc_thresh1": "128",
    "net.ipv4.neigh.default.gc_thresh2": "512",
    "net.ipv4.neigh.default.gc_thresh3": "1024",
    "net.ipv4.tcp_abort_on_overflow": "0",
    "net.ipv4.tcp_adv_win_scale": "1",
    "net.ipv4.tcp_app_win": "31",
    "net.ipv4.tcp_autocorking": "1",
    "net.ipv4.tcp_base_mss": "1024",
    "net.ipv4.tcp_comp_sack_delay_ns": "1000000",
    "net.ipv4.tcp_comp_sack_nr": "44",
    "net.ipv4.tcp_congestion_control": "cubic | reno",
    "net.ipv4.tcp_dsack": "1",
    "net.ipv4.tcp_early_demux": "1",
    "net.ipv4.tcp_early_retrans": "3",
    "net.ipv4.tcp_ecn": "2",
    "net.ipv4.tcp_ecn_fallback": "1",
    "net.ipv4.tcp_fastopen": "1",
    "net.ipv4.tcp_fin_timeout": "60",
    "net.ipv4.tcp_frto": "2",
    "net.ipv4.tcp_keepalive_intvl": "75",
    "net.ipv4.tcp_keepalive_probes": "9",
    "net.ipv4.tcp_keepalive_time": "7200",
    "net.ipv4.tcp_max_reordering": "300",
    "net.ipv4.tcp_min_tso_segs": "2",
    "net.ipv4.tcp_moderate_rcvbuf": "1",
    "net.ipv4.tcp_mtu_probing": "0",
    "net.ipv4.tcp_no_metrics_save": "0",
    "net.ipv4.tcp_notsent_lowat": "4294967295",
    "net.ipv4.tcp_orphan_retries": "0",
    "net.ipv4.tcp_pacing_ca_ratio": "120",
    "net.ipv4.tcp_pacing_ss_ratio": "200",
    "net.ipv4.tcp_recovery": "1",
    "net.ipv4.tcp_reordering": "3",
    "net.ipv4.tcp_retries1": "3",
    "net.ipv4.tcp_retries2": "15",
    "net.ipv4.tcp_rfc1337": "0",
    "net.ipv4.tcp_sack": "1",
    "net.ipv4.tcp_slow_start_after_idle": "1",
    "net.ipv4.tcp_syn_retries": "6",
    "net.ipv4.tcp_synack_retries": "5",
    "net.ipv4.tcp_syncookies": "1",
    "net.ipv4.tcp_thin_linear_timeouts": "0",
    "net.ipv4.tcp_timestamps": "1",
    "net.ipv4.tcp_tso_win_divisor": "3",
    "net.ipv4.tcp_tw_reuse": "2",
    "net.ipv4.tcp_window_scaling": "1",
    "net.ipv4.udp_rmem_min": "4096",
    "net.ipv4.udp_wmem_min": "4096",
    "net.ipv6.neigh.default.gc_interval": "30",
    "net.ipv6.neigh.default.gc_thresh1": "128",
    "net.ipv6.neigh.default.gc_thresh2": "512",
    "net.ipv6.neigh.default.gc_thresh3": "1024",
}
# Raised in one of the releases between 6.12 and 6.18, which shows all three; so both values are the kernel's own there.
_RAISED: Mapping[str, tuple[str, str]] = {
    "net.core.rmem_max": ("212992", "4194304"),
    "net.core.wmem_max": ("212992", "4194304"),
    "net.ipv4.tcp_limit_output_bytes": ("1048576", "4194304"),
}
_LAST_BEFORE = (6, 12)
# Each follows from the memory of the machine.
_BY_MEMORY = ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_mem", "net.ipv4.udp_mem")
_BY_TABLE = ("net.ipv4.tcp_max_orphans", "net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_max_syn_backlog")
KEYS = (*_FIXED, *_RAISED, *_BY_MEMORY, *_BY_TABLE)

Release = Tuple[int, int]


def differs(key: str, values: Mapping[str, str], release: Release) -> bool | None:
    """Whether somebody has set a parameter; None where nobody here knows."""
    value = " ".join(str(values[key]).split())
    if key in _FIXED:
        return value not in [one.strip() for one in _FIXED[key].split("|")]
    if key in _RAISED:
        before, after = _RAISED[key]
        return value != before and (release <= _LAST_BEFORE or value != after)
    if key in _BY_MEMORY:
        return _by_memory(key, value, release)
    return _by_table(key, values) if key in _BY_TABLE else None


def _by_memory(key: str, value: str, release: Release) -> bool | None:
    numbers = [int(word) for word in value.split() if word.isdecimal()]
    if len(numbers) != 3:
        return None
    low, middle, high = numbers
    if key.endswith("_mem") and key not in ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"):
        # tcp_init_mem() and udp_init(): three quarters of a limit, the limit, and twice the first.
        return high != 2 * low or abs(low * 4 - middle * 3) > 16
    # tcp_init(): the largest is a 128th of the memory, of so much at most, which a machine with 1 GiB has.
    first, most = ((4096, 131072), 6 << 20) if key.endswith("rmem") else ((4096, 16384), 4 << 20)
    if key.endswith("rmem") and release > _LAST_BEFORE:
        most = 32 << 20
    if (low, middle) != first:
        return True
    return high > most


def _by_table(key: str, values: Mapping[str, str]) -> bool | None:
    """tcp_init(): all three follow from the size of one table, so the two that agree tell it."""
    known = [int(values[name]) if str(values.get(name, "")).isdecimal() else 0 for name in _BY_TABLE]
    orphans, buckets, backlog = known
    sizes: Sequence[int] = (2 * orphans, 2 * buckets, 128 * backlog)
    size = next((one for one in sizes if one and sizes.count(one) > 1), 0)
    if not size:
        return None
    mine = sizes[_BY_TABLE.index(key)]
    return mine != size and not (key.endswith("syn_backlog") and backlog == 128 and size < 128 * 128)


def release_of(text: object) -> Release:
    """(6, 1) of `6.1.0-25-amd64`; (0, 0) where it is not told."""
    words = str(text).split(".")
    minor = "".join(char for char in words[1] if char.isdecimal()) if len(words) > 1 else ""
    return (int(words[0]), int(minor)) if words[0].isdecimal() and minor else (0, 0)
