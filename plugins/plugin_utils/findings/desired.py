# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what the inventory asks for in so many words: the host is not blamed for doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .view import Facts, Host


def against(host: Host, remedy: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a remedy that the inventory asks to be something else, as it asks for them."""
    found: dict[str, Any] = {}
    for entry in Facts(remedy).rows("tuning_host_nics"):
        nic = Facts(host.tune.at("after", "nics", entry.text("name")))
        for family, keys in entry.raw.items():
            if family == "name":
                continue
            flat = not isinstance(keys, Mapping)
            for key, value in ({family: keys} if flat else keys).items():
                desired = nic.at("link", str(key)) if flat else nic.at(str(family), str(key))
                desired = nic.at(str(key)) if flat and desired is None else desired
                if desired is not None and _other(host, entry.text("name"), str(family), str(key), desired, value):
                    found[f"{entry.text('name')} {family}{'' if flat else f' {key}'}"] = desired
    for key, value in Facts(remedy.get("tuning_host_sysctl")).raw.items():
        desired = host.tune.at("after", "sysctl", str(key))
        if desired is not None and _words(desired) != _words(value):
            found[str(key)] = desired
    return found


def desires(host: Host, remedy: Mapping[str, Any]) -> bool:
    """Whether the inventory asks for one of the keys of a remedy, whatever the value."""
    nics = (
        host.tune.at("after", "nics", entry.text("name"), str(family), str(key))
        for entry in Facts(remedy).rows("tuning_host_nics")
        for family, keys in entry.raw.items()
        for key in (keys if isinstance(keys, Mapping) else ())
    )
    parameters = (host.tune.at("after", "sysctl", str(key)) for key in Facts(remedy.get("tuning_host_sysctl")).raw)
    return any(value is not None for value in (*nics, *parameters))


def _other(host: Host, name: str, family: str, key: str, desired: Any, value: Any) -> bool:
    nic = host.nic(name)
    top = nic.maximum(family, key) if nic and value == "max" else None
    return bool(desired != (value if top is None else int(top)))


def _words(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = value.get("at_least")
    return [str(word) for word in value] if isinstance(value, (list, tuple)) else str(value).split()
