# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the variables of an inventory as what is desired of one host, as the modules read them; pure."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import computed, desire, nics, plan
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
    entries = given.get("nics") or []
    each, unnamed = _of_each(entries)
    host = plan.overlay([("", _settled({"sysctl": {**(given.get("sysctl") or {}), **each}}))], registry.FAMILIES)
    parameters = given.get("module_parameters") or {}
    plan.overlay([("", {"module_parameters": parameters})], registry.FAMILIES)
    others = [
        Unsaid(f"module_parameters {key}: {value}", "it belongs to the options of modprobe.d(5)")
        for key, value in parameters.items()
    ] + unnamed
    others += [
        Unsaid(f"bond {bond['name']}", "a bond is made by the network manager of the host")
        for name in _BONDS
        for bond in variables.get(name) or []
        if isinstance(bond, Mapping) and "name" in bond
    ]
    bonds.parse([bond for name in _BONDS for bond in variables.get(name) or []])
    return DesiredHost(
        _entries(entries),
        {address.key: one for address, one in host.items()},
        str(variables.get("tuning_tuned_profile") or ""),
        tuple(others),
    )


def _of_each(entries: Sequence[Any]) -> Tuple[Dict[str, Any], List[Unsaid]]:
    """The kernel parameters that entries have for each of their NICs: those of NICs with a name, and the others."""
    found: Dict[str, Any] = {}
    unnamed: List[Unsaid] = []
    for entry in entries:
        if not isinstance(entry, Mapping) or not entry.get(registry.OF_EACH):
            continue
        of_nic, name = desire.of_each(entry, registry.FAMILIES), str(entry.get("name") or "")
        if name and not re.search(r"[*?\[]", name):
            found.update(of_nic(name)[registry.OF_EACH])
        else:
            selector = name or str(dict(entry.get("match") or {}))
            why = "only the host knows which NICs these are"
            unnamed += [Unsaid(f"{selector} sysctl {key}", why) for key in entry[registry.OF_EACH]]
    return found, unnamed


def _as_it_is(value: Any) -> Any:
    return value


def _entries(written: Sequence[Any]) -> List[Entry]:
    """One for each selector, later layers over earlier ones; a name takes up what patterns before it say of it."""
    found: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], Dict[str, Dict[str, Desired]]] = {}
    for entry in written:
        if not isinstance(entry, Mapping):
            raise InputError(f"nics: {entry!r} is not valid; write a dictionary with name or match")
        # Says what is wrong with a selector; which NICs there are does not matter for that.
        with suppress(nics.Absent):
            nics.select(entry, (), lambda _nic: 0)
        match = tuple((str(key), _text(value)) for key, value in (entry.get("match") or {}).items())
        selector = (str(entry.get("name") or ""), match)
        layer: Dict[str, Dict[str, Any]] = {}
        for key, value in entry.items():
            try:
                registry.check_key(str(key))
            except InputError as error:
                raise InputError(f"nics: {entry.get('name') or entry.get('match')}: {error}") from None
            if key in _FLAT:
                layer.setdefault(_FLAT[str(key)], {})[str(key)] = value
            elif key == registry.OF_EACH:
                continue
            elif key not in registry.SELECTORS and isinstance(value, Mapping):
                layer[str(key)] = dict(value)
            elif key not in registry.SELECTORS:
                raise InputError(f"nics: {key} {value!r} is not valid; write a dictionary")
        layered = plan.overlay([("nic", _settled(layer))], registry.FAMILIES)
        families = found.setdefault(selector, {})
        for address, one in layered.items():
            families.setdefault(address.family, {})[address.key] = one
    return [Entry(name, match, _ordered(families)) for (name, match), families in found.items()]


def _settled(layer: Mapping[str, Mapping[str, Any]]) -> Dict[str, Dict[str, Any]]:
    """What only the host can compute is no value here, but keeps its words."""
    elsewhere = computed.Elsewhere()
    return {name: computed.settle(registry.FAMILIES[name], keys, "nic", elsewhere) for name, keys in layer.items()}


def _text(value: Any) -> str:
    return " ".join(str(one) for one in value) if isinstance(value, (list, tuple)) else str(value)


def _ordered(families: Mapping[str, Dict[str, Desired]]) -> Dict[str, Dict[str, Desired]]:
    """In the order in which the modules set them."""
    return {name: families[name] for name in registry.FAMILIES if name in families}
