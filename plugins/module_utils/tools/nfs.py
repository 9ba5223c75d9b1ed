# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/self/mountstats: how long the calls of each mount over NFS wait, and for what."""

from __future__ import annotations

import re
from typing import Dict, Mapping

# What moves data; of other calls a mount has few, or they are quick.
_CALLS = ("READ", "WRITE")


def sums(text: str) -> Dict[str, Dict[str, int]]:
    """By the path of the mount: `calls` that read and write, and the ms of all together, here and at the server.

    The numbers of a kind of call are how many there were, how often they were sent, timeouts, bytes both ways, and the
    sums of the ms in the queue, of the round trips, and of all.
    """
    found: Dict[str, Dict[str, int]] = {}
    at = ""
    for line in text.splitlines():
        mount = re.match(r"device \S+ mounted on (\S+) with fstype nfs4?\b", line)
        if mount or line.startswith("device "):
            at = mount[1] if mount else ""
        call = re.match(rf"\s+(?:{'|'.join(_CALLS)}):((?: \d{{1,19}}){{8,}})\s*$", line)
        if at and call:
            numbers = [int(word) for word in call[1].split()]
            own = found.setdefault(at, dict.fromkeys(_COLUMNS, 0))
            found[at] = {name: own[name] + numbers[column] for name, column in _COLUMNS.items()}
    return found


_COLUMNS = {"calls": 0, "queue": 5, "answer": 6}


def each(counted: Mapping[str, int]) -> Dict[str, float]:
    """Of such sums: the calls, and the ms that each of them waited here and for the server; nothing without calls."""
    calls = counted.get("calls", 0)
    waits = {f"{name}_ms": round(counted.get(name, 0) / calls, 1) for name in ("queue", "answer")} if calls else {}
    return {"calls": calls, **waits} if calls else {}
