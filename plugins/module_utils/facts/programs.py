# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather where the busiest programs run; a host whose processors are all equally near to its NICs is not asked."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Tuple

from ..host import ReadOnlyHost
from ..tools import cpus, processes

_MOST = 5
_BUSY = 0.25  # of a processor, since it began
_SHORTEST = 60  # seconds; what is younger says nothing
_THREADS = 64


def gather(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """The busiest first, with what they use of a processor, where they may run, and where their threads ran last."""
    nodes = (host.read("/sys/devices/system/node/online") or "").strip()
    if nodes.isdecimal() or not nodes:
        return []
    found = sorted(_busy(host), key=lambda one: (-one[0], one[1]))[:_MOST]
    return [{"name": name, "used": used, **_where(host, pid)} for used, name, pid in found]


def _busy(host: ReadOnlyHost) -> Iterator[Tuple[float, str, str]]:
    """Of each busy program what it has used of a processor, its name, and its number."""
    uptime = re.match(r"\d+", host.read(f"{processes.ROOT}/uptime") or "")
    for pid in host.names(processes.ROOT) if uptime else []:
        one = processes.parse(host.read(f"{processes.ROOT}/{pid}/stat") or "") if pid.isdecimal() else None
        if uptime and one and not one.kernel and int(uptime[0]) - one.began >= _SHORTEST:
            used = one.seconds / (int(uptime[0]) - one.began)
            if used >= _BUSY:
                yield round(used, 2), one.name, pid


def _where(host: ReadOnlyHost, pid: str) -> Dict[str, Any]:
    folder = f"{processes.ROOT}/{pid}"
    threads = [
        processes.parse(host.read(f"{folder}/task/{thread}/stat") or "")
        for thread in host.names(f"{folder}/task")[:_THREADS]
    ]
    ran = [one.processor for one in threads if one]
    may = processes.allowed(host.read(f"{folder}/status") or "")
    return {"allowed": may, "threads": len(ran), "ran": cpus.format_list(ran) if ran else ""}
