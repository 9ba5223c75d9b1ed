# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the teams of a host (teamd) with the state of their ports; one without any is not asked."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..tools import team
from .saying import said


def gather(host: ReadOnlyHost) -> Dict[str, Dict[str, Any]]:
    """By team: its runner, and by port its link and the partner of LACP."""
    found = {name: team.state(said(host, team.query(name))) for name in team.names(host)}
    return {name: about for name, about in found.items() if about.get("ports")}
