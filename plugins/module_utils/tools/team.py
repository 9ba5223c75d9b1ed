# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak teamdctl: what the daemon of the team driver says of its ports."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping

from ..schema import Query, Reader

# The daemon of each team has a file here, under the name of the team.
_RUN = "/run/teamd"


def names(host: Reader) -> List[str]:
    """The teams that a daemon serves, by name."""
    found = (re.fullmatch(r"([^-/\s][^/\s]{0,14})\.pid", file) for file in host.names(_RUN))
    return [match[1] for match in found if match]


def query(team: str) -> Query:
    """The state of a team, as JSON in any version."""
    return Query(("teamdctl", team, "state", "dump"))


def state(text: str) -> Dict[str, Any]:
    """Parse `teamdctl TEAM state dump`: the runner, the active port where there is one, and by port what it says.

    `link` is up or down. With the runner lacp, `partner` is the MAC of the system that speaks LACP at the other end,
    all zeros if none does, and `selected` whether its aggregator carries packets.
    """
    try:
        told = _table(json.loads(text))
    except ValueError:
        return {}
    ports = {name: _port(_table(about)) for name, about in _table(told.get("ports")).items()}
    active = _table(told.get("runner")).get("active_port")
    return {
        "runner": str(_table(told.get("setup")).get("runner_name", "")),
        "ports": ports,
        **({"active": active} if isinstance(active, str) and active else {}),
    }


def _port(about: Mapping[str, Any]) -> Dict[str, Any]:
    up, lacp = _table(about.get("link_watches")).get("up"), _table(about.get("runner"))
    partner = _table(lacp.get("partner_lacpdu_info")).get("system")
    selected = _table(lacp.get("aggregator")).get("selected")
    return {
        **({"link": "up" if up else "down"} if isinstance(up, bool) else {}),
        **({"partner": partner} if isinstance(partner, str) else {}),
        **({"selected": selected} if isinstance(selected, bool) else {}),
    }


def _table(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}
