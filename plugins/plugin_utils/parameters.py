# SPDX-License-Identifier: GPL-3.0-or-later
"""Know kernel parameters that are gone, without effect or harmful: one table for the import of guides and for audits.

Facts of the kernel, each with the release since which it holds; a guide is judged for the release that is requested.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence, Tuple

from .guide.model import HARMFUL, NO_EFFECT, NOTE

Release = Tuple[int, int]
Numbers = Sequence[int]

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html#tcp-variables"


class Rule(NamedTuple):
    """What an audit says of a host that has the value, beside the verdict's own sentence; `good` is the remedy."""

    id: str
    severity: str
    title: str
    condition: str
    more: str
    good: Optional[int] = None
    action: str = "Switch it on."
    reference: str = _PAGE


class Verdict(NamedTuple):
    """What is said of a parameter, from which release on, and of which values."""

    keys: Tuple[str, ...]
    kind: str
    text: str
    since: Release = (0, 0)
    when: Optional[Callable[[Numbers], bool]] = None
    rule: Optional[Rule] = None

    @property
    def explanation(self) -> str:
        """The two sentences of the rule."""
        return f"{self.text[0].upper()}{self.text[1:]}. {self.rule.more if self.rule else ''}"


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
    Verdict(
        ("net.ipv4.tcp_tw_recycle",),
        HARMFUL,
        "it refuses clients behind one NAT address",
        when=_is(1),
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
        when=_is(0),
        rule=Rule(
            "tcp-timestamps-off",
            "medium",
            "TCP timestamps are off",
            "net.ipv4.tcp_timestamps is 0 and a link has 10000 Mb/s or more; on slower ones it is a note",
            "A fast link reuses sequence numbers within seconds, and recovery from losses is worse.",
            1,
            "Switch them on.",
        ),
    ),
    Verdict(
        ("net.ipv4.tcp_sack",),
        HARMFUL,
        "without SACK TCP learns of one lost packet in each round trip (RFC 2018)",
        when=_is(0),
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
    Verdict(("net.ipv4.tcp_dsack",), HARMFUL, "without DSACK TCP cannot tell reordering from loss", when=_is(0)),
    Verdict(
        ("net.ipv4.tcp_window_scaling",),
        HARMFUL,
        "a window of 64 KiB at most is too small for any fast link",
        when=_is(0),
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
        when=_is(0),
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
        when=_rigid,
    ),
    Verdict(
        ("net.ipv4.tcp_mem", "net.ipv4.udp_mem"),
        HARMFUL,
        "the unit is pages, not bytes: with so many the kernel never limits the memory of the network",
        when=_bytes,
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
    Verdict(
        ("net.ipv4.ip_no_pmtu_disc",),
        NOTE,
        "without path MTU discovery packets get fragmented",
        when=_is(1),
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
        when=_is(1),
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
    Verdict(("net.ipv4.tcp_no_metrics_save",), NOTE, "it is of use for tests between changes only", when=_is(1)),
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
