# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how a NIC reaches memory over PCI: how much at once and in which order (`setpci`), and when its link sleeps."""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence, Tuple, Union

from ..family import NIC, Family, Field
from ..schema import Action, Cell, Reader, Reading, Value
from ..tools import aspm, setpci, sysfs

_REGISTERS = {
    "max_read_request": setpci.MAX_READ_REQUEST,
    "max_memory_read": setpci.MAX_MEMORY_READ,
    "relaxed_ordering": setpci.RELAXED_ORDERING,
    "extended_tags": setpci.EXTENDED_TAGS,
    "no_snoop": setpci.NO_SNOOP,
}


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    device = sysfs.identity(host, nic).bus
    if not sysfs.is_function(device):
        return Reading({}, f"it is not a PCI device of its own ({device or 'virtual'})")
    # One state takes others along, so they are looked at together.
    cells = aspm.cells(host, device) if not keys or set(keys) & set(aspm.STATES) else {}
    chosen = [key for key in _REGISTERS if not keys or key in keys]
    words: Dict[str, Union[int, str]] = {}
    for key in chosen:
        register = _REGISTERS[key]
        if register.position not in words:
            words[register.position] = setpci.read(host, device, register.position)
        word = words[register.position]
        if isinstance(word, int):
            top = register.smallest << (5 if key == "max_read_request" else 3)
            cells[key] = Cell(register.value(word), maximum=top or None, where=device)
    said = "; ".join(word for word in words.values() if isinstance(word, str))
    lacks = "states of the link are for the firmware to set, or neither end has them"
    return Reading(cells, f"the device does not have it ({said or lacks})")


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    device = next(iter(cells.values())).where
    fields = tuple((_REGISTERS[key], _number(value)) for key, value in values.items() if key in _REGISTERS)
    actions: List[Action] = [setpci.write(device, fields)] if fields else []
    return (*actions, *(aspm.write(device, state, bool(values[state])) for state in aspm.STATES if state in values))


def _number(value: Value) -> int:
    return int(value) if isinstance(value, bool) else int(str(value))


pci = Family(
    name="pci",
    module="pci",
    scope=NIC,
    read=_read,
    write=_write,
    about=(
        "The size of a memory request of the NIC, the order of its writes, and the power saving of its PCI Express "
        "link (ASPM). C(pci: {l0s_aspm: false, l1_aspm: false}) keeps the link awake."
    ),
    fields=(
        Field(
            "max_read_request",
            "integer",
            "bytes of one read request over PCI Express",
            relative=True,
            choices=(128, 256, 512, 1024, 2048, 4096),
            unit="bytes",
        ),
        Field(
            "max_memory_read",
            "integer",
            "bytes of one memory read over PCI-X (MMRBC), on cards that have it",
            relative=True,
            choices=(512, 1024, 2048, 4096),
            unit="bytes",
        ),
        Field(
            "relaxed_ordering",
            "switch",
            "let writes to memory overtake each other; bit 4 of C(CAP_EXP+8.w) for C(setpci)",
        ),
        Field("extended_tags", "switch", "allow 256 outstanding requests in place of 32; bit 8 of C(CAP_EXP+8.w)"),
        Field("no_snoop", "switch", "let the device bypass the caches of the processors; bit 11 of C(CAP_EXP+8.w)"),
        *(Field(state, "switch", about) for state, about in aspm.STATES.items()),
    ),
    hint="Some devices and virtual machines fix these registers. A link sleeps no deeper than the policy of the kernel "
    "lets it (pcie_aspm.policy in tuning_module_parameters).",
)
