# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which network manager a bond belongs to: the one that has its files, was named, or has its members."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from ..schema import InputError, Query, Reader
from ..tools import bond as tool
from ..tools import ifcfg, ifupdown, networkd, networkmanager, optional, services, sysfs, transient
from .bonds import DesiredBond

MANAGERS: Mapping[str, tool.Manager] = {
    manager.name: manager
    for manager in (networkmanager.networkmanager, networkd.networkd, ifupdown.ifupdown, ifcfg.ifcfg)
}
_NM, _NETWORKD, _IFUPDOWN, _IFCFG = MANAGERS
_SAY = "say which with manager (in the inventory tuning_network_manager)"


def owned(host: Reader) -> Dict[str, List[str]]:
    """The NICs that each manager of this host has in its hands."""
    facts = _Facts(host)
    return {name: sorted(nics) for name in MANAGERS for nics in [facts.owned(name)] if nics}


def of_paths(paths: Iterable[str]) -> tool.Manager:
    """The manager whose folder the files of a bond lie in."""
    folders = {manager.folder: manager for manager in MANAGERS.values()}
    return next(folders[path.rpartition("/")[0]] for path in paths if path.startswith("/"))


def plan_files(
    host: Reader, choice: str, desired: DesiredBond
) -> Tuple[Optional[tool.Manager], Dict[str, Optional[str]]]:
    """Whose the bond is, and the texts of its files (None for those that go); nobody's if it is not there at all."""
    bond = desired.bond
    every = {name: tool.files(host, manager, bond.name) for name, manager in MANAGERS.items()}
    owners = {name: paths for name, paths in every.items() if paths}
    if len(owners) > 1:
        where = ", ".join(path for paths in owners.values() for path in paths)
        raise InputError(f"bonds: {bond.name}: there are files of several network managers ({where}); remove some")
    owner = next(iter(owners), "")
    if owner and choice not in ("auto", owner):
        raise InputError(
            f"bonds: {bond.name} belongs to {owner} ({owners[owner][0]}), not to {choice}; "
            "set its state to absent first, or leave the manager out"
        )
    if not owner and tool.present(host, bond.name):
        raise InputError(
            f"bonds: {bond.name} is there, but no file of this collection describes it; "
            f"take it out of what made it (`ip link delete dev {bond.name}`), then run again"
        )
    stale: Dict[str, Optional[str]] = dict.fromkeys(owners.get(owner, ()))
    if desired.state == "absent":
        return (MANAGERS[owner], stale) if owner else (None, {})
    manager = MANAGERS[owner or _choose(host, choice, bond)]
    files = manager.render(bond)
    for path in files:
        text = host.read(path)
        if text is not None and not tool.is_ours(text, bond.name):
            foreign = f"{path} was not written by this collection"
            raise InputError(f"bonds: {bond.name}: {foreign}; move it away, or rename the bond")
    return manager, {**stale, **files}


def _choose(host: Reader, choice: str, bond: tool.Bond) -> str:
    facts = _Facts(host)
    if choice == "auto":
        choice = _find_out(facts, bond)
    complaint = _CAN[choice](facts, bond)
    if complaint:
        raise InputError(f"bonds: {bond.name}: {choice} cannot have it: {complaint}")
    return choice


def _find_out(facts: _Facts, bond: tool.Bond) -> str:
    owners = {name: sorted(facts.owned(name) & set(bond.members)) for name in MANAGERS}
    found = [name for name, members in owners.items() if members]
    if not found and set(bond.members) <= _watched(facts):
        return _NM
    if not found:
        found = [name for name in MANAGERS if facts.owned(name)]
        if len(found) == 1:
            return found[0]
        what = f"{', '.join(found)} manage NICs of this host" if found else "none manages any NIC of this host"
        raise InputError(f"bonds: {bond.name}: no network manager manages its members, and {what}; {_SAY}")
    if len(found) > 1:
        what = "; ".join(f"{name} has {', '.join(owners[name])}" for name in found)
        several = f"its members belong to several network managers ({what})"
        raise InputError(f"bonds: {bond.name}: {several}; {_SAY}")
    return found[0]


class _Facts:
    """What the network managers of a host say, asked once and only where it is needed."""

    def __init__(self, host: Reader) -> None:
        self.host = host
        self._owned: Dict[str, Set[str]] = {}
        self._active: Optional[List[str]] = None
        self._nmcli: Optional[List[List[str]]] = None

    def active(self, name: str) -> bool:
        """Whether the service of a manager runs."""
        if self._active is None and not services.may_run(self.host, _UNITS.values()):
            self._active = []
        if self._active is None:
            rows = self.rows("systemctl", "is-active", *_UNITS.values())
            self._active = [manager for manager, row in zip(_UNITS, rows) if row == ["active"]]
        return name in self._active

    def owned(self, name: str) -> Set[str]:
        """The NICs that a manager has in its hands; the way in of the loopback does not count."""
        if name not in self._owned:
            self._owned[name] = _OWNED[name](self) - {"lo"}
        return self._owned[name]

    def nmcli(self) -> List[List[str]]:
        """NIC and state of each NIC that NetworkManager knows."""
        if self._nmcli is None:
            rows = self.rows("nmcli", "--terse", "--fields", "DEVICE,STATE", "device") if self.active(_NM) else []
            self._nmcli = [row for row in rows if len(row) > 1]
        return self._nmcli

    def rows(self, *argv: str) -> List[List[str]]:
        """The words of each line that a command prints; none where it is not installed."""
        out = optional.ask(self.host, Query(argv, 15)).out
        return [re.split(r"[:\s]+", line.strip()) for line in out.splitlines()]


_UNITS: Mapping[str, str] = {_NM: "NetworkManager.service", _NETWORKD: "systemd-networkd.service"}


def _owned_by_networkmanager(facts: _Facts) -> Set[str]:
    return {row[0] for row in facts.nmcli() if row[1] != "unmanaged"} - _watched(facts)


def _watched(facts: _Facts) -> Set[str]:
    """What somebody else has set up, shown as `connected (externally)`: NetworkManager's only if nobody else has it."""
    return {row[0] for row in facts.nmcli() if "(externally)" in row}


def _owned_by_networkd(facts: _Facts) -> Set[str]:
    if not facts.active(_NETWORKD):
        return set()
    rows = facts.rows("networkctl", "list", "--no-legend", "--no-pager")
    return {row[1] for row in rows if len(row) > 4 and row[4] != "unmanaged"}


def _owned_by_ifupdown(facts: _Facts) -> Set[str]:
    return set(ifupdown.stanzas(facts.host))


def _owned_by_ifcfg(facts: _Facts) -> Set[str]:
    names = [name[6:] for name in facts.host.names(ifcfg.FOLDER) if name.startswith("ifcfg-")]
    # Where NetworkManager runs, these files are its own.
    return set() if facts.active(_NM) else {name for name in names if sysfs.present(facts.host, name)}


_OWNED = {
    _NM: _owned_by_networkmanager,
    _NETWORKD: _owned_by_networkd,
    _IFUPDOWN: _owned_by_ifupdown,
    _IFCFG: _owned_by_ifcfg,
}


def _networkmanager_can(facts: _Facts, bond: tool.Bond) -> str:
    if not facts.active(_NM):
        return f"{_UNITS[_NM]} does not run"
    left = [member for member in bond.members if member not in facts.owned(_NM) | _watched(facts)]
    return f"{', '.join(left)} is unmanaged there (nmcli device)" if left else ""


def _networkd_can(facts: _Facts, _bond: tool.Bond) -> str:
    if not facts.active(_NETWORKD):
        return f"{_UNITS[_NETWORKD]} does not run"
    version = transient.version(facts.host)
    if 0 < version < _RELOADS:
        return (
            f"its version here, {version}, has no `networkctl reload`, which came with {_RELOADS}; let another manager "
            "have the bond (manager), or use a later release"
        )
    return ""


def _ifupdown_can(facts: _Facts, bond: tool.Bond) -> str:
    path = f"{ifupdown.FOLDER}/{bond.name}"
    if not ifupdown.sources(facts.host, path):
        return f"{ifupdown.MAIN} does not read {path}; add the line `source {ifupdown.FOLDER}/*` to it"
    return _foreign(ifupdown.stanzas(facts.host), (bond.name, *bond.members))


def _foreign(stanzas: Mapping[str, Set[str]], nics: Sequence[str]) -> str:
    """A member whose own stanza gives it an address would have two masters."""
    for nic in nics:
        if stanzas.get(nic, set()) - {"manual"}:
            return f"{ifupdown.MAIN} or a file it reads configures {nic}; remove its stanza, or make it manual"
    return ""


def _ifcfg_can(facts: _Facts, _bond: tool.Bond) -> str:
    return "" if facts.host.exists(ifcfg.FOLDER) else f"there is no folder {ifcfg.FOLDER}"


# From this version on networkd reads its files anew when it is told to.
_RELOADS = 244

_CAN = {
    _NM: _networkmanager_can,
    _NETWORKD: _networkd_can,
    _IFUPDOWN: _ifupdown_can,
    _IFCFG: _ifcfg_can,
}
