# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather identity, link and settings of NICs, by the parsers that tuning uses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence

from ..host import ReadOnlyHost
from ..schema import MORE, Cell, Identity, Query, Reading, TuningError
from ..settings import negotiation, registry
from ..tools import ethtool, ip, sysfs
from . import power

# Under these names a NIC tells already what has come of its settings.
_NAMES = {"speed": "speed_settings", "eee": "eee_settings", "qdisc": "qdisc_settings"}


def gather(host: ReadOnlyHost, names: Sequence[str], remarks: List[str]) -> Dict[str, Dict[str, Any]]:
    """Facts by NIC: all physical NICs, or those that a name or pattern means. `remarks` gets what cannot be read."""
    found: List[Identity] = [
        nic
        for nic in sysfs.identities(host)
        if (any(fnmatchcase(nic.name, pattern) for pattern in names) if names else nic.physical)
    ]
    links: Dict[str, Dict[str, object]] = {}
    try:
        links = ip.links(host) if found else {}
    except TuningError as error:
        remarks.append(f"links: {error}")
    return {
        nic.name: {
            **_identity(host, nic, remarks),
            **links.get(nic.name, {}),
            **_above(host, links.get(nic.name, {})),
            **_settings(host, nic.name),
        }
        for nic in found
    }


def _above(host: ReadOnlyHost, link: Mapping[str, object]) -> Dict[str, Any]:
    """The MTU of the bond or bridge that a NIC is a port of, which may be more than the port can send."""
    master = str(link.get("master", ""))
    mtu = sysfs.number(host, f"{sysfs.ROOT}/{master}/mtu") if master and "/" not in master else None
    return {"master_mtu": mtu} if mtu else {}


def _said(host: ReadOnlyHost, query: Query, remarks: List[str]) -> str:
    try:
        return host.ask(query).out
    except TuningError as error:
        if str(error) not in remarks:
            remarks.append(str(error))
        return ""


def _identity(host: ReadOnlyHost, nic: Identity, remarks: List[str]) -> Dict[str, Any]:
    driver = ethtool.driver(_said(host, ethtool.query("-i", nic.name), remarks))
    link = negotiation.link_facts(nic.driver, ethtool.link(_said(host, ethtool.query("", nic.name), remarks)))
    facts: Dict[str, Any] = {
        "physical": nic.physical,
        "driver": nic.driver or driver.get("driver", ""),
        "driver_version": driver.get("version", ""),
        "firmware_version": driver.get("firmware-version", ""),
        "mac": nic.mac,
        **_invented(host, nic),
        "pci_id": nic.pci,
        **_revision(host, nic),
        "bus": driver.get("bus-info", nic.bus),
        "pcie": sysfs.pcie(host, nic.name),
        "numa_node": sysfs.number(host, f"{sysfs.ROOT}/{nic.name}/device/numa_node"),
        "virtual_function": host.exists(f"{sysfs.ROOT}/{nic.name}/device/physfn"),
        **_iommu(host, nic),
        **_usb(host, nic),
        **power.of_nic(host, nic.name),
        "carrier": sysfs.carrier(host, nic.name),
        "fastest": ethtool.fastest(link),
    }
    link.pop("carrier", None)
    return {**facts, **{key: value == "on" if key == "autoneg" else value for key, value in link.items()}}


def _revision(host: ReadOnlyHost, nic: Identity) -> Dict[str, Any]:
    """Which stepping of its chip a PCI device has, as a number; Linux 4.10 and later tell."""
    text = sysfs.text(host, f"{sysfs.ROOT}/{nic.name}/device/revision")
    return {"revision": int(text, 16)} if re.fullmatch(r"0x[0-9a-f]{1,2}", text) else {}


def _invented(host: ReadOnlyHost, nic: Identity) -> Dict[str, Any]:
    """Whether the driver has found no MAC in the hardware (NET_ADDR_RANDOM of include/uapi/linux/netdevice.h)."""
    random = nic.physical and sysfs.number(host, f"{sysfs.ROOT}/{nic.name}/addr_assign_type") == 1
    return {"mac_invented": True} if random else {}


def _iommu(host: ReadOnlyHost, nic: Identity) -> Dict[str, Any]:
    """How the IOMMU treats the NIC, such as DMA, DMA-FQ or identity; Linux 4.19 and later tell."""
    kind = sysfs.text(host, f"{sysfs.ROOT}/{nic.name}/device/iommu_group/type")
    return {"iommu": kind} if kind else {}


def _usb(host: ReadOnlyHost, nic: Identity) -> Dict[str, Any]:
    """The bus of a USB adapter in Mb/s, and its ids; its device is an interface of the adapter, such as 2-1:1.0."""
    if not re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", nic.bus):
        return {}
    adapter = f"{sysfs.ROOT}/{nic.name}/device/.."
    speed = sysfs.number(host, f"{adapter}/speed")
    ids = ":".join(sysfs.text(host, f"{adapter}/{name}").lower() for name in ("idVendor", "idProduct"))
    # Whether the kernel may put the adapter to sleep while it is up, as programs that save power on laptops ask for it.
    sleeps = sysfs.text(host, f"{adapter}/power/control") == "auto"
    return {
        **({"usb_speed": speed} if speed else {}),
        **({"usb_id": ids} if len(ids) == 9 else {}),
        **({"usb_sleeps": True} if sleeps else {}),
    }


def _settings(host: ReadOnlyHost, nic: str) -> Dict[str, Any]:
    """The families of the registry with their limits, and under `missing` the reason for each that the NIC lacks."""
    facts: Dict[str, Any] = {}
    missing: Dict[str, str] = {}
    for name, family in registry.nic_families(registry.FAMILIES).items():
        if family.flat:
            continue  # one `ip` has told the links of all NICs already
        try:
            reading = family.read(host, nic, ())
        except TuningError as error:  # a host without setpci still has something to tell
            reading = Reading({}, str(error))
        if reading.cells:
            facts[_NAMES.get(name, name)] = _cells(reading.cells)
        else:
            missing[name] = reading.problem
    return {**facts, "missing": missing}


def _guessed(cell: Cell) -> bool:
    """Whether more is in use than was asked for only if less was asked for, of which nothing tells."""
    return cell.partner == MORE and cell.unseen and cell.requested is None


def _cells(cells: Mapping[str, Cell]) -> Dict[str, Dict[str, Any]]:
    """Each key as {value}, with maximum, wanted, partner, fixed and members only where there is something to say."""
    return {
        key: {
            "value": list(cell.value) if isinstance(cell.value, tuple) else cell.value,
            **({"maximum": cell.maximum} if cell.maximum is not None else {}),
            **({"wanted": cell.requested} if cell.requested is not None else {}),
            **({"partner": cell.partner} if cell.partner and not _guessed(cell) else {}),
            **({"fixed": True} if cell.fixed else {}),
            **({"members": list(cell.members)} if cell.members else {}),
        }
        for key, cell in sorted(cells.items())
    }
