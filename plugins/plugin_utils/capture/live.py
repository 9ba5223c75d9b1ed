# SPDX-License-Identifier: GPL-3.0-or-later
"""Look values up in the facts of one host: by address, and whether somebody has set them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import drivers, kernel
from .model import Address

FAMILIES = ("ring", "channels", "coalesce", "pause", "features", "private_flags", "irq", "routes")
_LINK = ("mtu", "txqueuelen")
_GROUPS = ("tx", "sg", "tso")


class Live:
    """The facts of one host by address."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.nics: Mapping[str, Mapping[str, Any]] = facts.get("nics") or {}
        self.host: Mapping[str, Any] = facts.get("host") or {}
        configured = self.host.get("configured") or {}
        self.parameters: Mapping[str, str] = {**(self.host.get("sysctl") or {}), **(configured.get("parameters") or {})}
        about = self.host.get("kernel") or {}
        self.release = kernel.release_of(about.get("release", ""))
        self.release_text = str(about.get("release", ""))
        self.cpus = int(about.get("cpu_count") or 0)
        self._packaged = _packaged(self.host)

    def cell(self, address: Address) -> Mapping[str, Any] | None:
        """What is known of a value; None where the host does not have it."""
        nic, family, key = address
        if family == "sysctl":
            return {"value": self.parameters[key]} if key in self.parameters else None
        facts = self.nics.get(nic, {})
        if family == "link":
            # iproute2 does not show a queue of no length.
            value = facts.get(key, 0 if key == "txqueuelen" and "mtu" in facts else None)
            return None if value is None else {"value": value}
        cell = (facts.get(family) or {}).get(key)
        return cell if isinstance(cell, Mapping) else None

    def members(self, nic: str, group: str) -> list[str]:
        """The members of a group of features that can change; empty for what is no group."""
        cells = self.nics.get(nic, {}).get("features") or {}
        names = (cells.get(group) or {}).get("members") or []
        return [name for name in names if name in cells and not cells[name].get("fixed")]

    def groups(self, nic: str) -> Iterator[tuple[str, list[str]]]:
        """The groups of features that people write, with the members that can change."""
        for group in _GROUPS:
            names = self.members(nic, group)
            if names:
                yield group, names

    def addresses(self) -> Iterator[Address]:
        """Everything that a driver or the kernel has a value for by itself."""
        for nic, facts in self.nics.items():
            for key in _LINK:
                if "mtu" in facts:
                    yield nic, "link", key
            for family in FAMILIES:
                for key, cell in (facts.get(family) or {}).items():
                    if isinstance(cell, Mapping) and not cell.get("fixed") and not cell.get("members"):
                        yield nic, family, key
        for key in kernel.KEYS:
            if key in self.parameters:
                yield "", "sysctl", key

    def differs(self, address: Address) -> bool | None:
        """Whether somebody has set a value; None where nobody here knows."""
        nic, family, key = address
        cell = self.cell(address)
        if cell is None:
            return None
        if family == "sysctl":
            if key in kernel.KEYS and words(cell["value"]) in self._packaged.get(key, ()):
                return False
            return kernel.differs(key, self.parameters, self.release)
        facts = self.nics[nic]
        driver = str(facts.get("driver", ""))
        if family == "link" and key == "mtu" and facts.get("master"):
            return None  # it follows the bond or bridge
        if family == "pause" and key != "autoneg" and driver == "e1000e" and _on(facts, "pause", "autoneg"):
            return None  # it shows what came of it, and nowhere what was requested
        return drivers.differs(driver, family, key, cell, self.cpus)


def _on(facts: Mapping[str, Any], family: str, key: str) -> bool:
    return bool(((facts.get(family) or {}).get(key) or {}).get("value"))


def _packaged(host: Mapping[str, Any]) -> dict[str, list[str]]:
    """What files of packages and the active profile of tuned set: nobody has to write that into an inventory."""
    found: dict[str, list[str]] = {}
    for file in host.get("sysctl_files") or []:
        if str(file.get("file")).startswith(("/usr/lib/", "/lib/")):
            for key, value in (file.get("sets") or {}).items():
                found.setdefault(str(key), []).append(words(value))
    for key, value in (((host.get("managers") or {}).get("tuned") or {}).get("sysctl") or {}).items():
        found.setdefault(str(key), []).append(words(str(value).lstrip(">")))
    return found


def words(value: Any) -> str:
    """A parameter of the kernel with one blank between its numbers."""
    if isinstance(value, bool):
        return str(int(value))
    return " ".join(str(value).split())
