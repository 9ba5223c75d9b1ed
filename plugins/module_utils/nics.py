# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which NICs an entry of the inventory means; pure."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from .schema import Identity, InputError, nearest

# What the kernel allows in a name, but nothing that a program could take for an option.
_NAME = re.compile(r"[^\s/-][^\s/]{0,63}")


Speed = Callable[[str], int]


def _same(attribute: str) -> Callable[[Identity, str, Speed], bool]:
    return lambda nic, wanted, _speed: fnmatchcase(getattr(nic, attribute).lower(), wanted.lower())


_MATCHES: Dict[str, Callable[[Identity, Any, Speed], bool]] = {
    "driver": _same("driver"),
    "mac": _same("mac"),
    "pci": _same("pci"),
    "bus": lambda nic, wanted, _speed: fnmatchcase(nic.bus, wanted) or fnmatchcase(nic.bus, f"0000:{wanted}"),
    # Last, because it costs a process for each NIC that all the rest has let through.
    "min_speed": lambda nic, wanted, speed: speed(nic.name) >= wanted,
    "max_speed": lambda nic, wanted, speed: 0 < speed(nic.name) <= wanted,
}


def select(entry: Mapping[str, Any], nics: Sequence[Identity], speed: Speed) -> List[str]:
    """The names of the NICs that an entry means; empty when a glob or a match finds none here.

    `speed` gives the highest speed of a NIC in Mb/s, 0 if unknown. InputError for a selector that can mean
    nothing, and for a name that this host does not have.
    """
    if ("name" in entry) == ("match" in entry):
        raise InputError("nics: each entry needs either 'name' or 'match'")
    if "name" in entry:
        return _by_name(entry["name"], nics)
    conditions = _conditions(entry["match"])
    return [
        nic.name
        for nic in nics
        if nic.physical and all(_MATCHES[key](nic, wanted, speed) for key, wanted in conditions)
    ]


def _by_name(name: Any, nics: Sequence[Identity]) -> List[str]:
    if isinstance(name, (list, tuple, Mapping)):
        raise InputError(f"nics: name {name!r} is not right; write one name or pattern, and an entry for each")
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
    for key, wanted in match.items():
        if key not in _MATCHES:
            raise InputError(f"nics: 'match' has no key '{key}'{nearest(key, list(_MATCHES))}")
        if wanted is None or isinstance(wanted, (Mapping, list)) or str(wanted).strip() == "":
            raise InputError(f"nics: match {key} needs one value")
        if not key.endswith("_speed") and not isinstance(wanted, str):
            # YAML reads 52:54:00:12:34:56 as a number with the base 60.
            raise InputError(f"nics: match {key} {wanted!r} is not right; write it in quotes")
        if key.endswith("_speed") and not re.fullmatch(r"\d{1,7}", str(wanted)):
            raise InputError(f"nics: match {key} {wanted!r} is not right; write a number in Mb/s, such as 10000")
    return [
        (key, int(str(match[key])) if key.endswith("_speed") else str(match[key])) for key in _MATCHES if key in match
    ]
