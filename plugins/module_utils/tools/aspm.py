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
    "l0s_aspm": "the light sleep of each direction, from which the link wakes within a microsecond",
    "l1_aspm": "the deeper sleep of the whole link, which takes some microseconds to wake from",
    "l1_1_aspm": "the first substate of L1, with the common mode voltage kept up",
    "l1_2_aspm": "the second substate of L1, in which nothing is kept up; it takes tens of microseconds to wake from",
    "l1_1_pcipm": "the first substate of L1, where the driver has put the device to sleep",
    "l1_2_pcipm": "the second one, likewise",
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
