# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather network cards that no driver serves, so that they have no interface."""

from __future__ import annotations

from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import kmod, sysfs

_ROOT = "/sys/bus/pci/devices"
# PCI_CLASS_NETWORK_ETHERNET of include/linux/pci_ids.h, before the two digits of the interface.
_ETHERNET = "0x0200"


def gather(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Each with its address on the bus, its PCI id, and whether the driver is loaded that is known to refuse ports."""
    found = []
    for bus in host.names(_ROOT):
        folder = f"{_ROOT}/{bus}"
        # Virtual functions without a driver wait for a guest.
        left = not host.exists(f"{folder}/driver") and not host.exists(f"{folder}/physfn")
        if left and sysfs.text(host, f"{folder}/class").startswith(_ETHERNET):
            ids = [sysfs.text(host, f"{folder}/{name}")[2:].lower() for name in ("vendor", "device")]
            loaded = {"ixgbe": True} if host.exists(f"{kmod.ROOT}/ixgbe") else {}
            found.append({"bus": bus, "pci_id": ":".join(ids), **loaded})
    return found
