# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand the options of a call: what is desired of which key of which NIC."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ..family import HOST, NIC, Family
from ..host import ReadOnlyHost
from ..schema import ABSENT, EXACTLY, Address, Desired, DesiredState, InputError, Unsupported, Value, say
from ..settings import registry
from ..tools import ethtool, ip, sysctl, sysfs, whereabouts
from ..tools.sysctl import NIC_NAME
from . import nics, plan
from .inputs import FORMULAS, understand

Families = Mapping[str, Family]
Layer = Mapping[str, Mapping[str, Any]]

# What a caller that names nothing else gets, and what holds for modules that lack some of these options.
_CALM: Mapping[str, Any] = {
    "state": "present",
    "permanent": False,
    "immediate": True,
    "temporary": None,
    "guard_timeout": 0,
    "hold": False,
    "forget": (),
}
_WEEK = 7 * 24 * 3600


def settle(families: Families, params: Mapping[str, Any]) -> Dict[str, Any]:
    """The options with what follows from others; InputError where they contradict each other."""
    settled = {**_CALM, **params}
    options = [family.option for family in families.values() if not family.follows]
    if settled["state"] == "present" and len(set(options)) == 1 and settled[options[0]] is None:
        raise InputError(f"{options[0]} is missing; say what is desired, or write state: restored")
    for name in ("guard_timeout", "temporary"):
        seconds = settled[name]
        if seconds is not None and not 0 <= seconds <= _WEEK:
            raise InputError(f"{name}: {seconds} is not valid; write seconds, a week at most")
    if settled["forget"] and settled["state"] != "restored":
        raise InputError("forget: it goes with state: restored, and lets go of the originals of NICs that are gone")
    if settled["temporary"]:
        settled["permanent"] = False
    of_nics = any(isinstance(entry, Mapping) and entry.get(registry.OF_EACH) for entry in settled.get("nics") or ())
    if of_nics and registry.OF_EACH in families and settled[registry.OF_EACH] is None:
        settled[registry.OF_EACH] = {}  # so that the file for the next boot has the lines of NICs
    kept = any(family.follows for family in families.values())
    if kept and not (settled["permanent"] or settled["immediate"]):
        raise InputError(
            "permanent and immediate are both false (in the inventory tuning_permanent and tuning_immediate), so there "
            "is nothing to do"
        )
    return settled


def desired(
    host: ReadOnlyHost, families: Families, params: Mapping[str, Any]
) -> Tuple[DesiredState, List[Unsupported]]:
    """The desired values behind the options, and the NICs that are named but not there."""
    layers: List[Tuple[str, Layer]] = []
    absent: List[Unsupported] = []
    entries = params.get("nics") or []
    identities = sysfs.identities(host) if entries else []

    def select(entry: Mapping[str, Any]) -> List[str]:
        known = identities or sysfs.identities(host)
        return nics.select(
            entry,
            known,
            lambda nic: _fastest(host, nic),
            lambda: ip.addresses(host, expiring=True),
            lambda question, nic: whereabouts.answer(host, question, nic),
        )

    def settled(layer: Layer, nic: str = "") -> Layer:
        return _settled(host, families, layer, nic, select)

    own = registry.nic_families(families)
    for entry in entries:
        try:
            for key in entry:
                registry.check_key(str(key))
            each = of_each(entry, families)
            layer = {name: keys for name, family in own.items() for keys in [keys_of(family, entry)] if keys}
            # A mistake shows on every host, not only where a NIC matches.
            example = {**layer, **each("nic")}
            plan.overlay([("", _settled(None, families, example, "", select))], families)
        except InputError as error:
            raise InputError(f"nics: {entry.get('name') or entry.get('match') or 'an entry'}: {error}") from None
        try:
            names = select(entry)
        except nics.Absent as error:
            absent.append(Unsupported(Address("", str(entry["name"]), ""), Desired(ABSENT), str(error)))
            continue
        layers += [(name, settled(layer, name)) for name in names]
        layers += [("", settled(each(name), name)) for name in names if each(name)]
    for name, family in families.items():
        if family.scope == HOST and not (family.follows or family.desire) and params.get(name):
            layers.append(("", settled({name: _whole(family, params[name])})))
    desired = plan.overlay(layers, families)
    for family in families.values():
        desired.update(family.desire(host, params) if family.desire else {})
    return desired, absent


def _settled(
    host: Optional[ReadOnlyHost], families: Families, layer: Layer, nic: str, select: Callable[..., List[str]]
) -> Layer:
    """A layer with numbers in place of its formulas; without a host these are only checked."""
    text = str(layer)
    if not any(word in text for word in (*FORMULAS, *(("'max'",) if "sysctl" in layer else ()))):
        return layer  # most have none, and need not wait for the import
    from . import computed

    source = computed.Source(host, select) if host else None
    return {name: computed.settle(families[name], keys, nic, source) for name, keys in layer.items()}


def of_each(entry: Mapping[str, Any], families: Families) -> Callable[[str], Layer]:
    """The kernel parameters of an entry for one NIC, whose name stands in place of {nic}."""
    keys = _mapping("sysctl", entry.get(registry.OF_EACH) or {}, "net.ipv4.conf.{nic}.rp_filter: VALUE")
    for key in keys:
        if NIC_NAME not in str(key):
            raise InputError(
                f"sysctl {key}: an entry holds parameters of its NICs, with {NIC_NAME} for the name; others "
                "belong to tuning_sysctl"
            )
    if not keys or registry.OF_EACH not in families:
        return lambda _nic: {}
    return lambda nic: {registry.OF_EACH: {sysctl.of_nic(str(key), nic): raw for key, raw in keys.items()}}


def _whole(family: Family, value: Any) -> Mapping[str, Any]:
    """Keys of the host itself."""
    name = family.name
    keys = _mapping(name, value, f"{family.like}: VALUE")
    for key in keys:
        if NIC_NAME in str(key):
            raise InputError(f"{name} {key}: {NIC_NAME} stands for the NICs of an entry; write it under sysctl of one")
    return keys


def _fastest(host: ReadOnlyHost, nic: str) -> int:
    return ethtool.fastest(ethtool.link(host.ask(ethtool.query("", nic)).out))


def keys_of(family: Family, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an entry says to a family; a flat one has its keys in the entry itself."""
    if family.flat:
        return {field.name: entry[field.name] for field in family.fields if entry.get(field.name) is not None}
    value = entry.get(family.name)
    if value is None or isinstance(value, Mapping):
        return value or {}
    return _mapping(family.name, value, _like(family, value))


def _like(family: Family, value: Any) -> str:
    """An example: a key of the family, with what somebody has written in the place of the keys if it takes that."""
    named = [str(word) for word in (value if isinstance(value, list) else [value])]
    for field in family.fields:
        if field.name in named:
            return f"{field.name}: VALUE"
    for field in sorted(family.fields, key=lambda field: field.name not in (family.name, family.like)):
        try:
            understand(field, value)
        except InputError:
            continue
        return f"{field.name}: {say(value) if not isinstance(value, bool) else str(value).lower()}"
    return f"{family.fields[0].name if family.fields else family.like}: VALUE"


def _mapping(name: str, value: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: {value!r} is not valid; write a dictionary such as {{{example}}}")
    return value


def restored(
    host: ReadOnlyHost, families: Families, params: Mapping[str, Any], originals: Mapping[Address, Value]
) -> Tuple[DesiredState, Dict[str, List[Address]]]:
    """The desired values that bring the originals of these families back, on all NICs or on those that are named; and
    the originals of NICs that are gone, by NIC."""
    names = [str(entry.get("name", "")) for entry in params.get("nics") or ()]
    if params.get("nics") and not all(names):
        raise InputError("nics: with state: restored an entry has a name, which may be a pattern, and nothing else")
    desired: DesiredState = {}
    gone: Dict[str, List[Address]] = {}
    for address, value in originals.items():
        family = families.get(address.family)
        if family is None or (names and family.scope != NIC):
            continue
        if names and not any(fnmatchcase(address.scope, name) for name in names):
            continue
        of_nic = family.name == registry.OF_EACH and not host.exists(sysctl.path(address.key))
        nic = address.scope if family.scope == NIC else sysctl.nic_in(address.key) if of_nic else ""
        if nic and not sysfs.present(host, nic):
            gone.setdefault(nic, []).append(address)
        else:
            value = family.original(host, address.key, value) if family.original else value
            desired[address] = Desired(ABSENT) if value is None else Desired(EXACTLY, value)
    return desired, gone
