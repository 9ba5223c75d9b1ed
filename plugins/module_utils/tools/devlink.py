# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `devlink dev param` (iproute2): parameters of a device by name, each with the ways in which it can be set."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

from ..schema import Query, Reader, Run

RUNTIME, PERMANENT, AT_INIT = "runtime", "permanent", "driverinit"


class Parameter(NamedTuple):
    """A value by the way (cmode) in which it can be set."""

    ways: Mapping[str, Any]

    @property
    def way(self) -> str:
        """The way that takes effect soonest."""
        return next((way for way in (RUNTIME, PERMANENT, AT_INIT) if way in self.ways), "")


def ask(host: Reader, handle: str) -> Tuple[Dict[str, Parameter], str]:
    """The parameters of a device such as `pci/0000:3d:00.0`, and why there are none."""
    answer = host.ask(Query(("devlink", "-j", "dev", "param", "show", handle)))
    if answer.rc:
        return {}, answer.complaint
    return parse(answer.out, handle), ""


def parse(text: str, handle: str) -> Dict[str, Parameter]:
    """From `{"param": {"pci/...": [{"name": ..., "values": [{"cmode": ..., "value": ...}]}]}}`."""
    try:
        rows = json.loads(text)["param"][handle]
    except (ValueError, KeyError, TypeError):
        return {}
    found: Dict[str, Parameter] = {}
    for row in rows if isinstance(rows, list) else []:
        ways = {
            str(value["cmode"]): value["value"]
            for value in row.get("values", ())
            if isinstance(value, Mapping) and isinstance(value.get("value"), (bool, int, str))
        }
        if ways:
            found[str(row.get("name"))] = Parameter(ways)
    return found


def spelled(value: Any) -> str:
    """A value as devlink takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def change(handle: str, values: Mapping[str, Tuple[str, str]]) -> List[Run]:
    """Set parameters, each to (value, way)."""
    return [
        Run(("devlink", "dev", "param", "set", handle, "name", name, "value", value, "cmode", way))
        for name, (value, way) in values.items()
    ]
