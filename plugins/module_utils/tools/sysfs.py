# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak sysfs: what /sys/class/net says about a NIC, without starting a process."""

from __future__ import annotations

import re
from typing import Callable, Dict, Iterator, List, Optional

from ..schema import Identity, Reader

ROOT = "/sys/class/net"


def names(host: Reader) -> List[str]:
    """The names of all NICs, but of those that no program could tell from an option."""
    found = [name for name in host.names(ROOT) if host.exists(f"{ROOT}/{name}/ifindex")]
    return [name for name in found if not name.startswith("-")]


def identities(host: Reader) -> List[Identity]:
    """All NICs of the host, by name."""
    return [identity(host, name) for name in names(host)]


def identity(host: Reader, name: str) -> Identity:
    """What selectors can ask for. `pci` is vendor:device, `bus` the device's address; both empty if virtual."""
    base = f"{ROOT}/{name}"
    vendor, device = text(host, f"{base}/device/vendor"), text(host, f"{base}/device/device")
    # A virtio NIC hangs on its PCI function by one link more.
    parent = f"{base}/device/.."
    bus = host.target(f"{base}/device")
    if host.target(f"{base}/device/subsystem") == "virtio":
        vendor, device = text(host, f"{parent}/vendor"), text(host, f"{parent}/device")
        lines = text(host, f"{parent}/uevent").splitlines()
        bus = next((line[14:] for line in lines if line.startswith("PCI_SLOT_NAME=")), bus)
    pci = f"{_hexadecimal(vendor)}:{_hexadecimal(device)}" if vendor.startswith("0x") else ""
    return Identity(
        name=name,
        physical=host.exists(f"{base}/device"),
        driver=driver(host, name),
        mac=text(host, f"{base}/address").lower(),
        pci=pci,
        bus=bus,
    )


def driver(host: Reader, name: str) -> str:
    """The kernel driver of a NIC; empty if it is virtual."""
    return str(host.target(f"{ROOT}/{name}/device/driver"))


def is_function(bus: str) -> bool:
    """Whether an address on the bus is that of a PCI function."""
    return bool(re.fullmatch(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", bus))


def _hexadecimal(word: str) -> str:
    return word[2:].lower()


def text(host: Reader, path: str) -> str:
    """A file of sysfs without its line end; empty where it does not exist or the kernel refuses to tell."""
    return (host.read(path) or "").strip()


def number(host: Reader, path: str) -> Optional[int]:
    """The same as a number; None where it is none."""
    word = text(host, path)
    return int(word) if re.fullmatch(r"-?[0-9]{1,20}", word) else None


def present(host: Reader, name: str) -> bool:
    """Whether there is such a NIC."""
    return bool(host.exists(f"{ROOT}/{name}"))


def carrier_path(name: str) -> str:
    """The file that holds 1 while the NIC has a link; it cannot be read while the NIC is down."""
    return f"{ROOT}/{name}/carrier"


def carrier(host: Reader, name: str) -> bool:
    """Whether the NIC has a link."""
    return text(host, carrier_path(name)) == "1"


def pcie(host: Reader, name: str) -> Dict[str, object]:
    """The PCIe link of a NIC: {width, speed} now and at best, speeds in GT/s; empty for other buses.

    `above` has the links of the bridges between it and the processor, each with its address on the bus. `errors` are
    packets that this link has sent again (corrected) and that were lost (fatal or not), as the kernel has counted.
    A device that does not answer on the bus any more has `gone` alone.
    """
    facts: Dict[str, object] = {}
    # Where nobody answers, every bit reads as one, and the kernel takes the width from six of them. 255 as the best
    # width means something else: a device in the root complex has no link (PCIE_LNK_WIDTH_UNKNOWN).
    if number(host, f"{ROOT}/{name}/device/current_link_width") == 63:
        return {"gone": True}
    for state in ("current", "max"):
        link = _link(host, f"{ROOT}/{name}/device", state)
        if link:
            facts[state] = link
    above = list(_above(host, f"{ROOT}/{name}/device")) if facts else []
    errors = _errors(host, f"{ROOT}/{name}/device") if facts else {}
    return {**facts, **({"above": above} if above else {}), **({"errors": errors} if errors else {})}


def _errors(host: Reader, folder: str) -> Dict[str, int]:
    """Since Linux 4.19 there is a file for each kind, whose last line has the sum."""
    found = {}
    for kind, file in (("corrected", "correctable"), ("nonfatal", "nonfatal"), ("fatal", "fatal")):
        match = re.search(r"^TOTAL_ERR_\w+ (\d{1,18})$", text(host, f"{folder}/aer_dev_{file}"), re.MULTILINE)
        if match and int(match[1]):
            found[kind] = int(match[1])
    return found


def _link(host: Reader, folder: str, state: str) -> Dict[str, object]:
    width = number(host, f"{folder}/{state}_link_width")
    speed = text(host, f"{folder}/{state}_link_speed").split(" ")[0]
    return {"width": width, "speed_gt": float(speed)} if width and re.fullmatch(r"\d+(\.\d+)?", speed) else {}


# Red Hat and VMware: the links of these bridges are inventions of QEMU and ESXi.
_INVENTED = ("0x1b36", "0x15ad")


def _above(host: Reader, device: str, most: int = 8) -> Iterator[Dict[str, object]]:
    # Behind Thunderbolt or USB4 the bridges are a tunnel, and say 2.5 GT/s whatever it carries. Linux tells since 5.14.
    if text(host, f"{device}/removable") == "removable":
        return
    for depth in range(1, most + 1):
        folder = f"{device}{'/..' * depth}"
        bus = re.search(r"^PCI_SLOT_NAME=(\S+)$", text(host, f"{folder}/uevent"), re.MULTILINE)
        if not bus:
            return
        link = _link(host, folder, "current")
        if link and text(host, f"{folder}/vendor") not in _INVENTED:
            yield {"bus": bus.group(1), **link}


def above(host: Reader, name: str) -> List[str]:
    """The NICs that stand on this one: VLANs, or the bond or bridge it is a port of."""
    return [entry[6:] for entry in host.names(f"{ROOT}/{name}") if entry.startswith("upper_")]


def all_above(host: Reader, name: str) -> List[str]:
    """The NICs that stand on this one, and those that stand on them, such as the VLANs of its bridge; lowest first."""
    return _all(above, host, name)


def all_below(host: Reader, name: str) -> List[str]:
    """The NICs that this one stands on, and those below them, such as the ports of a VLAN's bond; nearest first."""
    return _all(below, host, name)


def _all(near: Callable[[Reader, str], List[str]], host: Reader, name: str) -> List[str]:
    found: List[str] = []
    waiting = near(host, name)
    while waiting:
        other = waiting.pop(0)
        if other not in (name, *found):
            found.append(other)
            waiting += near(host, other)
    return found


def is_vlan(host: Reader, name: str) -> bool:
    """Whether a NIC is a VLAN on another one."""
    return "DEVTYPE=vlan" in text(host, f"{ROOT}/{name}/uevent").split()


def below(host: Reader, name: str) -> List[str]:
    """The NICs that this one stands on."""
    return [entry[6:] for entry in host.names(f"{ROOT}/{name}") if entry.startswith("lower_")]


def level(host: Reader, name: str, depth: int = 8) -> int:
    """How many NICs lie below this one, one on top of the other; 0 for hardware."""
    return max((1 + level(host, lower, depth - 1) for lower in below(host, name) if depth), default=0)


def transmit_queues(host: Reader, name: str) -> int:
    """How many transmit queues are in use."""
    return sum(entry.startswith("tx-") for entry in host.names(f"{ROOT}/{name}/queues"))


def steers(host: Reader, name: str) -> bool:
    """Whether XPS gives processors queues of their own."""
    return any(text(host, f"{ROOT}/{name}/queues/tx-0/{file}").strip("0,") for file in ("xps_cpus", "xps_rxqs"))
