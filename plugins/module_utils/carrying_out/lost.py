# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what only few changes take away, but those for good, such as IPv6 with an MTU below 1280, and bring it back.

A temporary change holds it like what was requested. Where a later call lets it be there again, that sets it at once.
"""

from __future__ import annotations

from typing import Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from ..family import Family
from ..going_back import guard
from ..host import Host
from ..schema import Address, Cells, Change, Value
from ..settings import registry
from .prepare import Call

# So many are named.
_MANY = 5


def gone(families: Mapping[str, Family], beside: Cells) -> List[Address]:
    """What a change takes away for good, until somebody goes back."""
    return [address for address in beside if families[address.family].reach]


def farewell(gone: Sequence[Address], requested: Collection[Address]) -> List[str]:
    """What to say of it, NIC by NIC, but for what the call was told to set, such as LRO on a router."""
    named = {(address.scope, address.key) for address in requested}
    keys: Dict[str, List[str]] = {}
    for address in gone:
        if (address.scope, address.key) not in named:
            keys.setdefault(address.scope, []).append(address.key)
    return [
        f"{nic} loses with this change: {', '.join(_named(found))}; it is restored if the change is reverted"
        for nic, found in keys.items()
    ]


def _named(found: Sequence[str]) -> Sequence[str]:
    return found if len(found) <= _MANY else [*found[: _MANY - 1], f"and {len(found) - _MANY + 1} more"]


def _taken(host: Host) -> Dict[Address, Value]:
    """What temporary changes have taken away for good, as it was."""
    below = guard.temporary(host)
    return {address: value for address, value in below.items() if by_few(address)}


def kept_away(host: Host, call: Call) -> Dict[Address, Value]:
    """What a temporary change has taken away, and this call leaves away, such as IPv6 with an MTU as small."""
    planned = [Change(address, None, value) for address, value in call.plan.planned.items()]
    return {
        address: value for address, value in _taken(host).items() if address.scope in _reach(host, address, planned)
    }


def given_back(host: Host, call: Call) -> Dict[Address, Value]:
    """What a temporary change has taken away, and this call lets be there again."""
    undone = [change._replace(before=change.after, after=change.before) for change in call.plan.changes]
    away = kept_away(host, call)
    return {
        address: value
        for address, value in _taken(host).items()
        if address not in away and address.scope in _reach(host, address, undone)
    }


def left_to(host: Host, call: Call) -> Dict[Address, Value]:
    """What a temporary change has taken away, and this call decides on from now on."""
    return {**kept_away(host, call), **given_back(host, call)}


def give_back(host: Host, call: Call) -> List[str]:
    """Set what this call lets be there again, which nobody else would; gives the remarks."""
    back: Dict[Tuple[str, str], Dict[str, Value]] = {}
    for address, value in given_back(host, call).items():
        back.setdefault(address[:2], {})[address.key] = value
    said: List[str] = []
    for (name, scope), values in back.items():
        complaints = [host.do(action) for action in registry.FAMILIES[name].write(scope, values, {})]
        told = "; ".join(dict.fromkeys(filter(None, complaints)))
        problem = f", but not all of it could be set ({told})" if told else ""
        said.append(
            f"{scope} has again what a temporary change had removed: {', '.join(_named(list(values)))}{problem}"
        )
    return said


def _reach(host: Host, address: Address, changes: Sequence[Change]) -> Sequence[str]:
    """The NICs on which changes take the family of an address away."""
    family = by_few(address)
    near = [change for change in changes if family and change.address.family in family.shaken_by]
    return family.reach(host, near) if family and family.reach else ()


def by_few(address: Address) -> Optional[Family]:
    """The family of an address, if that is one of which only some changes take something away, but that for good."""
    family = registry.FAMILIES.get(address.family)
    return family if family and family.reach else None
