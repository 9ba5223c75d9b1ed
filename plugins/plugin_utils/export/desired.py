# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the variables of an inventory as what is desired of one host, as the modules read them; pure."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import nics, plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Desired, InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds, registry

from ..layers import LayerError, options
from .model import DesiredHost, Entry, Unsaid

_FLAT = {field.name: family.name for family in registry.FAMILIES.values() if family.flat for field in family.fields}
_BONDS = ("tuning_bonds", "tuning_group_bonds", "tuning_host_bonds")


def read(variables: Mapping[str, Any], profiles: Mapping[str, Any]) -> DesiredHost:
    """The desired state; InputError for what no module would take."""

    def load(path: str) -> Any:
        name = PurePosixPath(path).stem
        if name not in profiles:
            raise InputError(f"tuning_profile: the profile '{name}' was not given")
        return profiles[name]

    if "nics" in variables or "sysctl" in variables:
        given: Mapping[str, Any] = variables
    else:
        try:
            given = options(variables, _as_it_is, load)
        except LayerError as error:
            raise InputError(str(error)) from None
    host = plan.overlay([("", {"sysctl": given.get("sysctl") or {}})], registry.FAMILIES)
    others = [
        Unsaid(f"bond {bond['name']}", "a bond is made by the network manager of the host")
        for name in _BONDS
        for bond in variables.get(name) or []
        if isinstance(bond, Mapping) and "name" in bond
    ]
    bonds.parse([bond for name in _BONDS for bond in variables.get(name) or []])
    return DesiredHost(
        _entries(given.get("nics") or []),
        {address.key: one for address, one in host.items()},
        str(variables.get("tuning_tuned_profile") or ""),
        tuple(others),
    )


def _as_it_is(value: Any) -> Any:
    return value


def _entries(written: Sequence[Any]) -> List[Entry]:
    """One for each selector, later layers over earlier ones; a name takes up what patterns before it say of it."""
    found: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], Dict[str, Dict[str, Desired]]] = {}
    for entry in written:
        if not isinstance(entry, Mapping):
            raise InputError(f"nics: {entry!r} is not right; write a dictionary with name or match")
        # Says what is wrong with a selector; which NICs there are does not matter for that.
        with suppress(nics.Absent):
            nics.select(entry, (), lambda _nic: 0)
        match = tuple((str(key), _text(value)) for key, value in (entry.get("match") or {}).items())
        place = (str(entry.get("name") or ""), match)
        layer: Dict[str, Dict[str, Any]] = {}
        for key, value in entry.items():
            registry.check_key(str(key))
            if key in _FLAT:
                layer.setdefault(_FLAT[str(key)], {})[str(key)] = value
            elif key not in registry.SELECTORS and isinstance(value, Mapping):
                layer[str(key)] = dict(value)
            elif key not in registry.SELECTORS:
                raise InputError(f"nics: {key} {value!r} is not right; write a dictionary")
        wanted = plan.overlay([("nic", layer)], registry.FAMILIES)
        families = found.setdefault(place, {})
        for address, one in wanted.items():
            families.setdefault(address.family, {})[address.key] = one
    return [Entry(name, match, _ordered(families)) for (name, match), families in found.items()]


def _text(value: Any) -> str:
    return " ".join(str(one) for one in value) if isinstance(value, (list, tuple)) else str(value)


def _ordered(families: Mapping[str, Dict[str, Desired]]) -> Dict[str, Dict[str, Desired]]:
    """In the order in which the modules set them."""
    return {name: families[name] for name in registry.FAMILIES if name in families}
