# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what IPv6 has on a NIC, which nobody asks for here, but other changes take away.

An MTU below 1280 ends IPv6 on the NIC, and so does `disable_ipv6`. The kernel brings it back when that goes, but not
the addresses, routes and parameters that somebody had set. Any other MTU becomes that of IPv6 as well (addrconf.c).
"""

from __future__ import annotations

import re
from typing import Iterator, List, Mapping, Sequence, Tuple

from ..family import NIC, Family
from ..schema import ABSENT, Action, Cell, Change, Reader, Reading, Run, Value
from ..tools import ipv6 as tool
from ..tools import sysctl, sysfs

_ADDRESS, _ROUTE = "address ", "route "
_DISABLE = re.compile(r"net\.ipv6\.conf\.([^.]+)\.disable_ipv6")


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
    small = [nic for nic, mtu in _mtus(changes) if mtu < tool.LEAST_MTU]
    return list(dict.fromkeys([*_stacks(host, small), *sysctl.switched_on(host, _DISABLE, changes)]))


def _mtus(changes: Sequence[Change]) -> List[Tuple[str, int]]:
    found = [(change.address.scope, change.after) for change in changes if change.address.key == "mtu"]
    return [(nic, value) for nic, value in found if isinstance(value, int)]


def _stacks(host: Reader, nics: Sequence[str]) -> List[str]:
    """These NICs, and what stands on them."""
    return [name for nic in nics for name in (nic, *sysfs.all_above(host, nic))]


def _read_mtu(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    key = sysctl.of_nic(f"net.ipv6.conf.{sysctl.NIC_NAME}.mtu", nic)
    value = sysfs.text(host, sysctl.path(key))
    usual = value == sysfs.text(host, f"{sysfs.ROOT}/{nic}/mtu")
    return Reading({} if not value or (usual and key not in keys) else {key: Cell(value)}, "the NIC has no IPv6")


def _write_mtu(_nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Sequence[Action]:
    return [sysctl.poke(key, str(value)) for key, value in values.items() if value != ABSENT]


def _reach_mtu(host: Reader, changes: Sequence[Change]) -> List[str]:
    return list(dict.fromkeys(_stacks(host, [nic for nic, mtu in _mtus(changes) if mtu >= tool.LEAST_MTU])))


ipv6 = Family(
    name="ipv6",
    module="link",
    scope=NIC,
    read=_read,
    write=_write,
    about="What IPv6 has on a NIC, which an MTU below 1280 or `disable_ipv6` takes away.",
    flat=True,
    shaken_by=("link", "sysctl"),
    reach=_reach,
    whole=True,
)

ipv6_mtu = Family(
    name="ipv6_mtu",
    module="link",
    scope=NIC,
    read=_read_mtu,
    write=_write_mtu,
    about="An MTU of IPv6 that is smaller than that of the NIC, which any change of the latter takes away.",
    flat=True,
    shaken_by=("link",),
    reach=_reach_mtu,
)
