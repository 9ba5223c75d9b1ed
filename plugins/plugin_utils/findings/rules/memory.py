# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that is missing at once: a driver cannot wait for it, so that packets are lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import lost, much
from ..model import Hit, Rule, sysctl_remedy
from ..view import Host

_KEY = "vm.min_free_kbytes"
# As much memory as all links of a host can fill within this time should be free at any moment.
_MS = 20
# No more than a part of the memory: what is kept free is not there for anything else.
_PART = 50


def _reserve(host: Host) -> int:
    """KiB: twice what the links bring meanwhile, for a buffer is larger than a packet; 64 MiB at least."""
    speeds = sum(nic.speed or 1000 for nic in host.nics if nic.linked)
    needed = max(65536, speeds * 1000 // 8 * _MS // 1000 * 2)
    memory = host.count("kernel", "memory_kib")
    return min(needed, memory // _PART) if memory else needed


def _short(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        loss = lost(nic, "rx_no_memory")
        if loss and nic.linked:
            evidence: dict[str, Any] = {"no memory for a receive buffer": loss.text, "driver": nic.driver}
            now, best = host.whole(_KEY), _reserve(host)
            if now:
                evidence[_KEY] = now
            remedy = {"tuning_host_sysctl": {_KEY: {"at_least": best}}} if 0 < now < best else {}
            yield Hit(evidence, nic.name, remedy=remedy, mends=sysctl_remedy(vm__min_free_kbytes=best))


def _waits(host: Host) -> Iterator[Hit]:
    share = host.number("brakes", "memory_waits") or 0
    if share < _STILL:
        return
    refused, since = much(host, "TcpExtListenOverflows")
    memory = host.count("kernel", "memory_kib")
    evidence = {
        "all programs waited for memory": f"{share:g} % of the last five minutes",
        **({"memory": f"{memory / (1 << 20):.1f} GiB"} if memory else {}),
        **({"accept queue overflowed": f"{refused} times {since}"} if refused else {}),
    }
    yield Hit(evidence)


# Percent: a host that starts or ends something large has less on average.
_STILL = 20


RULES = (
    Rule(
        id="memory-thrashes",
        severity="medium",
        title="All programs of the host wait for memory much of the time",
        condition="in 20 % of the last five minutes all programs at once waited for memory (PSI, `full`)",
        explanation="Their pages are read from disk or swap again and again. Connections are accepted late and answers "
        "come after seconds, which looks like a slow or lossy network from outside.",
        action="See which program takes the memory (`ps aux --sort -rss`) and give it less, or the host or container "
        "more; buffers of the network are not to blame unless sockstat shows many pages.",
        reference="https://docs.kernel.org/accounting/psi.html",
        host=_waits,
    ),
    Rule(
        id="receive-memory-short",
        severity="medium",
        title="The driver gets no memory for received packets",
        condition="a driver got no memory for a receive buffer at least 1000 times (100 within an interval), and more "
        "than once in 100000 packets",
        explanation="A driver asks for memory in an interrupt, where it cannot wait until the kernel has freed some. "
        "Without a buffer the next packets are lost, and the kernel log shows page allocation failures.",
        action="Let the kernel keep more memory free, and find the program that uses up the rest.",
        reference="https://docs.kernel.org/admin-guide/sysctl/vm.html#min-free-kbytes",
        host=_short,
        proven=True,
    ),
)
