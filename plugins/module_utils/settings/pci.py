# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how much a NIC may fetch from memory at once over PCI Express or PCI-X (`setpci`)."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from ..schema import NIC, Action, Cell, Family, Field, Reader, Reading, Value
from ..tools import setpci, sysfs

_REGISTERS = {"max_read_request": setpci.MAX_READ_REQUEST, "max_memory_read": setpci.MAX_MEMORY_READ}


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    device = sysfs.identity(host, nic).bus
    if not sysfs.is_function(device):
        return Reading({}, f"it is no PCI device of its own ({device or 'virtual'})")
    found = {key: setpci.read(host, device, _REGISTERS[key]) for key in keys or _REGISTERS}
    cells = {
        key: Cell(size, maximum=_REGISTERS[key].smallest << (5 if key == "max_read_request" else 3), place=device)
        for key, size in found.items()
        if isinstance(size, int)
    }
    return Reading(cells, f"the device does not have it ({'; '.join(str(said) for said in found.values())})")


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    device = next(iter(cells.values())).place
    return (setpci.write(device, tuple((_REGISTERS[key], int(str(size))) for key, size in values.items())),)


pci = Family(
    name="pci",
    module="pci",
    scope=NIC,
    read=_read,
    write=_write,
    about="How much a NIC may fetch from memory in one request.",
    fields=(
        Field(
            "max_read_request",
            "integer",
            "bytes of one read request over PCI Express",
            relative=True,
            choices=(128, 256, 512, 1024, 2048, 4096),
        ),
        Field(
            "max_memory_read",
            "integer",
            "bytes of one memory read over PCI-X (MMRBC), on cards that have it",
            relative=True,
            choices=(512, 1024, 2048, 4096),
        ),
    ),
    hint="Some devices and virtual machines fix this register.",
)
