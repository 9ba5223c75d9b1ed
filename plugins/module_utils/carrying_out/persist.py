# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep: what the files that survive a reboot have to hold, given what is to be in force now."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..deciding import plan
from ..deciding.resolve import resolve
from ..family import NIC, Family
from ..host import ReadOnlyHost
from ..schema import ABSENT, EXACTLY, Action, Address, Cell, Cells, Desired, DesiredState, Value
from ..tools import sysfs, systemd

Families = Mapping[str, Family]


class Kept(NamedTuple):
    """The desired values for files with the cells they have now, who overrides them, and what to know."""

    desired: DesiredState
    cells: Cells
    rivals: Sequence[Mapping[str, str]] = ()
    remarks: Sequence[str] = ()


def keep(
    host: ReadOnlyHost,
    families: Families,
    params: Mapping[str, Any],
    desired: DesiredState,
    planned: Mapping[Address, Value],
    now: Cells,
) -> Kept:
    """The files behind `desired` that come to what is `planned`, on a host that has `now`."""
    files: DesiredState = {}
    cells: Cells = {}
    rivals: List[Mapping[str, str]] = []
    remarks: List[str] = []
    for family in families.values():
        followed = [families[name] for name in family.follows if name in families]
        if family.path and _about(followed, params):
            # What is brought back needs no file: it is what the host has without us.
            made = _lines(host, family, params, {} if params["state"] == "restored" else desired, planned)
        elif followed and not family.path and _about(followed, params):
            made = _units(host, family, followed, params, desired, planned, now)
        else:
            continue
        files.update(made.desired)
        cells.update(made.cells)
        rivals += made.rivals
        remarks += made.remarks
    return Kept(files, cells, rivals, remarks)


def _about(followed: Sequence[Family], params: Mapping[str, Any]) -> bool:
    """Whether a call is about these families: it asks for something, be it nothing at all, or for what once was."""
    if params["state"] == "restored":
        return not params.get("nics") or any(family.scope == NIC for family in followed)
    return any(params.get(family.option) is not None for family in followed)


def _lines(
    host: ReadOnlyHost,
    family: Family,
    params: Mapping[str, Any],
    desired: DesiredState,
    planned: Mapping[Address, Value],
) -> Kept:
    """A file that holds what is requested and nothing else, so a line that nobody asks for any more goes."""
    path = family.path(params) if family.path else ""
    lines = {
        Address(family.name, path, address.key): one._replace(fallback=planned[address])
        for address, one in desired.items()
        if address.family in family.follows and address in planned
    }
    found = family.read(host, path, [line.key for line in lines]).cells
    cells = {Address(family.name, path, key): cell for key, cell in found.items()}
    # A line that is not in the file yet can be written, unlike a key that a device lacks.
    cells.update({line: Cell(None) for line in lines if line not in cells})
    # A key that this kernel does not have at the moment may be there at the next boot, so its line stays.
    desired_keys = {address.key for address in desired if address.family in family.follows}
    stale = [line for line in cells if line not in lines and line.key not in desired_keys]
    rivals = []
    for rival in family.rivals(host, path, [line.key for line in lines]) if family.rivals else ():
        value = rival["value"]
        if resolve(lines[Address(family.name, path, rival["key"])], Cell(value)) != value:
            rivals.append(rival)
    return Kept({**lines, **dict.fromkeys(stale, Desired(ABSENT))}, cells, rivals)


def _units(
    host: ReadOnlyHost,
    family: Family,
    followed: Sequence[Family],
    params: Mapping[str, Any],
    desired: DesiredState,
    planned: Mapping[Address, Value],
    now: Cells,
) -> Kept:
    """A drop-in for each module and NIC, and what makes systemd run them."""
    restored = params["state"] == "restored"
    if not systemd.running(host):
        remark = "This host does not run systemd, so what is set on NICs will not survive the reboot"
        set_on_nics = not restored and any(address.scope for address in planned)
        return Kept({}, {}, remarks=[remark] if set_on_nics else [])
    names = [str(entry.get("name")) for entry in params.get("nics") or ()]
    coming = _coming(host, followed, params, desired, names, restored)
    own_planned = {address: value for address, value in planned.items() if address.scope not in coming.served}
    texts = {} if restored else _texts(host, followed, desired, own_planned, now)
    there = systemd.dropins(host)
    ours = {systemd.dropin(systemd.nic_of(path), name) for path in there for name in {one.dropin for one in followed}}
    stale = [path for path in there if path in ours and path not in texts and _stale(host, path, names, restored)]
    left = {systemd.nic_of(path) for path in (*there, *texts) if path not in stale}
    files: Dict[str, Any] = {path: text if left else None for path, text in systemd.template().items()}
    files.update(texts)
    files.update(dict.fromkeys(stale))
    files.update({systemd.wants_link(nic): systemd.TEMPLATE for nic in sorted(left)})
    files.update({systemd.wants_link(systemd.nic_of(path)): None for path in stale if systemd.nic_of(path) not in left})
    files.update(coming.files)
    found = family.read(host, "", [*files, *(path for path in there if path in ours and path not in files)]).cells
    cells = {Address(family.name, "", path): found[path] for path in files if path in found}
    before = {path: found[path].value for path in there if path in ours and systemd.nic_of(path) not in coming.served}
    return Kept(
        {
            Address(family.name, "", path): Desired(ABSENT) if text is None else Desired(EXACTLY, text)
            for path, text in files.items()
        },
        cells,
        remarks=[*coming.remarks, *([] if restored else _gone(before, texts))],
    )


class _Coming(NamedTuple):
    """The files for NICs that come later, the NICs that these serve already, and what to know."""

    files: Mapping[str, Optional[str]] = {}
    served: Sequence[str] = ()
    remarks: Sequence[str] = ()


def _coming(
    host: ReadOnlyHost,
    followed: Sequence[Family],
    params: Mapping[str, Any],
    desired: DesiredState,
    names: Sequence[str],
    restored: bool,
) -> _Coming:
    patterns = [name for name in names if not set(name).isdisjoint("*?[")]
    if (restored and names) or not (patterns or host.exists(f"{systemd.FOLDER}/{systemd.LATER}")):
        return _Coming()
    from . import arriving  # most hosts have no patterns, and need not wait for the import

    there = sysfs.identities(host)
    physical = [nic.name for nic in there if nic.physical]
    defaults, remarks = arriving.defaults(followed, {} if restored else params, physical)
    served = [nic.name for nic in there if not nic.physical and arriving.serves(defaults, nic.name, desired)]
    modules = sorted({family.dropin for family in followed})
    return _Coming(arriving.files(host, modules, arriving.texts(host, defaults)), served, remarks)


def _stale(host: ReadOnlyHost, path: str, names: Sequence[str], restored: bool) -> bool:
    """A NIC that is named but not plugged in at the moment keeps its file, as does one that is not to be restored."""
    nic = systemd.nic_of(path)
    if restored:
        return not names or any(fnmatchcase(nic, name) for name in names)
    return sysfs.present(host, nic) or nic not in names


def _texts(
    host: ReadOnlyHost, own: Iterable[Family], desired: DesiredState, planned: Mapping[Address, Value], now: Cells
) -> Dict[str, str]:
    """By path, the drop-ins that bring NICs fresh from their drivers to what is planned."""
    groups: Dict[str, List[Tuple[str, List[str], List[Action]]]] = {}
    for family in own:
        values: Dict[str, Dict[str, Value]] = {}
        for address, value in planned.items():
            if address.family == family.name and family.scope == NIC and not now[address].fixed:
                # A group by its own name: the next kernel may have other members.
                key = desired[address].group if address in desired else ""
                values.setdefault(address.scope, {})[key or address.key] = value
        for nic, keys in sorted(values.items()):
            cells = plan.keys(now, family.name, nic)
            actions = systemd.with_programs(host, (family.boot or family.write)(nic, keys, cells))
            if family.loose and len(keys) > 1:
                alone = [systemd.with_programs(host, family.write(nic, {key: keys[key]}, cells)) for key in keys]
                actions = [systemd.or_each(actions, [action for made in alone for action in made])]
            if actions:
                groups.setdefault(systemd.dropin(nic, family.dropin), []).append((family.name, list(keys), actions))
    return {path: systemd.render(parts) for path, parts in groups.items()}


def _gone(ours: Mapping[str, Value], texts: Mapping[str, str]) -> List[str]:
    """What was taken out of the inventory: its line goes, and its value stays until somebody sets another."""
    said: List[str] = []
    for path, text in ours.items():
        keys = set(systemd.keys(texts.get(path, "")))
        gone = [key for key in systemd.keys(str(text or "")) if key not in keys]
        if gone:
            said.append(
                f"{systemd.nic_of(path)}: {', '.join(gone)} will not be set at the next boot any more; "
                "the value in force stays until then, or until `state: restored`"
            )
    return said
