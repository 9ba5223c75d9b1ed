# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what programs use up: files that they may open, queues of their socket files, ports of other programs."""

from __future__ import annotations

from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import fixed_ports, processes, protocols, ss
from .saying import said

# More programs than that do not help a person who reads it.
_MOST = 4
# Sockets are files. With fewer on the whole host nobody has come to the usual limit of 1024.
_SOCKETS = 900
# The share of its limit, in percent, from which on a program is told.
_NEAR = 95


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """Programs near their limit of open files (`open_files`), socket files whose queue is full (`unix_queues`), and
    services that listen on ports which outgoing connections may take (`fixed_ports`)."""
    fill = protocols.sockets(host.read("/proc/net/sockstat") or "")
    files = _open_files(host) if fill.get("sockets_used", 0) >= _SOCKETS else []
    # /proc/net/tcp would tell the ports too, but the kernel looks through its table of all connections for it.
    listening = said(host, Query(("ss", "-xtlnH")))
    told = {
        "open_files": files,
        "unix_queues": ss.full_queues(listening, _MOST),
        "fixed_ports": fixed_ports.listening(listening),
    }
    return {name: found for name, found in told.items() if found}


def _open_files(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    for pid in host.names(processes.ROOT):
        folder = f"{processes.ROOT}/{pid}"
        # The table of files is as large as the highest number in it, so most programs are passed over by one reading.
        size = processes.files_size(host.read(f"{folder}/status") or "") if pid.isdecimal() else 0
        most = processes.files_limit(host.read(f"{folder}/limits") or "") if size >= _SOCKETS else 0
        if most and size * 100 >= most * _NEAR:
            count = len(host.names(f"{folder}/fd"))
            if count * 100 >= most * _NEAR:
                name = (host.read(f"{folder}/comm") or "").strip()
                found.append({"program": name, "pid": int(pid), "open": count, "most": most})
    return sorted(found, key=lambda row: (-row["open"] / row["most"], row["pid"]))[:_MOST]
