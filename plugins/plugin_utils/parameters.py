# SPDX-License-Identifier: GPL-3.0-or-later
"""Know kernel parameters that are gone, without effect or harmful: one table for the import of guides and for audits.

Facts of the kernel, each with the release since which it holds; a guide is judged for the release that is requested.
"""

from __future__ import annotations

from .guide.model import HARMFUL, NO_EFFECT, NOTE
from .verdict import (
    Rule,
    Verdict,
    at_most_below,
    below,
    greedy,
    in_bytes,
    is_one_of,
    no_range_of_ports,
    rigid,
)

_GONE = "the kernel has no such parameter any more"
VERDICTS = (
    Verdict(("net.ipv4.tcp_tw_recycle",), NO_EFFECT, f"{_GONE} (gone since Linux 4.12)", (4, 12)),
    Verdict(
        ("net.ipv4.tcp_tw_recycle",),
        HARMFUL,
        "it refuses clients behind one NAT address",
        when=is_one_of(1),
        rule=Rule(
            "tcp-tw-recycle",
            "high",
            "Connections from behind a NAT are refused",
            "net.ipv4.tcp_tw_recycle is 1",
            "They have different clocks, and a client that seems to go back in time is dropped; Linux 4.12 removed "
            "the parameter.",
            0,
            "Switch it off.",
            "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=4396e46187ca",
        ),
    ),
    Verdict(("net.ipv4.tcp_low_latency",), NO_EFFECT, "the kernel ignores it since Linux 4.14", (4, 14)),
    Verdict(("net.ipv4.tcp_fack",), NO_EFFECT, "the kernel ignores it since Linux 4.15", (4, 15)),
    Verdict(
        ("net.ipv4.tcp_adv_win_scale",),
        NO_EFFECT,
        "the kernel ignores it since Linux 6.6, which measures how much of a buffer is payload",
        (6, 6),
    ),
    Verdict(
        ("net.ipv4.udp_wmem_min",),
        NO_EFFECT,
        "nothing reads it, for the kernel does not count what UDP has to send",
    ),
    Verdict(
        ("net.ipv4.ipfrag_low_thresh", "net.ipv6.ip6frag_low_thresh"),
        NO_EFFECT,
        "the kernel ignores it since Linux 4.17",
        (4, 17),
    ),
    Verdict(
        ("net.ipv4.ipfrag_secret_interval", "net.ipv6.ip6frag_secret_interval"),
        NO_EFFECT,
        "the kernel ignores it since Linux 3.17",
        (3, 17),
    ),
    Verdict(
        ("net.ipv4.xfrm4_gc_thresh", "net.ipv6.xfrm6_gc_thresh"),
        NO_EFFECT,
        "the kernel ignores it since Linux 4.14",
        (4, 14),
    ),
    Verdict(("net.core.warnings",), NO_EFFECT, "nothing reads it any more", (4, 0)),
    Verdict(
        (
            *("net.ipv4.tcp_available_congestion_control", "net.ipv4.tcp_available_ulp", "net.ipv4.tcp_ehash_entries"),
            *("net.ipv4.udp_hash_entries", "net.netfilter.nf_conntrack_count", "net.core.netdev_rss_key"),
        ),
        NO_EFFECT,
        "it can only be read",
    ),
    Verdict(("net.ipv4.tcp_thin_dupack",), NO_EFFECT, f"{_GONE} (gone since Linux 4.11)", (4, 11)),
    Verdict(
        ("net.ipv4.ip_local_port_range",),
        NO_EFFECT,
        "the kernel refuses it: a range begins at 1024 (net.ipv4.ip_unprivileged_port_start) or later, and ends with "
        "a larger number, 65535 at most",
        (4, 11),
        no_range_of_ports,
    ),
    Verdict(("net.ipv4.tcp_frto_response", "net.ipv4.tcp_cookie_size"), NO_EFFECT, f"{_GONE} (3.10)", (3, 10)),
    Verdict(("net.ipv4.tcp_abc", "net.ipv4.tcp_max_ssthresh"), NO_EFFECT, f"{_GONE} (3.9)", (3, 9)),
    Verdict(("net.ipv4.tcp_dma_copybreak",), NO_EFFECT, f"{_GONE} (3.18)", (3, 18)),
    Verdict(
        ("net.ipv4.route.max_size", "net.ipv4.route.gc_*"),
        NO_EFFECT,
        "it belongs to the route cache, which Linux 3.6 removed",
        (3, 6),
    ),
    Verdict(("net.ipv6.route.max_size",), NO_EFFECT, "the kernel no longer counts IPv6 routes since Linux 6.3", (6, 3)),
    Verdict(("net.*.route.flush",), NO_EFFECT, "it empties a cache once, and is not a setting"),
    Verdict(
        ("net.ipv4.ip_conntrack_*", "net.ipv4.netfilter.*", "net.netfilter.ip_conntrack_*"),
        NO_EFFECT,
        "the old name of connection tracking is gone since Linux 4.9; write net.netfilter.nf_conntrack_...",
        (4, 9),
    ),
    Verdict(("net.netfilter.nf_conntrack_helper",), NO_EFFECT, f"{_GONE} (gone since Linux 6.1)", (6, 1)),
    Verdict(
        ("net.ipv4.icmp_ignore_bogus_error_messages",),
        NO_EFFECT,
        "there is no such parameter; the right name is net.ipv4.icmp_ignore_bogus_error_responses",
    ),
    Verdict(("net.ipv4.inet_peer_gc_*", "net.core.hot_list_length"), NO_EFFECT, _GONE, (3, 6)),
    Verdict(
        ("kernel.sched_latency_ns", "kernel.sched_*granularity_ns", "kernel.sched_migration_cost_ns"),
        NO_EFFECT,
        "it is no longer a sysctl since Linux 5.13",
        (5, 13),
    ),
    Verdict(
        ("kernel.sched_nr_migrate", "kernel.sched_tunable_scaling"), NO_EFFECT, "it is no longer a sysctl", (5, 13)
    ),
    Verdict(("kernel.exec-shield",), NO_EFFECT, "it was never in the mainline kernel, and is gone"),
    Verdict(
        ("net.ipv4.tcp_timestamps",),
        HARMFUL,
        "without timestamps TCP measures round trips badly and cannot tell old segments on fast links",
        when=is_one_of(0),
        rule=Rule(
            "tcp-timestamps-off",
            "medium",
            "TCP timestamps are off",
            "net.ipv4.tcp_timestamps is 0 and a link has 10000 Mb/s or more, or at least 1000 connections (100 within "
            "an interval), and one in a thousand, came by a SYN cookie; else it is a note",
            "A fast link reuses sequence numbers within seconds, recovery from losses is worse, and connections that "
            "come by a SYN cookie scale no window.",
            1,
            "Switch them on.",
        ),
    ),
    Verdict(
        ("net.ipv4.tcp_sack",),
        HARMFUL,
        "without SACK TCP learns of one lost packet in each round trip (RFC 2018)",
        when=is_one_of(0),
        rule=Rule(
            "tcp-sack-off",
            "medium",
            "Selective acknowledgements are off",
            "net.ipv4.tcp_sack is 0",
            "So a burst of losses takes as many round trips to repair, or a timeout. Old advice for 10G turns it off.",
            1,
            "Switch them on.",
        ),
    ),
    Verdict(("net.ipv4.tcp_dsack",), HARMFUL, "without DSACK TCP cannot tell reordering from loss", when=is_one_of(0)),
    Verdict(
        ("net.ipv4.tcp_window_scaling",),
        HARMFUL,
        "a window of 64 KiB at most is too small for any fast link",
        when=is_one_of(0),
        rule=Rule(
            "tcp-window-scaling-off",
            "high",
            "TCP windows cannot grow beyond 64 KiB",
            "net.ipv4.tcp_window_scaling is 0",
            "At 10 Gbit/s it is sent within 52 microseconds, and then the sender waits, however large the buffers are.",
            1,
        ),
    ),
    Verdict(
        ("net.ipv4.tcp_moderate_rcvbuf",),
        HARMFUL,
        "the value 0 disables the kernel's automatic tuning of receive buffers",
        when=is_one_of(0),
        rule=Rule(
            "tcp-receive-window-fixed",
            "low",
            "The kernel does not adapt receive buffers",
            "net.ipv4.tcp_moderate_rcvbuf is 0",
            "Each connection then keeps the default window, however fast and distant its peer is.",
            1,
        ),
    ),
    Verdict(
        ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
        HARMFUL,
        "minimum and maximum are the same: each socket keeps that much when memory is short, and no buffer adapts",
        when=rigid,
    ),
    Verdict(
        ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
        HARMFUL,
        "the first number is what each socket keeps when memory is short; the default is 4096",
        when=greedy,
    ),
    Verdict(
        ("net.ipv4.tcp_rmem",),
        HARMFUL,
        "the largest buffer is smaller than what the kernel begins with by itself, 131072",
        when=at_most_below(131072),
    ),
    Verdict(
        ("net.ipv4.tcp_wmem",),
        HARMFUL,
        "the largest buffer is below 65536, the default of hosts with the least memory",
        when=at_most_below(65536),
    ),
    Verdict(
        ("net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_max_orphans"),
        HARMFUL,
        "it is below the default of 16384 of a host with 4 GiB of memory, and the kernel ends connections above it at "
        "once",
        when=below(16384),
    ),
    Verdict(
        ("net.ipv4.tcp_abort_on_overflow",),
        HARMFUL,
        "it resets clients in a burst, which the kernel would let in a moment later",
        when=is_one_of(1),
    ),
    Verdict(
        ("net.ipv4.tcp_mem", "net.ipv4.udp_mem"),
        HARMFUL,
        "the unit is pages, not bytes: with so many the kernel never limits the memory of the network",
        when=in_bytes,
        rule=Rule(
            "tcp-mem-in-bytes",
            "high",
            "TCP may use more memory than there is",
            "the third number of net.ipv4.tcp_mem, which counts pages, is more than half the memory of the host, or "
            "all three are equal and more than an eighth",
            "TCP then never limits itself, until the kernel kills programs for lack of memory.",
            action="Leave it to the kernel: remove the line from the file that sets it, and set these numbers until "
            "the next boot.",
        ),
    ),
    Verdict(("net.core.somaxconn",), HARMFUL, "it is below the default of 4096", (5, 4), below(4096)),
    Verdict(("net.core.optmem_max",), HARMFUL, "it is below the default of 20480", (3, 0), below(20480)),
    Verdict(
        ("net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default"),
        HARMFUL,
        "it is below the default of 212992",
        (3, 0),
        below(212992),
    ),
    Verdict(("net.core.netdev_max_backlog",), HARMFUL, "it is below the default of 1000", when=below(1000)),
    Verdict(("net.core.netdev_budget",), HARMFUL, "it is below the default of 300", when=below(300)),
    Verdict(
        ("net.ipv4.tcp_limit_output_bytes",), HARMFUL, "it is below the default of 1048576", (4, 20), below(1048576)
    ),
    Verdict(
        ("net.ipv4.ip_no_pmtu_disc",),
        NOTE,
        "without path MTU discovery packets get fragmented",
        when=is_one_of(1),
        rule=Rule(
            "path-mtu-discovery-off",
            "low",
            "The host does not discover the MTU of paths",
            "net.ipv4.ip_no_pmtu_disc is 1",
            "Routers and tunnels on the way cut what is too large, and where fragments are filtered the connection "
            "hangs; some lists for hardening ask for it.",
            0,
            "Switch discovery on; against a path that filters ICMP net.ipv4.tcp_mtu_probing helps.",
            "https://docs.kernel.org/networking/ip-sysctl.html",
        ),
    ),
    Verdict(
        ("net.ipv4.tcp_ecn",),
        NOTE,
        "with the value 1 each connection asks for ECN, which some routers and servers do not bear",
        when=is_one_of(1),
        rule=Rule(
            "ecn-requested",
            "note",
            "All connections ask for ECN",
            "net.ipv4.tcp_ecn is 1 and the congestion control is not dctcp",
            "Downloads over these are slow or fail, while most others gain nothing.",
            2,
            "If connections to some hosts of the internet are slow, leave it to those who connect (the kernel's own); "
            "inside a site whose switches mark packets it is right.",
            "https://github.com/systemd/systemd/issues/9748",
        ),
    ),
    Verdict(("net.ipv4.tcp_no_metrics_save",), NOTE, "it is of use for tests between changes only", when=is_one_of(1)),
    Verdict(
        ("net.ipv4.ip_forward", "net.ipv*.conf.*.forwarding", "net.ipv6.conf.*.seg6_enabled"),
        NOTE,
        "this is routing, not tuning",
    ),
    Verdict(("net.netfilter.*",), NOTE, "the key exists once the module nf_conntrack is loaded"),
    Verdict(("net.bridge.*",), NOTE, "the key exists once the module br_netfilter is loaded"),
    Verdict(("net.ipv4.vs.*",), NOTE, "the key exists once the module ip_vs is loaded"),
    Verdict(
        ("net.core.busy_poll", "net.core.busy_read"),
        NOTE,
        "busy polling costs a processor",
        when=lambda numbers: bool(numbers) and numbers[0] > 0,
    ),
)
