# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what IPv6 has on a NIC, which nobody asks for here, but an MTU below 1280 takes away.

The kernel brings IPv6 back with a larger MTU, but not the addresses, routes and parameters that somebody had set.
"""

from __future__ import annotations

from typing import Iterator, List, Mapping, Sequence, Tuple

from ..schema import ABSENT, NIC, Action, Cell, Change, Family, Reader, Reading, Run, Value
from ..tools import ipv6 as tool
from ..tools import sysctl, sysfs

_ADDRESS, _ROUTE = "address ", "route "


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    addresses = tool.addresses(host, nic)
    found = {
        **{_ADDRESS + address: words for address, words in addresses.items()},
        **{_ROUTE + route: words for route, words in tool.routes(host, nic, tool.without_route(addresses)).items()},
        **tool.parameters(host, nic, keys),
    }
    cells = {key: Cell(found.get(key, ABSENT)) for key in (*keys, *found)}
    return Reading(cells, "the NIC has no IPv6")


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Sequence[Action]:
    """Addresses first, for routes are reached by them, and those with a gateway by the others."""
    actions: List[Action] = []
    sources = {two for value in values.values() for one, two in _pairs(str(value)) if one == "src"}
    for key, value in values.items():
        words = str(value).split()
        if value == ABSENT:
            continue  # it goes with the MTU
        if key.startswith(_ADDRESS):
            # A route from it cannot wait until the kernel has looked for another owner.
            words += ["nodad"] if words[0].partition("/")[0] in sources else []
            actions.append(Run(("ip", "-6", "address", "replace", *words, "dev", nic)))
        elif key.startswith(_ROUTE):
            actions.append(Run(("ip", "-6", "route", "replace", *words, "dev", nic)))
        else:
            actions.append(sysctl.poke(key, str(value)))
    return sorted(actions, key=_turn)


def _pairs(text: str) -> Iterator[Tuple[str, str]]:
    words = text.split()
    return zip(words, words[1:])


def _turn(action: Action) -> int:
    if not isinstance(action, Run):
        return 0
    return 1 if action.argv[2] == "address" else 2 + ("via" in action.argv)


def _reach(host: Reader, changes: Sequence[Change]) -> List[str]:
    nics = [
        change.address.scope
        for change in changes
        if change.address.key == "mtu" and isinstance(change.after, int) and change.after < tool.LEAST_MTU
    ]
    return [name for nic in nics for name in (nic, *sysfs.all_above(host, nic))]


ipv6 = Family(
    name="ipv6",
    module="link",
    scope=NIC,
    read=_read,
    write=_write,
    about="What IPv6 has on a NIC, which an MTU below 1280 takes away.",
    flat=True,
    shaken_by=("link",),
    reach=_reach,
    whole=True,
)
