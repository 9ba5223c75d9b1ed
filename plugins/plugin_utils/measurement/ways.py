# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell from what hosts have said of their ways to each other whom a host has to let in, and which routers there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]


def sources(plan: Json, host: str, checked: Mapping[str, Json]) -> list[str]:
    """The addresses that come to this host to measure, as those who come see it; each once."""
    address = plan["addresses"][host]
    told = [(checked.get(other) or {}).get("sources", {}).get(address, ()) for other in plan["hosts"][host]["comers"]]
    return list(dict.fromkeys(source for own in told for source in own))


def routers(checked: Mapping[str, Json]) -> list[str]:
    """The routers that the hosts of a plan send to first, by their addresses."""
    found = [router for told in checked.values() for own in told.get("routers", {}).values() for router in own]
    return sorted(set(found))


def obstacles(checked: Mapping[str, Json], between: Mapping[str, Json]) -> list[str]:
    """Why measuring is of no use: routers of the inventory that would drop what goes through them."""
    users: dict[str, list[str]] = {}
    for host, told in checked.items():
        for own in told.get("routers", {}).values():
            for router in own:
                users.setdefault(router, []).append(host)
    found = []
    for name, told in sorted(between.items()):
        for router in told.get("routers", ()) if told.get("obstacles") else ():
            hosts = list(dict.fromkeys(users.get(router, ())))
            whose = ", ".join(hosts[:_NAMED]) + (f" and {len(hosts) - _NAMED} more" if len(hosts) > _NAMED else "")
            found.append(f"{name} ({router}), the router of {whose}: {'; '.join(told['obstacles'])}")
    return found


# Hosts that are named before the rest is a number.
_NAMED = 4


def hint(told: Json, between: Mapping[str, Json]) -> str:
    """Where to look when a host has not reached its peers: the routers by which it goes there, in a sentence."""
    ways: dict[str, list[str]] = {}
    for peer, own in told.get("routers", {}).items():
        for router in own:
            ways.setdefault(router, []).append(peer)
    parts = [f"{', '.join(peers)} by the router {_who(router, between)}" for router, peers in ways.items()]
    if not parts:
        return ""
    return f"; it goes to {', to '.join(parts)}: see what is dropped there (forwarding, and the forward chain)"


def _who(router: str, between: Mapping[str, Json]) -> str:
    return next((words for words in _known(router, between)), router)


def _known(router: str, between: Mapping[str, Json]) -> Iterator[str]:
    for name, told in between.items():
        if router in told.get("routers", ()):
            words = [*told.get("obstacles", ()), *told.get("doubts", ())]
            yield f"{router}, which is {name}" + (f" ({'; '.join(words)})" if words else "")
