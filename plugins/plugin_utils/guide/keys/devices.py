# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what is set on the device below a NIC: its files in /sys, parameters of devlink, and rules for flows."""

from __future__ import annotations

import re
from typing import List, Sequence

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry

from .. import masks
from ..model import HARMFUL, OTHER_TOOL
from .settings import Guide, Match

_LINK = tuple(field.name for field in registry.FAMILIES["pci"].fields if "aspm" in field.name or "pm" in field.name)
_BUS = re.compile(r"/sys/bus/pci/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/(.+)")
# The register of a PCI Express function, with a mask for the bits of the largest read request alone.
_DEVICE_CONTROL = re.compile(r"CAP_EXP\+0?8\.[wW]=([0-7]?[0-9a-f]{1,3}):7000", re.IGNORECASE)
_ADDRESS = re.compile(r"([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
_KIND = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}", re.IGNORECASE)
_READING = ("show", "list", "monitor", "info", "help")


def below_a_nic(guide: Guide, line: int, nic: str, parts: Sequence[str], text: str, match: Match = ()) -> bool:
    """Whether a file of a device is a setting, such as `sriov_numvfs` or `link/l1_aspm`; it is told then."""
    if list(parts) == ["sriov_numvfs"]:
        guide.nic(line, nic, "sriov", "vfs", text, match)
        return True
    if len(parts) == 2 and parts[0] == "link" and parts[1] in _LINK:
        guide.nic(line, nic, "pci", parts[1], text, match)
        return True
    return False


def on_the_bus(guide: Guide, line: int, path: str, text: str) -> bool:
    """The same for a device by its address."""
    found = _BUS.fullmatch(path)
    return found is not None and below_a_nic(guide, line, "", found[2].split("/"), text, (("bus", found[1]),))


def rule(guide: Guide, line: int, nic: str, pairs: Sequence[str]) -> bool:
    """Whether a rule for flows says its location, by which the inventory has it."""
    words = list(pairs)
    if words[:1] != ["flow-type"] or "loc" not in words[:-1]:
        return False
    index = words.index("loc")
    location, rest = words[index + 1], [*words[:index], *words[index + 2 :]]
    if not all(masks.known(word) for word in (location, *rest)):
        return False
    try:
        registry.FAMILIES["ntuple_rules"].field(location)
    except InputError:
        return False
    guide.nic(line, nic, "ntuple_rules", location, " ".join(rest))
    return True


def devlink(guide: Guide, line: int, words: List[str]) -> None:
    """A parameter that the device takes at once, or keeps by itself."""
    said = "devlink " + " ".join(masks.shown(word) for word in words)
    given = dict(zip(words[4::2], words[5::2]))
    address = words[3][4:] if len(words) > 3 and words[3].startswith("pci/") else ""
    if any(word in _READING for word in words[1:3]):
        guide.sink.nothing(line, "only reads")
    elif words[:3] != ["dev", "param", "set"] or not address or not given.get("name"):
        guide.sink.remark(line, OTHER_TOOL, f"{said}: of devlink the collection has the parameters of a device")
    elif given.get("cmode") == "driverinit":
        text = f"{said}: the driver takes it only while it begins, which devlink dev reload makes it do"
        guide.sink.remark(line, OTHER_TOOL, text)
    else:
        guide.nic(line, "", "devlink", given["name"], given.get("value", ""), (("bus", address),))


def setpci(guide: Guide, line: int, words: List[str]) -> None:
    """Raw registers; the one that guides mean is a setting here."""
    said = " ".join(masks.shown(word) for word in words)
    writes = [word for word in words if "=" in word]
    if not writes:
        guide.sink.nothing(line, "only reads")
    elif any(word.lower().startswith("e6.") for word in writes):
        text = (
            f"setpci {said}: offset e6 is the PCI-X command register of the old ixgb card; on another card it is "
            "something else. Meant is pci: {max_read_request: 4096}"
        )
        guide.sink.remark(line, HARMFUL, text)
    elif len(writes) == 1 and _read_request(guide, line, words, writes[0]):
        return
    else:
        guide.sink.remark(
            line, OTHER_TOOL, f"setpci {said}: raw registers are no setting; see pci: {{max_read_request: ...}}"
        )


def _read_request(guide: Guide, line: int, words: List[str], write: str) -> bool:
    """Whether it sets the largest read request, bits 12 to 14 of Device Control, and nothing else; it is told then."""
    found = _DEVICE_CONTROL.fullmatch(write)
    device = dict(zip(words, words[1:]))
    address, kind = device.get("-s", ""), device.get("-d", "")
    # setpci takes parts of both as well, such as a whole slot or vendor, for which there is no selector.
    if not found or (address and kind) or not (_ADDRESS.fullmatch(address) or _KIND.fullmatch(kind)):
        return False
    size = 128 << (int(found[1], 16) >> 12 & 7)
    match = [("bus", address if address.count(":") > 1 else f"0000:{address}")] if address else [("pci", kind)]
    guide.nic(line, "", "pci", "max_read_request", str(size), [(key, text.lower()) for key, text in match])
    return True
