# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the teams of a host (teamd) with the state of their ports; one without any is not asked."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..schema import TuningError
from ..tools import team


def gather(host: ReadOnlyHost) -> Dict[str, Dict[str, Any]]:
    """By team: its runner, and by port its link and the partner of LACP."""
    found = {name: team.state(_said(host, name)) for name in team.names(host)}
    return {name: about for name, about in found.items() if about.get("ports")}


def _said(host: ReadOnlyHost, name: str) -> str:
    try:
        return host.ask(team.query(name)).out
    except TuningError:
        return ""
