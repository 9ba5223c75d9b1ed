# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel parameters that harm TCP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..model import Hit, Rule
from ..view import Host

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html"

# How long a packet and its answer take at most inside a site; the network of a campus is still faster.
_ROUND_TRIP_MS = 1


def _equal(key: str, bad: str, good: Any) -> Callable[[Host], Iterator[Hit]]:
    def check(host: Host) -> Iterator[Hit]:
        if host.sysctl(key) == bad:
            yield Hit({key: bad}, remedy={"tuning_host_sysctl": {key: good}})

    return check


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
    # The kernel keeps up to half of a buffer for its own overhead.
    need = speed * 1_000_000 // 8 * _ROUND_TRIP_MS // 1000 * 2
    small = {
        key: found
        for key in ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")
        for found in [host.vector(key)]
        if len(found) == 3 and found[2] < need
    }
    if small:
        enough = max(16777216, 1 << need.bit_length())
        wanted = {key: {"at_least": [found[0], found[1], enough]} for key, found in small.items()}
        evidence = {
            **{key: host.sysctl(key) for key in small},
            "fastest link": f"{speed}Mb/s",
            f"needed for {_ROUND_TRIP_MS} ms": f"{need} bytes",
        }
        severity = "high" if any(found[2] < need // 8 for found in small.values()) else ""
        yield Hit(evidence, remedy={"tuning_host_sysctl": wanted}, severity=severity)


RULES = (
    Rule(
        id="tcp-sack-off",
        severity="medium",
        title="Selective acknowledgements are off",
        condition="net.ipv4.tcp_sack is 0",
        explanation="Without them a sender learns of one lost packet per round trip and sends again what has arrived. "
        "Old advice for 10G turns them off; kernels of today are slower without.",
        action="Switch them on.",
        reference=f"{_PAGE}#tcp-variables",
        host=_equal("net.ipv4.tcp_sack", "0", 1),
    ),
    Rule(
        id="tcp-timestamps-off",
        severity="medium",
        title="TCP timestamps are off",
        condition="net.ipv4.tcp_timestamps is 0",
        explanation="Timestamps measure the round trip and tell old packets from new ones, of which a fast link has "
        "many with the same number. Without them loss recovery is worse.",
        action="Switch them on.",
        reference=f"{_PAGE}#tcp-variables",
        host=_equal("net.ipv4.tcp_timestamps", "0", 1),
    ),
    Rule(
        id="tcp-window-scaling-off",
        severity="high",
        title="TCP windows cannot grow beyond 64 KiB",
        condition="net.ipv4.tcp_window_scaling is 0",
        explanation="A window of 64 KiB is sent within 52 microseconds at 10 Gbit/s, and then the sender waits. No "
        "buffer size helps as long as this is off.",
        action="Switch it on.",
        reference=f"{_PAGE}#tcp-variables",
        host=_equal("net.ipv4.tcp_window_scaling", "0", 1),
    ),
    Rule(
        id="tcp-receive-window-fixed",
        severity="low",
        title="The kernel may not adapt receive windows",
        condition="net.ipv4.tcp_moderate_rcvbuf is 0",
        explanation="Each connection then keeps the default window, however fast and far its peer is. The kernel sizes "
        "windows better than any fixed number.",
        action="Switch it on.",
        reference=f"{_PAGE}#tcp-variables",
        host=_equal("net.ipv4.tcp_moderate_rcvbuf", "0", 1),
    ),
    Rule(
        id="tcp-tw-recycle",
        severity="high",
        title="Connections from behind a NAT are refused",
        condition="net.ipv4.tcp_tw_recycle is 1",
        explanation="Clients behind one address have different clocks, and this setting drops those that seem to go "
        "back in time. Linux 4.12 has removed it.",
        action="Switch it off.",
        reference="https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=4396e46187ca",
        host=_equal("net.ipv4.tcp_tw_recycle", "1", 0),
    ),
    Rule(
        id="tcp-mem-in-bytes",
        severity="high",
        title="TCP may use more memory than there is",
        condition="the third number of net.ipv4.tcp_mem, which counts pages, is more than half the memory of the host, "
        "or all three are equal and more than an eighth",
        explanation="The numbers are pages, and somebody has written bytes. TCP then never saves memory, until the "
        "kernel kills programs for lack of it.",
        action="Leave it to the kernel: take the line out of the file that sets it, and write these pages meanwhile.",
        reference=f"{_PAGE}#tcp-variables",
        host=_pages,
    ),
    Rule(
        id="tcp-buffers-small",
        severity="medium",
        title="TCP buffers are below what the link holds",
        condition="the third number of tcp_rmem or tcp_wmem is below twice what the fastest link sends in 1 ms",
        explanation="A sender may have only as much under way as the buffers hold, and waits for the rest of the round "
        "trip. The kernel grows them up to this number, and memory is used only when needed.",
        action="Raise the maximum; leave the first two numbers to the kernel.",
        reference=f"{_PAGE}#tcp-variables",
        host=_buffers,
    ),
)
