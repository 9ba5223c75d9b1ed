# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/self/mountstats: how long the calls of each mount over NFS wait, and for what."""

from __future__ import annotations

import re
from typing import Dict, List

# What moves data; of other calls a mount has few, or they are quick.
_CALLS = ("READ", "WRITE")


def waits(text: str) -> Dict[str, Dict[str, float]]:
    """By the path of the mount: `calls` that read and write, and the ms that each waited here and for the server.

    The numbers of a kind of call are how many there were, how often they were sent, timeouts, bytes both ways, and the
    sums of the ms in the queue, of the round trips, and of all.
    """
    found: Dict[str, List[int]] = {}
    at = ""
    for line in text.splitlines():
        mount = re.match(r"device \S+ mounted on (\S+) with fstype nfs4?\b", line)
        if mount or line.startswith("device "):
            at = mount[1] if mount else ""
        call = re.match(rf"\s+(?:{'|'.join(_CALLS)}):((?: \d{{1,19}}){{8,}})\s*$", line)
        if at and call:
            numbers = [int(word) for word in call[1].split()]
            sums = found.setdefault(at, [0, 0, 0])
            found[at] = [old + new for old, new in zip(sums, (numbers[0], numbers[5], numbers[6]))]
    return {
        at: {"calls": calls, "queue_ms": round(queue / calls, 1), "answer_ms": round(answer / calls, 1)}
        for at, (calls, queue, answer) in found.items()
        if calls
    }
