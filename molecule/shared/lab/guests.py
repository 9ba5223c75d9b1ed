"""The guests as data: which machines the lab has, and the QEMU command line that follows from it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from common import HERE, LAB

# What the kernel calls the driver of a QEMU device model.
DRIVERS = {"igb": "igb", "e1000e": "e1000e", "vmxnet3": "vmxnet3", "virtio-net-pci": "virtio_net"}
MANAGEMENT = "mgmt0"


@dataclass(frozen=True)
class Nic:
    """One NIC; `link` names the wire to another guest, without it the NIC hangs on a hub of its own."""

    name: str
    model: str
    mac: str
    link: str = ""
    queues: int = 1
    address: str = ""

    @property
    def driver(self) -> str:
        return DRIVERS[self.model]


@dataclass(frozen=True)
class Guest:
    """One virtual machine; the management NIC is the first."""

    name: str
    cpus: int
    memory_mib: int
    nics: tuple[Nic, ...]

    @property
    def number(self) -> int:
        """Its place in guests.json, from 1 on."""
        return int(self.nics[0].mac.split(":")[4], 16)

    @property
    def test_nics(self) -> tuple[Nic, ...]:
        return self.nics[1:]

    @property
    def folder(self) -> Path:
        return LAB / self.name


def load() -> list[Guest]:
    """Read guests.json; the MAC addresses follow from the order in it. LAB_CPUS gives all guests as many processors."""
    table = json.loads((HERE / "guests.json").read_text())
    guests = []
    for index, (name, row) in enumerate(table.items(), 1):
        rows = [{"name": MANAGEMENT, "model": "virtio-net-pci"}, *row["nics"]]
        nics = tuple(Nic(mac=f"52:54:00:00:{index:02x}:{slot:02x}", **nic) for slot, nic in enumerate(rows))
        guests.append(Guest(name, int(os.environ.get("LAB_CPUS") or row["cpus"]), row["memory_mib"], nics))
    return guests
