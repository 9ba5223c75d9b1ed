# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak of the power saving of a PCI Express link (ASPM): a file of sysfs for each state that the link can be in.

The kernel has them since Linux 5.5, only for states that both ends of the link know, and only where the firmware leaves
ASPM to it (drivers/pci/pcie/aspm.c, aspm_ctrl_attrs_are_visible).
"""

from __future__ import annotations

from typing import Dict

from ..schema import Cell, Poke, Reader
from ..text import quote
from . import sysfs

_DEVICES = "/sys/bus/pci/devices"

# In the order in which they have to be set: L1 takes its substates along when it goes off, and comes with them.
STATES = {
    "clkpm": "clock power management: the clock of the link may stop while it sleeps",
    "l0s_aspm": "L0s: each direction of the link sleeps lightly, and wakes within a microsecond",
    "l1_aspm": "L1: the whole link sleeps, and takes some microseconds to wake",
    "l1_1_aspm": "L1.1: as L1, with less power; the common mode voltage stays on",
    "l1_2_aspm": "L1.2: as L1, with the least power; takes tens of microseconds to wake",
    "l1_1_pcipm": "L1.1 while the driver has put the device to sleep",
    "l1_2_pcipm": "L1.2 while the driver has put the device to sleep",
}


def cells(host: Reader, device: str) -> Dict[str, Cell]:
    """What the link of a device has of these states."""
    paths = {state: f"{_DEVICES}/{device}/link/{state}" for state in STATES}
    numbers = {state: sysfs.number(host, path) for state, path in paths.items()}
    return {state: Cell(bool(number), where=device) for state, number in numbers.items() if number is not None}


def write(device: str, state: str, on: bool) -> Poke:
    """Let the link be in a state, or not."""
    path = f"{_DEVICES}/{device}/link/{state}"
    return Poke(path, str(int(on)), f"echo {int(on)} > {quote(path)}")
