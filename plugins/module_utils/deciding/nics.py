# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which NICs an entry of the inventory means; pure."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ..schema import Identity, InputError, nearest
from . import conditions as where

# What the kernel allows in a name, but nothing that a program could take for an option.
_NAME = re.compile(r"[^\s/-][^\s/]{0,63}")


Speed = Callable[[str], int]
# The addresses of all NICs, such as 192.168.32.1/24; a question to the host, and so asked only where it matters.
Addresses = Callable[[], Mapping[str, Sequence[str]]]


def _same(attribute: str) -> Callable[[Identity, str, Speed], bool]:
    return lambda nic, required, _speed: fnmatchcase(getattr(nic, attribute).lower(), required.lower())


_MATCHES: Dict[str, Callable[[Identity, Any, Speed], bool]] = {
    "driver": _same("driver"),
    "mac": _same("mac"),
    "pci": _same("pci"),
    "bus": lambda nic, required, _speed: fnmatchcase(nic.bus, required) or fnmatchcase(nic.bus, f"0000:{required}"),
    # Last, because it costs a process for each NIC that all the rest has let through.
    "min_speed": lambda nic, required, speed: speed(nic.name) >= required,
    "max_speed": lambda nic, required, speed: 0 < speed(nic.name) <= required,
}


def _silent(_question: str, _nic: str) -> str:
    return ""


def select(
    entry: Mapping[str, Any],
    nics: Sequence[Identity],
    speed: Speed,
    addresses: Addresses = dict,
    ask: where.Ask = _silent,
) -> List[str]:
    """The names of the NICs that an entry means; empty when a glob or a match finds none here.

    `speed` gives the highest speed of a NIC in Mb/s, 0 if unknown, and `ask` what else only the host knows. Only what
    leads to a network, has an address, a default route or is a port of a bond may be virtual.
    InputError for a selector that can mean nothing, and for a name that this host does not have.
    """
    if ("name" in entry) == ("match" in entry):
        keys = ", ".join(str(key) for key in entry if key not in ("name", "match"))
        has = "has both 'name' and 'match'; write one of them" if "name" in entry else "needs 'name' or 'match'"
        raise InputError(f"nics: {f'the entry with {keys}' if keys else 'an entry'} {has}")
    if "name" in entry:
        return _by_name(entry["name"], nics)
    conditions = _conditions(entry["match"])
    networks = None
    if "network" in entry["match"]:
        networks = where.networks("network", entry["match"]["network"], "192.168.32.0/24", "networks")
    placed = where.check(entry["match"])
    own = addresses() if networks is not None or "address" in placed else {}
    inside = _inside(networks, own) if networks is not None else ()
    virtual = networks is not None or where.virtual(placed)
    return [
        nic.name
        for nic in nics
        if nic.name != "lo"
        and (nic.physical or virtual)
        and (networks is None or nic.name in inside)
        and where.hold(placed, nic.name, own.get(nic.name, ()), ask)
        and all(_MATCHES[key](nic, required, speed) for key, required in conditions)
    ]


def _inside(networks: Sequence[Any], addresses: Mapping[str, Sequence[str]]) -> List[str]:
    """The NICs that lead to one of the networks: with an address in it, or in a larger network that it is a part of.

    As for a route, the smallest of larger networks counts: that of a router's uplink may hold all its rooms.
    """
    import ipaddress  # costs as much as the rest of the module, and few entries name a network

    own = [(nic, ipaddress.ip_interface(word)) for nic, words in addresses.items() if nic != "lo" for word in words]
    found: List[str] = []
    for network in networks:
        alike = [(nic, address) for nic, address in own if address.version == network.version]
        within = [(nic, address.network.prefixlen) for nic, address in alike if address.ip in network]
        around = [
            (nic, address.network.prefixlen) for nic, address in alike if network.network_address in address.network
        ]
        least = min(network.prefixlen, max((length for _nic, length in (*within, *around)), default=0))
        found += [nic for nic, _length in within] + [nic for nic, length in around if length >= least]
    return found


def _by_name(name: Any, nics: Sequence[Identity]) -> List[str]:
    if isinstance(name, (list, tuple, Mapping)):
        raise InputError(f"nics: name {name!r} is not valid; write one name or pattern, and an entry for each")
    name = "" if name is None else str(name)
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise InputError(f"nics: {name!r} is not the name of a NIC")
    names = [nic.name for nic in nics]
    if name in names:
        return [name]
    if re.search(r"[*?\[]", name):
        return [nic for nic in names if fnmatchcase(nic, name) and nic != "lo"]
    raise Absent(f"this host has no NIC '{name}'{nearest(name, [nic for nic in names if nic != 'lo'])}")


class Absent(InputError):
    """A NIC is named that this host does not have; `on_unsupported` decides what that means."""


def _conditions(match: Any) -> List[Tuple[str, Any]]:
    if not isinstance(match, Mapping) or not match:
        raise InputError("nics: 'match' needs a dictionary such as {driver: ixgbe, min_speed: 10000}")
    for key, required in match.items():
        if key == "network" or key in where.KEYS:
            continue
        if key not in _MATCHES:
            raise InputError(f"nics: 'match' has no key '{key}'{nearest(key, [*_MATCHES, 'network', *where.KEYS])}")
        if required is None or isinstance(required, (Mapping, list)) or str(required).strip() == "":
            raise InputError(f"nics: match {key} needs one value")
        if not key.endswith("_speed") and not isinstance(required, str):
            # YAML reads 52:54:00:12:34:56 as a number with the base 60.
            raise InputError(f"nics: match {key} {required!r} is not valid; write it in quotes")
        if key.endswith("_speed") and not re.fullmatch(r"\d{1,7}", str(required)):
            raise InputError(f"nics: match {key} {required!r} is not valid; write a number in Mb/s, such as 10000")
    return [
        (key, int(str(match[key])) if key.endswith("_speed") else str(match[key])) for key in _MATCHES if key in match
    ]
