# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel parameters that harm TCP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Optional

from ...parameters import VERDICTS
from ...verdict import Verdict
from ..harm import HOUR, cut_short, much, seldom
from ..model import Hit, Rule
from ..view import Host

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html"

# How long a packet and its answer take at most inside a site; the network of a campus is still faster.
_ROUND_TRIP_MS = 1


def _valued(verdict: Verdict, good: Optional[int]) -> Callable[[Host], Iterator[Hit]]:
    def check(host: Host) -> Iterator[Hit]:
        for key in verdict.keys:
            if verdict.when and verdict.when(host.vector(key)):
                yield Hit({key: host.sysctl(key)}, remedy={"tuning_host_sysctl": {key: good}})

    return check


def _uncut(host: Host) -> Iterator[Hit]:
    count, since = much(host, "TcpExtTCPWqueueTooBig")
    now = host.number("protocols", "interval")
    again, _since = host.protocol("TcpRetransSegs")
    # Beside what is sent again some are no trouble: a later acknowledgement makes room.
    if count and count * 100 >= again and (now or not seldom(host, count, HOUR)):
        limits = host.sysctl("net.ipv4.tcp_wmem")
        evidence = {
            "segments that were not cut": f"{count} {since} (TCPWqueueTooBig)",
            "kernel": host.text("kernel", "release"),
            **({"net.ipv4.tcp_wmem": limits} if limits else {}),
        }
        yield Hit(evidence)


def _pages(host: Host) -> Iterator[Hit]:
    """A page has at least 4 KiB, so what is too much with these is too much with larger ones."""
    found, memory = host.vector("net.ipv4.tcp_mem"), host.count("kernel", "memory_kib")
    # The kernel's own choice is a tenth; three equal numbers leave it no stage at which to begin to save.
    much = (
        found[2] * 4 > memory // 2 or (found[0] == found[2] and found[2] * 4 > memory // 8)
        if len(found) == 3
        else False
    )
    if memory and much:
        # The kernel's own choice: a sixteenth of the memory, and three quarters of that for a start.
        pages = memory // 4 // 16
        good = f"{pages * 3 // 4} {pages} {pages * 3 // 2}"
        evidence = {
            "net.ipv4.tcp_mem": host.sysctl("net.ipv4.tcp_mem"),
            "as pages of 4 KiB": f"{found[2] * 4 >> 20} GiB",
            "memory": f"{memory / (1 << 20):.1f} GiB",
        }
        yield Hit(evidence, remedy={"tuning_host_sysctl": {"net.ipv4.tcp_mem": good}})


def _buffers(host: Host) -> Iterator[Hit]:
    speed = max((nic.speed for nic in host.nics if nic.real), default=0)
    trip = host.number("sockets", "rtt_ms") or 0
    # The kernel keeps up to half of a buffer for its own overhead.
    near, far = (int(speed * 1_000_000 / 8 * time / 1000 * 2) for time in (_ROUND_TRIP_MS, trip))
    need = max(near, far)
    small = {
        key: found
        for key in _DEFAULTS
        for found in [host.vector(key)]
        if len(found) == 3 and (found[2] < need or (speed and found[2] < _default(host, key)))
    }
    if not small:
        return
    # Below the eighth part a link cannot be filled even inside of a room; the kernel's own are nobody's fault.
    tiny = any(found[2] < min(near // 8, _default(host, key) or near) for key, found in small.items())
    lowered = [key for key, found in small.items() if found[2] < _default(host, key)]
    # Nor does one connection get more than a 64th part of the memory, or more than the kernel can count.
    room = min(_LARGEST, host.count("kernel", "memory_kib") * 16 or _LARGEST)
    enough = min(max(16777216, 1 << need.bit_length()), room)
    desired = {key: {"at_least": [*found[:2], max(enough, _default(host, key))]} for key, found in small.items()}
    desired = {key: value for key, value in desired.items() if value["at_least"][2] > small[key][2]}
    if not desired:
        return
    evidence = {
        **{key: host.sysctl(key) for key in small},
        "fastest link": f"{speed}Mb/s",
        f"needed for {trip if far > near else _ROUND_TRIP_MS:g} ms": f"{need} bytes",
        **{f"{key}, the kernel's own": f"{_default(host, key)} bytes" for key in lowered},
    }
    harm = far > near and any(found[2] < far // 2 for found in small.values())
    severity = "high" if tiny else "medium" if harm else "note"
    yield Hit(evidence, remedy={"tuning_host_sysctl": desired}, severity=severity)


_LARGEST = 2**31 - 1
# What the kernel chooses where there is memory enough for it (tcp_init in net/ipv4/tcp.c).
_DEFAULTS = {"net.ipv4.tcp_rmem": 6291456, "net.ipv4.tcp_wmem": 4194304}


def _default(host: Host, key: str) -> int:
    """The kernel's own maximum: a 128th part of the memory, up to some MiB."""
    memory = host.count("kernel", "memory_kib") * 1024
    # Some of the memory is the kernel's before it computes this.
    return min(_DEFAULTS[key], memory // 128 * 9 // 10)


def _stamps(host: Host) -> Iterator[Hit]:
    """Below 10G sequence numbers live long enough to do without; some guides for security ask for it."""
    if host.sysctl("net.ipv4.tcp_timestamps") == "0":
        fast = any(nic.real and nic.speed >= 10000 for nic in host.nics)
        remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_timestamps": 1}}
        cut = cut_short(host)
        evidence = {"net.ipv4.tcp_timestamps": "0", **({"connections that came by a SYN cookie": cut} if cut else {})}
        yield Hit(evidence, remedy=remedy, action=_CUT if cut else "", severity="" if fast or cut else "note")


_CUT = (
    "Switch them on, and raise the backlog that overflows (see syn-queue-overflows): without timestamps a SYN cookie "
    "cannot tell how the window is scaled, so each of these connections has 64 KiB for a round trip, and no SACK, for "
    "as long as it lasts. Let the clients connect anew then."
)


def _unpaced(host: Host) -> Iterator[Hit]:
    """TCP paces by itself since Linux 4.13, and well since 4.20; before that only fq does."""
    release = host.release
    if host.sysctl("net.ipv4.tcp_congestion_control") != "bbr" or release == (0, 0) or release >= (4, 20):
        return
    roots = {nic.name: nic.text("queues", "qdisc", "leaf") or nic.text("qdisc") for nic in host.nics if nic.linked}
    other = {name: root for name, root in roots.items() if root not in ("fq", "", "noqueue")}
    default = host.sysctl("net.core.default_qdisc")
    # Below mq each queue has the default one.
    other = {name: root for name, root in other.items() if root != "mq" or default != "fq"}
    if other:
        evidence = {
            "net.ipv4.tcp_congestion_control": "bbr",
            "net.core.default_qdisc": default,
            **{f"qdisc of {name}": root for name, root in other.items()},
            "kernel": host.text("kernel", "release"),
        }
        remedy = {"tuning_host_sysctl": {"net.core.default_qdisc": "fq"}}
        yield Hit(evidence, remedy=remedy, severity="" if release < (4, 13) else "note")


def _of(verdict: Verdict) -> Iterator[Rule]:
    """The rule of a row of the table of parameters; a few look at more than the value."""
    told = verdict.rule
    if told:
        yield Rule(
            id=told.id,
            severity=told.severity,
            title=told.title,
            condition=told.condition,
            explanation=verdict.explanation,
            action=told.action,
            reference=told.reference,
            host=_CHECKS.get(told.id) or _valued(verdict, told.good),
        )


def _marks(host: Host) -> Iterator[Hit]:
    if host.sysctl("net.ipv4.tcp_ecn") == "1" and host.sysctl("net.ipv4.tcp_congestion_control") != "dctcp":
        yield Hit({"net.ipv4.tcp_ecn": "1"}, remedy={"tuning_host_sysctl": {"net.ipv4.tcp_ecn": 2}})


_CHECKS = {"tcp-mem-in-bytes": _pages, "tcp-timestamps-off": _stamps, "ecn-requested": _marks}

RULES = (
    *(rule for verdict in VERDICTS for rule in _of(verdict)),
    Rule(
        id="tcp-segments-not-cut",
        severity="medium",
        title="TCP does not send again what is lost, because its send buffer is too short to cut it",
        condition="TCP has refused to cut a segment at least 1000 times (100 within an interval), once an hour and for "
        "one in a hundred segments that were sent again, as the queue of the socket had more than twice its buffer "
        "(TCPWqueueTooBig)",
        explanation="Since the corrections of SACK in June 2019 a segment is not cut where a socket holds much more "
        "than its buffer. The first kernels with them took programs with small buffers for an attack, and their "
        "connections stand still after a loss until they time out.",
        action="Use a newer kernel (b6653b3629e5, of July 2019); where it is new, let the program leave its send "
        "buffer to the kernel, or set a larger one (SO_SNDBUF).",
        reference="https://bugs.launchpad.net/ubuntu/+source/linux/+bug/1831638",
        host=_uncut,
        proven=True,
    ),
    Rule(
        id="tcp-buffers-small",
        severity="medium",
        title="TCP buffers are below what the link holds",
        condition="the third number of tcp_rmem or tcp_wmem is below a quarter of what the fastest link sends in 1 ms "
        "(high), or below what it sends in the longest round trip of a busy connection (medium); what is only below "
        "twice the former, or below the kernel's own choice, is a note",
        explanation="A sender may have only as much data in flight as the buffers hold, and waits for the rest of the "
        "round trip. The kernel grows the buffers up to this number, and uses memory only when needed.",
        action="Raise the maximum; leave the first two numbers to the kernel.",
        reference=f"{_PAGE}#tcp-variables",
        host=_buffers,
    ),
    Rule(
        id="bbr-without-fq",
        severity="medium",
        title="BBR sends in bursts, because nothing paces it",
        condition="the congestion control is bbr, the kernel is older than 4.13, and a NIC has another queueing "
        "discipline than fq; a note up to 4.19",
        explanation="BBR sets a rate, and before Linux 4.13 only the queueing discipline fq enforces it. Without fq "
        "its bursts overflow the next buffer, and it is slower than cubic.",
        action="Make fq the default, and the root of each NIC (`tc qdisc replace dev NIC root fq`), or use a newer "
        "kernel.",
        reference="https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=218af599fa63",
        host=_unpaced,
    ),
)
