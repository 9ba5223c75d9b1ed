# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what a program says that a host may do without."""

from __future__ import annotations

from ..host import ReadOnlyHost
from ..schema import Query, TuningError


def said(host: ReadOnlyHost, query: Query) -> str:
    """What it says; nothing where it is absent or does not end, for then other facts have to do."""
    try:
        return host.ask(query).out
    except TuningError:
        return ""
