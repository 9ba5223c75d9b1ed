# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the kernel's own reasons for the packets that it drops within an interval."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..schema import Query, TuningError
from ..tools import drops

# Reading all else takes its time, too.
_SPARE = 60


def begin(host: ReadOnlyHost, interval: float) -> str:
    """Begin to trace where this kernel can; the instance for it, or nothing."""
    for root in drops.ROOTS:
        # Before Linux 5.17 the event has no reason.
        if interval > 0 and " reason;" in (host.read(f"{root}/{drops.EVENT}/format") or ""):
            return _said(host, drops.begin(root, int(interval) + _SPARE)).strip()
    return ""


def gather(host: ReadOnlyHost, instance: str) -> Dict[str, Any]:
    """End it, and count the drops by reason."""
    return drops.parse(_said(host, drops.end(instance))) if instance else {}


def _said(host: ReadOnlyHost, argv: Any) -> str:
    try:
        answer = host.ask(Query(argv))
    except TuningError:
        return ""
    return answer.out if answer.rc == 0 else ""
