# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide by where a NIC stands in the network: its addresses, routes, link and bond; pure."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Mapping, Sequence

from ..schema import InputError

# What the host says of a NIC to a question below: a word, or nothing.
Ask = Callable[[str, str], str]

DEFAULT_ROUTE, LINK, BOND = "default_route", "link", "bond"
_SWITCHES = {"true": True, "up": True, "yes": True, "false": False, "down": False, "no": False}


def check(match: Mapping[str, Any]) -> Dict[str, Any]:
    """The conditions of a match that are ours, understood; InputError for one that means nothing."""
    return {key: read(key, match[key]) for key, read in _READ.items() if key in match}


def virtual(conditions: Mapping[str, Any]) -> bool:
    """Whether they may mean a NIC without hardware: a bond, VLAN or bridge has addresses and routes."""
    return any(conditions.get(key) for key in ("address", DEFAULT_ROUTE, BOND))


def hold(conditions: Mapping[str, Any], nic: str, addresses: Sequence[str], ask: Ask) -> bool:
    """Whether a NIC with these addresses fulfils them."""
    if "address" in conditions and not _has(conditions["address"], addresses):
        return False
    if any(bool(ask(key, nic)) != conditions[key] for key in (DEFAULT_ROUTE, LINK) if key in conditions):
        return False
    required = conditions.get(BOND)
    if isinstance(required, bool):
        return bool(ask(BOND, nic)) == required
    return required is None or any(fnmatchcase(ask(BOND, nic), pattern) for pattern in required if ask(BOND, nic))


def _switch(key: str, raw: Any) -> bool:
    word = str(raw).strip().lower()
    if word not in _SWITCHES or (key != LINK and word in ("up", "down")):
        words = "up or down" if key == LINK else "true or false"
        raise InputError(f"nics: match {key} {raw!r} is not valid; write {words}")
    return _SWITCHES[word]


def _bond(key: str, raw: Any) -> Any:
    if isinstance(raw, bool):
        return raw
    words = raw if isinstance(raw, (list, tuple)) else [raw]
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise InputError(f"nics: match {key} {raw!r} is not valid; write a name such as bond0, true or false")
    return [word.strip() for word in words]


def _address(key: str, raw: Any) -> List[Any]:
    if raw is False:
        return []  # none at all, as of a NIC that only listens
    return networks(key, raw, "192.168.32.1", "addresses")


def networks(key: str, raw: Any, example: str, what: str) -> List[Any]:
    """The networks of one condition; InputError for what is none, and for one that holds all addresses there are."""
    import ipaddress  # costs as much as the rest of the module, and few entries name an address

    words = [str(word).strip() for word in (raw if isinstance(raw, (list, tuple)) else [raw])]
    try:
        found = [ipaddress.ip_network(word, strict=False) for word in words]
    except ValueError as error:
        raise InputError(f"nics: match {key} {raw!r} is not valid ({error}); write {example}") from None
    if not found or any(network.prefixlen == 0 for network in found):
        raise InputError(f"nics: match {key} {raw!r} does not select NICs; write {what} of your hosts")
    return found


def _has(required: Sequence[Any], addresses: Sequence[str]) -> bool:
    """Whether one of the addresses is meant, by itself or by a network that it lies in; or none is there, as meant."""
    if not (required and addresses):
        return not (required or addresses)
    import ipaddress

    own = [ipaddress.ip_interface(word).ip for word in addresses]
    return any(address.version == network.version and address in network for address in own for network in required)


_READ: Mapping[str, Callable[[str, Any], Any]] = {
    "address": _address,
    DEFAULT_ROUTE: _switch,
    LINK: _switch,
    BOND: _bond,
}
KEYS = tuple(_READ)
