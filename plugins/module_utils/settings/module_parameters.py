# SPDX-License-Identifier: GPL-3.0-or-later
"""Know parameters of kernel modules: live where the kernel lets them be written, and in files for the next boot.

Many are taken only while the module is loaded. Such a one is right as soon as its line is in the file, and a remark
says what is in force until then.
"""

from __future__ import annotations

from functools import partial
from typing import List, Mapping, Sequence, Tuple

from ..family import HOST, Expansion, Family
from ..schema import Action, Address, Cell, Desired, Reader, Reading, Save, Value
from ..tools import kmod, systemd

_NOT_KEPT = (
    "it is built into the kernel, and without systemd nothing sets it at boot; add it to the kernel's command line"
)


def _read(host: Reader, _scope: str, keys: Sequence[str]) -> Reading:
    return Reading({key: _cell(host, key) for key in keys})


def _cell(host: Reader, key: str) -> Cell:
    found = kmod.look(host, key)
    note = _NOT_KEPT if found.built_in and not systemd.running(host) else ""
    return Cell(found.value, means=partial(_means, key, found), note=note, where="driver" if found.driver else "")


def _means(key: str, found: kmod.Parameter, desired: str) -> Value:
    """What a desired value comes to now; what waits for the module to be loaded comes to what is in force."""
    if found.problem:
        raise ValueError(found.problem)
    if found.value is None or kmod.same(desired, found.value):
        return found.value
    if found.writable:
        return kmod.spelled(desired, found.value)
    if found.built_in:
        raise ValueError(
            f"it is built into this kernel, which takes it on its command line only; add {key}={desired} there"
        )
    return found.value


def _expand(
    _scope: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], _planned: Mapping[Address, Value]
) -> Expansion:
    return Expansion(desired, remarks=tuple(said for key, one in desired.items() for said in _said(key, one, cells)))


def _said(key: str, desired: Desired, cells: Mapping[str, Cell]) -> List[str]:
    cell = cells[key]
    try:
        planned = cell.means(str(desired.value)) if cell.means else None
    except ValueError:
        return []
    if cell.value is None:
        return [f"{key}: its module is not loaded; what is kept for the next boot (permanent) counts once it is"]
    if planned != cell.value or kmod.same(str(desired.value), str(cell.value)):
        return []
    now = f"; until then it is {cell.value}" if cell.value else ""
    again = "; an initramfs that contains the driver must be updated" if cell.where else ""
    return [f"{key}: read only when the module is loaded, so it takes effect at the next boot if permanent{now}{again}"]


def _write(_scope: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return tuple(kmod.poke(key, str(value)) for key, value in values.items())


def _read_file(host: Reader, _file: str, keys: Sequence[str]) -> Reading:
    """Each line by its key; one that lies in the file of the other kind is as good as none."""
    ours = kmod.own(host)
    cells = {}
    for key in dict.fromkeys([*keys, *ours]):
        value, file = ours.get(key, (None, ""))
        right = kmod.file_of(host, key) if key in keys or not file else file
        # Which file it belongs to, and the other one where the line lies there.
        cells[key] = Cell(value, where=right) if file in ("", right) else Cell(None, where=f"{right} {file}")
    return Reading(cells)


def _write_file(_file: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    """Both files, each only if its text is another one afterwards."""
    saves = []
    for file in (kmod.FILE, kmod.BUILT_IN):
        before = {key: str(cell.value) for key, cell in cells.items() if cell.value is not None and _in(cell) == file}
        mine = {key: value for key, value in values.items() if _in(cells.get(key, Cell(None))) == file}
        after = {key: text for key, text in {**before, **mine}.items() if text is not None}
        moved = any(key in cells and cells[key].where.endswith(f" {file}") for key in values)
        if moved or before != after:
            saves.append(Save(file, kmod.render(file, {key: str(text) for key, text in after.items()})))
    return tuple(saves)


def _in(cell: Cell) -> str:
    return cell.where.partition(" ")[0] or kmod.FILE


module_parameters = Family(
    name="module_parameters",
    module="module_parameters",
    scope=HOST,
    read=_read,
    write=_write,
    expand=_expand,
    about=(
        "Parameters of kernel modules, by C(module.parameter) as on the kernel's command line, such as "
        "C(tcp_cubic.hystart) or C(nf_conntrack.hashsize)."
    ),
    open_kind="parameter",
    like="tcp_cubic.hystart",
    open_rounding={"nf_conntrack.hashsize": 8192},  # whole pages of buckets, whose size is the processor's matter
    key_pattern=r"[A-Za-z0-9_-]+\.[A-Za-z0-9_]+",
    canonical=kmod.name,
    hint="`modinfo MODULE` lists the parameters and their types.",
    options={"module_parameters": {"type": "dict"}},
)

module_parameters_file = Family(
    name="module_parameters_file",
    module="module_parameters",
    scope=HOST,
    read=_read_file,
    write=_write_file,
    about="The lines that set the parameters of modules at boot.",
    open_kind="parameter",
    key_pattern=module_parameters.key_pattern,
    canonical=kmod.name,
    follows=("module_parameters",),
    path=lambda _params: kmod.FILE,
    rivals=lambda host, _file, keys: kmod.overriders(
        host, [key for key in sorted(keys) if kmod.file_of(host, key) == kmod.FILE]
    ),
)
