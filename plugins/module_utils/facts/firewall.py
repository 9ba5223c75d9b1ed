# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather how long the lists of the firewall are, where packets cost the processors more than they should."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Mapping

from ..host import ReadOnlyHost
from ..tools import iptables
from .saying import said

# The part of the time of all processors from which on somebody would ask what they do.
_PART = 4


def gather(host: ReadOnlyHost, softnet: Iterable[Mapping[str, Any]]) -> Dict[str, int]:
    """The rules of iptables and how many of them are there already; only while a quarter of all time is softirq."""
    grown = [row.get("growth", {}) for row in softnet]
    spent, busy = (sum(row.get(key, 0) for row in grown) for key in ("time", "softirq"))
    return iptables.count(said(host, iptables.saved())) if spent and busy * _PART >= spent else {}
