# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the kernel parameters of the network by name, so that one of a vendor's kernel or module gets a note.

The names are those of Linux 6.18 with what its modules add; what older kernels had besides is in parameters.py.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import takewhile

from ...parameters import VERDICTS

# The folders of /proc/sys/net that the kernel and its own modules make.
_FOLDERS_TEXT = """
appletalk ax25 bridge core dccp decnet ieee802154 ipv4 ipv6 ipx iw_cm key lapb llc mctp mpls mptcp netfilter netrom
nf_conntrack_max phonet rds rose rxrpc sctp smc tipc token-ring unix vrf x25
"""
_FOLDERS = frozenset(_FOLDERS_TEXT.split())
# Folders and parameters that lie in a folder of their own below these.
_INNER = ("conf", "icmp", "neigh", "netfilter", "route", "vs", "seg6")

_CORE = """
bpf_jit_enable bpf_jit_harden bpf_jit_kallsyms bpf_jit_limit busy_poll busy_read bypass_prot_mem default_qdisc
dev_weight dev_weight_rx_bias dev_weight_tx_bias devconf_inherit_init_net fb_tunnels_only_for_init_net
flow_limit_cpu_bitmap flow_limit_table_len gro_normal_batch high_order_alloc_disable max_skb_frags mem_pcpu_rsv
message_burst message_cost netdev_budget netdev_budget_usecs netdev_max_backlog netdev_rss_key
netdev_tstamp_prequeue netdev_unregister_timeout_secs optmem_max rmem_default rmem_max rps_default_mask
rps_sock_flow_entries skb_defer_max somaxconn tstamp_allow_data txrehash warnings wmem_default wmem_max
xfrm_acq_expires xfrm_aevent_etime xfrm_aevent_rseqth xfrm_larval_drop
"""
_IPV4 = """
cipso_cache_bucket_size cipso_cache_enable cipso_rbm_optfmt cipso_rbm_strictvalid fib_multipath_hash_fields
fib_multipath_hash_policy fib_multipath_hash_seed fib_multipath_use_neigh fib_notify_on_flag_change fib_sync_mem
fwmark_reflect icmp_echo_enable_probe icmp_echo_ignore_all icmp_echo_ignore_broadcasts
icmp_errors_use_inbound_ifaddr icmp_ignore_bogus_error_responses icmp_msgs_burst icmp_msgs_per_sec icmp_ratelimit
icmp_ratemask igmp_link_local_mcast_reports igmp_max_memberships igmp_max_msf igmp_qrv inet_peer_maxttl
inet_peer_minttl inet_peer_threshold ip_autobind_reuse ip_default_ttl ip_dynaddr ip_early_demux ip_forward
ip_forward_update_priority ip_forward_use_pmtu ip_local_port_range ip_local_reserved_ports ip_no_pmtu_disc
ip_nonlocal_bind ip_unprivileged_port_start ipfrag_high_thresh ipfrag_low_thresh ipfrag_max_dist
ipfrag_secret_interval ipfrag_time nexthop_compat_mode ping_group_range raw_l3mdev_accept tcp_abort_on_overflow
tcp_adv_win_scale tcp_allowed_congestion_control tcp_app_win tcp_autocorking tcp_available_congestion_control
tcp_available_ulp tcp_backlog_ack_defer tcp_base_mss tcp_challenge_ack_limit tcp_child_ehash_entries
tcp_comp_sack_delay_ns tcp_comp_sack_nr tcp_comp_sack_slack_ns tcp_congestion_control tcp_dsack tcp_early_demux
tcp_early_retrans tcp_ecn tcp_ecn_fallback tcp_ecn_option tcp_ecn_option_beacon tcp_ehash_entries tcp_fack
tcp_fastopen tcp_fastopen_blackhole_timeout_sec tcp_fastopen_key tcp_fin_timeout tcp_frto tcp_fwmark_accept
tcp_invalid_ratelimit tcp_keepalive_intvl tcp_keepalive_probes tcp_keepalive_time tcp_l3mdev_accept
tcp_limit_output_bytes tcp_low_latency tcp_max_orphans tcp_max_reordering tcp_max_syn_backlog tcp_max_tw_buckets
tcp_mem tcp_migrate_req tcp_min_rtt_wlen tcp_min_snd_mss tcp_min_tso_segs tcp_moderate_rcvbuf tcp_mtu_probe_floor
tcp_mtu_probing tcp_no_metrics_save tcp_no_ssthresh_metrics_save tcp_notsent_lowat tcp_orphan_retries
tcp_pacing_ca_ratio tcp_pacing_ss_ratio tcp_pingpong_thresh tcp_plb_cong_thresh tcp_plb_enabled
tcp_plb_idle_rehash_rounds tcp_plb_rehash_rounds tcp_plb_suspend_rto_sec tcp_probe_interval tcp_probe_threshold
tcp_recovery tcp_reflect_tos tcp_reordering tcp_retrans_collapse tcp_retries1 tcp_retries2 tcp_rfc1337 tcp_rmem
tcp_rto_max_ms tcp_rto_min_us tcp_sack tcp_shrink_window tcp_slow_start_after_idle tcp_stdurg
tcp_syn_linear_timeouts tcp_syn_retries tcp_synack_retries tcp_syncookies tcp_thin_linear_timeouts tcp_timestamps
tcp_tso_rtt_log tcp_tso_win_divisor tcp_tw_reuse tcp_tw_reuse_delay tcp_window_scaling tcp_wmem
tcp_workaround_signed_windows udp_child_hash_entries udp_early_demux udp_hash_entries udp_l3mdev_accept udp_mem
udp_rmem_min udp_wmem_min xfrm4_gc_thresh
"""
_IPV6 = """
anycast_src_echo_reply auto_flowlabels bindv6only calipso_cache_bucket_size calipso_cache_enable
fib_multipath_hash_fields fib_multipath_hash_policy fib_notify_on_flag_change flowlabel_consistency
flowlabel_reflect flowlabel_state_ranges fwmark_reflect idgen_delay idgen_retries ioam6_id ioam6_id_wide
ip6frag_high_thresh ip6frag_low_thresh ip6frag_secret_interval ip6frag_time ip_nonlocal_bind max_dst_opts_length
max_dst_opts_number max_hbh_length max_hbh_opts_number mld_max_msf mld_qrv seg6_flowlabel xfrm6_gc_thresh
"""
_NAMES = {folder: tuple(text.split()) for folder, text in (("core", _CORE), ("ipv4", _IPV4), ("ipv6", _IPV6))}
_ALMOST = 0.93  # one wrong letter in fourteen
_NEAR = 0.75  # what is worth to be named
_LONG = 8  # letters of a name that is not another one by chance
_JUDGED = frozenset(key for verdict in VERDICTS for key in verdict.keys)


def unknown(key: str) -> str:
    """What to note of a parameter of the network that no kernel of kernel.org has; empty for one that it has."""
    parts = key.split(".")
    if parts[0] != "net" or len(parts) < 2 or key in _JUDGED:
        return ""
    if parts[1] not in _FOLDERS:
        return f"a module that is no part of the kernel makes net.{parts[1]}; without it the host has no such parameter"
    names = _NAMES.get(parts[1])
    if names is None or len(parts) < 3 or parts[2] in _INNER or (len(parts) == 3 and parts[2] in names):
        return ""
    near = get_close_matches(parts[2], names, 3, _NEAR) if len(parts) == 3 else []
    first = max(near, key=lambda name: _alike(name, parts[2]), default="")
    said = f"; near to it is net.{parts[1]}.{first}" if first else ""
    return f"Linux has no such parameter; only a kernel that a vendor has changed may have it{said}"


def _alike(name: str, other: str) -> int:
    """With how many of the same words two names begin."""
    pairs = zip(name.split("_"), other.split("_"))
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def meant(key: str) -> str:
    """The parameter of which a name is a slip, by a letter or so or its beginning; empty where it is none."""
    parts = key.split(".")
    names = _NAMES.get(parts[1], ()) if len(parts) > 2 and parts[0] == "net" else ()
    if len(parts) > 3:
        joined = "_".join(parts[2:])
        return ".".join([*parts[:2], joined]) if joined in names else ""
    stuck = re.sub(r"[A-Z]\w*$", "", parts[-1])  # words of a page without the line break before them
    if stuck != parts[-1] and stuck in names:
        return ".".join([*parts[:2], stuck])
    whole = [f"{start}{parts[-1]}" for start in ("tcp_", "udp_", "ip_", "netdev_")]
    named = [name for name in whole if name in names] or [name for name in names if _by_a_letter(parts[-1], name)]
    found = (named or get_close_matches(parts[-1], names, 1, _ALMOST)) if unknown(key) else []
    return ".".join([*parts[:2], found[0]]) if found else ""


def _by_a_letter(slip: str, name: str) -> bool:
    """Whether a name of some length differs from another one in a single letter."""
    if len(slip) != len(name) or len(name) < _LONG:
        return False
    wrong = [(one, other) for one, other in zip(slip, name) if one != other]
    return len(wrong) == 1 and all(char.isalpha() for char in wrong[0])


# Of these some take words, or numbers of another kind.
_TAKE_WORDS = frozenset(
    (
        *("default_qdisc", "flow_limit_cpu_bitmap", "netdev_rss_key", "rps_default_mask", "ip_local_reserved_ports"),
        *("tcp_allowed_congestion_control", "tcp_available_congestion_control", "tcp_available_ulp"),
        *("tcp_congestion_control", "tcp_fastopen_key"),
    )
)


def takes_numbers(key: str) -> bool:
    """Whether a kernel takes nothing but numbers for a parameter of its network."""
    parts = key.split(".")
    known = parts[0] == "net" and len(parts) == 3 and parts[2] in _NAMES.get(parts[1], ())
    return known and parts[2] not in _TAKE_WORDS


def by_itself(name: str) -> str:
    """The parameter of which a text gives the last part alone, such as `netdev_budget`; empty for none."""
    return next((f"net.{folder}.{name}" for folder in ("core", "ipv4") if name in _NAMES[folder]), "")


# Parameters whose names have other signs than these words.
_OTHER_SIGNS = {
    **{f"fs_{name.replace('-', '_')}": f"fs.{name}" for name in ("file-max", "aio-max-nr")},
    **{f"fs_inotify_{name}": f"fs.inotify.{name}" for name in ("max_user_watches", "max_user_instances")},
    "kernel_threads_max": "kernel.threads-max",
}


def by_words(text: str) -> str:
    """The parameter that goes by `net_core_somaxconn` or `netCoreSomaxconn`, as clouds write it; empty for none."""
    if re.fullmatch(r"(?:net|vm|fs|kernel)[A-Z]\w*", text):
        text = re.sub(r"([A-Z]+(?=[A-Z][a-z])|[A-Z])", r"_\1", text).lower()
    if text in _OTHER_SIGNS:
        return _OTHER_SIGNS[text]
    net = re.fullmatch(r"net_(core|ipv4|ipv6|netfilter)_(neigh_default_)?(\w+)", text)
    if net:
        folder, inner, name = net.groups()
        inside = name in _NAMES.get(folder, ()) or inner or folder == "netfilter"
        return f"net.{folder}.{'neigh.default.' if inner else ''}{name}" if inside else ""
    other = re.fullmatch(r"(vm|fs|kernel)_([a-z]\w*)", text)
    return f"{other[1]}.{other[2]}" if other else ""
