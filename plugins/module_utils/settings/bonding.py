# SPDX-License-Identifier: GPL-3.0-or-later
"""Know bonds: the options of the kernel's driver, which of them change on a live bond, and how a bond is made."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..family import ENTRY, Family
from ..schema import ABSENT, EXACTLY, WATCH, Action, Address, Cell, Desired, Reader, Reading, Run, Save, Value
from ..tools import bond as tool
from ..tools import ip, sysfs
from . import bonds, managers

# The driver takes these only without members, or while the bond is down: changing one means a new bond. So does DHCP,
# whose client only the manager starts and ends.
_ANEW = ("mode", "fail_over_mac", "lacp_rate", "ad_select", "tlb_dynamic_lb", "dhcp")

# Values of a port that are recorded in addition to the requested ones, and restored if the bond cannot be created.
_MEMBER = "member "


def _desire(host: Reader, params: Mapping[str, Any]) -> Dict[Address, Desired]:
    desired: Dict[Address, Desired] = {}
    for entry in bonds.parse(params["bonds"]):
        manager, files = managers.plan_files(host, str(params["manager"]), entry)
        if entry.state == "present":
            bonds.check(host, entry.bond)
        cells = {path: Desired(ABSENT) if text is None else Desired(EXACTLY, text) for path, text in files.items()}
        if params["immediate"]:
            cells.update(_live(host, entry, manager))
        desired.update({Address("bonding", entry.bond.name, key): one for key, one in cells.items()})
    return desired


def _live(host: Reader, entry: bonds.DesiredBond, manager: Optional[tool.Manager]) -> Dict[str, Desired]:
    """What is desired of the kernel, beside the files."""
    cells: Dict[str, Desired] = {"state": Desired(EXACTLY, entry.state)}
    if entry.state == "present":
        cells.update({key: Desired(EXACTLY, value) for key, value in _values(entry).items()})
        had = manager is not None and tool.by_dhcp(manager, map(host.read, tool.files(host, manager, entry.bond.name)))
        if entry.bond.dhcp or had:
            cells["dhcp"] = Desired(EXACTLY, entry.bond.dhcp)
    elif manager:
        cells.update(dict.fromkeys(("mode", "members", "mtu", "addresses"), Desired(ABSENT)))
    touched = {*entry.bond.members, *tool.members(host, entry.bond.name)} if manager else ()
    return {**cells, **{_MEMBER + member: Desired(WATCH) for member in touched}}


def _values(entry: bonds.DesiredBond) -> Dict[str, Value]:
    """What is desired of a bond, by key, as the kernel will say it."""
    bond = entry.bond
    values: Dict[str, Value] = {
        "mode": bond.mode,
        "members": " ".join(sorted(bond.members)),
        "addresses": " ".join(sorted(bond.addresses)),
        **{key: bonds.value(key, text) for key, text in bond.options.items()},
    }
    if bond.mtu:
        values["mtu"] = bond.mtu
    if bond.gateway:
        values["gateway"] = bond.gateway
    return values


def _read(host: Reader, name: str, keys: Sequence[str]) -> Reading:
    texts = {key: host.read(key) for key in keys if key.startswith("/")}
    there = tool.present(host, name)
    cells = {key: Cell(text) for key, text in texts.items()}
    cells["state"] = Cell("present" if there else "absent")
    live = ip.addresses(host)
    # Somebody else's addresses, such as those that keepalived moves about, are no business of ours.
    named = set(re.split(r"[^0-9a-f:.]+", "\n".join(text or "" for text in texts.values())))
    ours = [address for address in live.get(name, ()) if address.partition("/")[0] in named]
    for key in keys:
        if key.startswith(_MEMBER):
            cells[key] = _member(host, key[len(_MEMBER) :], live)
        elif key in cells:
            continue
        elif not there:
            cells[key] = Cell(None)
        elif key == "addresses":
            cells[key] = Cell(" ".join(sorted(ours)))
        elif key == "gateway":
            cells[key] = Cell(" ".join(way for way in ip.gateway(host, name) if way in named))
        elif key == "dhcp":
            cells[key] = Cell(tool.by_dhcp(managers.of_paths(texts), texts.values()))
        elif key == "mtu":
            cells[key] = Cell(sysfs.number(host, f"{sysfs.ROOT}/{name}/mtu"))
        else:
            text = tool.option(host, name, "slaves" if key == "members" else key)
            if text is not None:
                cells[key] = Cell(bonds.value(key, text))
    above = sysfs.above(host, name) if there else []
    if above:
        note = f"{', '.join(above)} is above it and is removed with the old bond; its own manager must create it again"
        cells.update({key: cells[key]._replace(note=note) for key in ("state", *_ANEW) if key in cells})
    return Reading(cells)


def _member(host: Reader, nic: str, live: Mapping[str, Sequence[str]]) -> Cell:
    flags = sysfs.text(host, f"{sysfs.ROOT}/{nic}/flags")
    state = "up" if re.fullmatch("0x[0-9a-f]+", flags) and int(flags, 16) & 1 else "down"
    return Cell(" ".join([state, "mtu", sysfs.text(host, f"{sysfs.ROOT}/{nic}/mtu"), *live.get(nic, ())]))


def _write(name: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    manager = managers.of_paths(cells)
    saves = [
        Save(key, None if text is None else str(text), manager.mode)
        for key, text in values.items()
        if key.startswith("/")
    ]
    was = cells["state"].value == "present"
    actions: List[Action] = []
    if "mode" not in cells and "state" not in values:
        return tuple(saves)  # only the files are requested
    if values.get("state", cells["state"].value) == "absent":
        actions += [*(manager.destroy(name) if was else ()), *saves, *(manager.forget if saves else ())]
    elif not was or any(key in values for key in _ANEW):
        # All files are written: networkd reads only those that changed, and ties the ports of others to the old bond.
        same = [Save(path, str(cells[path].value), manager.mode) for path in _files({}, cells) if path not in values]
        actions += [*(manager.destroy(name) if was else ()), *saves, *same]
        actions += manager.create(name, _words(values, cells, "members"), _files(values, cells))
    elif any(not key.startswith(_MEMBER) for key in values):
        actions += [*saves, *manager.refresh(_step(name, values, cells))]
    for key, state in values.items():
        actions += _put_back(key[len(_MEMBER) :], str(state)) if key.startswith(_MEMBER) else ()
    return tuple(actions)


def _files(values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[str, ...]:
    """The files that are there once `values` are set."""
    now = {**{key: cell.value for key, cell in cells.items()}, **values}
    return tuple(sorted(key for key, text in now.items() if key.startswith("/") and text is not None))


def _words(values: Mapping[str, Value], cells: Mapping[str, Cell], key: str) -> List[str]:
    value = values.get(key, cells[key].value if key in cells else None)
    return str(value or "").split()


def _step(name: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> tool.Step:
    """The difference that `values` make to a live bond."""
    current, planned = _words({}, cells, "addresses"), _words(values, cells, "addresses")
    inside, members = _words({}, cells, "members"), _words(values, cells, "members")
    return tool.Step(
        name,
        files=_files(values, cells),
        fewer=any(key.startswith("/") and text is None for key, text in values.items()),
        options={key: bonds.text(value) for key, value in values.items() if key in bonds.OPTIONS},
        mtu=int(str(values["mtu"])) if values.get("mtu") else None,
        join=tuple(member for member in members if member not in inside),
        leave=tuple(member for member in inside if member not in members),
        add=tuple(address for address in planned if address not in current),
        keep=tuple(address for address in planned if address in current),
        drop=tuple(address for address in current if address not in planned),
        gateway=str(values.get("gateway") or ""),
    )


def _put_back(nic: str, state: str) -> List[Run]:
    """Commands that give a NIC back what it was before it joined a bond."""
    up, _mtu, size, *addresses = state.split()
    runs = [Run(("ip", "link", "set", "dev", nic, "mtu", size, up))]
    return runs + [Run(("ip", "address", "replace", address, "dev", nic)) for address in addresses]


bonding = Family(
    name="bonding",
    module="bonding",
    scope=ENTRY,
    read=_read,
    write=_write,
    about="NICs that carry traffic together.",
    fields=bonds.FIELDS,
    hint="The kernel's log (dmesg) and that of the network manager (journalctl) may say more.",
    options={
        "bonds": {"type": "list", "elements": "dict"},
        "manager": {"type": "str", "choices": ["auto", *managers.MANAGERS], "default": "auto"},
        "immediate": {"type": "bool", "default": True},
    },
    desire=_desire,
    patience=30,
    cuts=True,
)
