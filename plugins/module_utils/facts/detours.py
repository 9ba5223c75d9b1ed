# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather networks of a host's own wires that another table of routes leads into a tunnel."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Mapping

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import route_table
from .saying import said

# Tables that are looked at; a host with more of them is a router with a plan.
_MOST = 4


def gather(host: ReadOnlyHost, tunnels: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Each with its `network` and `nic`, and the tunnel (`by`), `table` and `priority` by which it is led away.

    Asked only of hosts with a tunnel, by `ip rule` and for each table before the main one.
    """
    names = [row["nic"] for row in tunnels if row.get("kind") in ("tun", "wireguard")]
    own = [route for route in _connected(host) if route.nic not in names] if names else []
    tables = list(route_table.before_main(said(host, Query(("ip", "-4", "rule", "show"))))) if own else []
    found: List[Dict[str, Any]] = []
    led: List[str] = []
    for priority, table in tables[:_MOST]:
        listed = said(host, Query(("ip", "-4", "route", "show", "table", table)))
        ways = list(route_table.listed(listed))
        for route in own:
            over = [
                way for way in ways if route.network & way.mask == way.network and way.mask & route.mask == way.mask
            ]
            best = max(over, key=lambda way: way.length, default=None)
            # The first table that leads somewhere decides; a wider one than /8 is as good as a default route.
            if best and best.length >= route_table.SHORTEST and str(route) not in led:
                if best.nic in names:
                    about = {"network": str(route), "nic": route.nic, "by": best.nic}
                    found.append({**about, "table": table, "priority": priority})
                led.append(str(route))
    return found


def _connected(host: ReadOnlyHost) -> Iterator[route_table.Route]:
    """The networks of the wires by the main table."""
    for route in route_table.head(host.read(route_table.TABLE) or ""):
        if not route.routed and route_table.SHORTEST <= route.length <= 30:
            yield route
