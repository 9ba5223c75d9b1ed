# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the rules of udev: which NIC each is for, the attributes that it sets, and the commands that it runs."""

from __future__ import annotations

import re
from itertools import product
from typing import List, Sequence, Tuple

from .. import masks
from ..keys import kernel_files
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, OTHER_TOOL, Line
from ..scripts.whole import Shell
from ..shell import direct
from . import selectors

# Programs of ours that a rule of udev may run.
_TUNES = re.compile(r"(^|[/\s'])(ethtool|ip|sysctl|tc|ifconfig|setpci)\s")
# Programs that lie elsewhere than in the folder of udev, which is where it looks for a name without a path.
_NOT_OF_UDEV = (
    "ethtool",
    "ip",
    "sysctl",
    "tc",
    "ifconfig",
    "setpci",
    "sh",
    "bash",
    "echo",
    "nmcli",
    "modprobe",
    "systemctl",
)
# Keys that a rule only compares.
_COMPARED = ("ACTION", "DEVPATH", "KERNEL", "KERNELS", "SUBSYSTEM", "SUBSYSTEMS", "DRIVER", "DRIVERS", "ATTRS", "TEST")
# How the kernel names disks.
_DISK = re.compile(r"(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|sr)[\[*?\d|a-z]")
# What udev would fill in, had a shell not done so before with nothing.
_UDEV_WORDS = ("$name", "$kernel", "$env", "$attr", "$number", "$devpath", "$driver")


def _pairs(text: str) -> List[Tuple[str, str, str, str]]:
    """(name, attribute, operator, value) of a udev rule."""
    found = re.findall(r'([A-Z_]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*e?"((?:[^"\\]|\\.)*)"', text)
    return list(found)


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """Rules: which NIC is meant, attributes, and commands."""
    held, start = "", 0
    for number, text in lines:
        plain = text.strip()
        if not held and (not plain or plain.startswith("#")):
            guide.sink.nothing(number, "a comment")
            continue
        start = start or number
        guide.sink.nothing(number, "part of a rule")
        guide.sink.goes_on(number, start)
        if plain.endswith("\\"):
            held += plain[:-1] + " "
            continue
        _rule(guide, start, held + plain)
        held, start = "", 0


def _rule(guide: Guide, number: int, text: str) -> None:
    lost = next((word for word in _UDEV_WORDS if masks.mask(word) in text), "")
    if lost:
        said = f"the shell that writes this file takes {lost} for a variable of its own; quote the word behind <<"
        guide.sink.remark(number, NO_EFFECT, said)
        return
    pairs = _pairs(text)
    wrong = _without_use(pairs)
    if wrong:
        guide.sink.remark(number, NO_EFFECT, wrong)
        return
    chosen = _chosen(pairs)
    checks = [(name, value) for name, _a, sign, value in pairs if sign == "=="]
    disk = any(name == "KERNEL" and _DISK.match(value) for name, value in checks)
    subsystem = next((value for name, value in checks if name == "SUBSYSTEM"), "block" if disk else "net")
    if not pairs:
        guide.sink.unknown(number, "this is no rule of udev")
    gone = any(name == "ACTION" and sign == "==" and value == "remove" for name, _a, sign, value in pairs)
    kind, problem = (NO_EFFECT, "it runs when the NIC goes away") if gone else (CONDITIONAL, chosen.problem)
    with guide.sink.under(kind, problem if gone or subsystem != "block" else ""):
        for (nic, match), pair in product(chosen.nics, pairs):
            _assignment(guide, number, pair, nic, match, subsystem)


def _without_use(pairs: Sequence[Tuple[str, str, str, str]]) -> str:
    """Why udev drops a rule as a whole; empty where it takes it."""
    for name, _attribute, sign, _value in pairs:
        if name in _COMPARED and sign not in ("==", "!="):
            return f"{name} can only be compared, so udev drops the rule; write {name}=="
        if name == "RUN" and sign in ("==", "!="):
            return "RUN cannot be compared, so udev drops the rule; write RUN+="
    return ""


def _assignment(
    guide: Guide, number: int, pair: Tuple[str, str, str, str], nic: str, match: selectors.Match, subsystem: str
) -> None:
    """What one assignment of a rule sets."""
    name, attribute, sign, value = pair
    # These ask, or give a name; the command runs all the same.
    tunes = (name, attribute) in (("PROGRAM", ""), ("IMPORT", "program")) and _TUNES.search(value)
    if sign in ("==", "!=") and not tunes:
        return
    before = len(guide.sink.settings)
    if tunes or (name == "RUN" and attribute in ("", "program")):
        word = direct.of_udev(value)
        if word:
            text = f"udev runs no shell, so the command gets '{word}' as it stands; write /bin/sh -c '...'"
            guide.sink.remark(number, NO_EFFECT, text)
            return
        program = value.split()[:1]
        if name == "RUN" and program and re.fullmatch(r"[\w.-]+", program[0]) and program[0] in _NOT_OF_UDEV:
            text = f"udev looks for {program[0]} in /usr/lib/udev alone, where it is not; write its whole path"
            guide.sink.remark(number, NO_EFFECT, text)
            return
        for short in ("$name", "%k", "$kernel", "$env{INTERFACE}", "%E{INTERFACE}"):
            value = value.replace(short, nic or masks.mask("$name"))
        Shell(guide).commands(number, value.replace('\\"', '"').replace("$$", "$").replace("%%", "%"))
    elif name == "ATTR" and subsystem != "net":
        guide.sink.remark(number, OTHER_TOOL, f"{attribute}={value} is of '{subsystem}', not of the network")
    elif name == "ATTR" and match and attribute in ("mtu", "tx_queue_len"):
        guide.nic(number, "", "link", "mtu" if attribute == "mtu" else "txqueuelen", value, match)
    elif name == "ATTR":
        kernel_files.write(guide, number, f"/sys/class/net/{nic or masks.mask('$name')}/{attribute}", value)
    elif name == "NAME":
        guide.sink.remark(number, OTHER_TOOL, f"NAME={value}: names of NICs belong to udev")
    elif name not in ("GOTO", "LABEL", "ENV", "TAG", "OPTIONS", "PROGRAM", "IMPORT"):
        guide.sink.remark(number, OTHER_TOOL, f"{name}={value} is no setting of this collection")
    if match:
        # What the rule knows by its device has no name of its own.
        found = guide.sink.settings[before:]
        named = (one._replace(nic="", match=match) if one.nic == "$name" else one for one in found)
        guide.sink.settings.replace(before, named)


# What a rule may ask for without leaving out a NIC of those that its name or device means.
_HARMLESS = (
    *("ACTION", "SUBSYSTEM", "SUBSYSTEMS", "ATTR{type}", "ATTR{dev_id}", "ATTR{dev_port}", "DEVTYPE", "ENV{DEVTYPE}"),
    *("NAME", "KERNEL", "ENV{INTERFACE}", "ENV{ID_NET_NAME}", "TAG"),
)
_DEVICE = {
    "DRIVERS": "driver",
    "DRIVER": "driver",
    "ENV{ID_NET_DRIVER}": "driver",
    "ATTR{address}": "mac",
    "KERNELS": "bus",
}


# What a rule finds above a NIC by DRIVERS is no driver of the NIC: those of buses, and of bridges between them.
_OF_BUSES = ("hv_pci", "hv_vmbus", "pcieport", "shpchp", "usb", "hub", "xhci_hcd", "xhci-pci", "ehci-pci", "ohci-pci")
# The driver of the NIC below one of a bus that has no other NICs.
_BELOW = {"virtio-pci": "virtio_net", "virtio-mmio": "virtio_net"}


def _chosen(pairs: Sequence[Tuple[str, str, str, str]]) -> selectors.Chosen:
    """The NICs that a rule is for."""
    told = [(f"{name}{{{attribute}}}" if attribute else name, sign, value) for name, attribute, sign, value in pairs]
    conditions = {key: value for key, sign, value in told if sign == "=="}
    names = next(
        (conditions[key] for key in ("NAME", "KERNEL", "ENV{INTERFACE}", "ENV{ID_NET_NAME}") if conditions.get(key)), ""
    )
    vendor, model = conditions.get("ATTRS{vendor}", ""), conditions.get("ATTRS{device}", "")
    ids = vendor.startswith("0x") and model.startswith("0x")
    above = conditions.get("DRIVERS", "")
    conditions.update({"DRIVERS": _BELOW[above]} if above in _BELOW else {})
    buses = [f'DRIVERS=="{conditions.pop("DRIVERS")}"'] if above in _OF_BUSES else []
    device = {kind: conditions[key] for key, kind in _DEVICE.items() if conditions.get(key)}
    device = {kind: text.lower() if kind == "mac" else text for kind, text in device.items()}
    device.update({"pci": f"{vendor[2:]}:{model[2:]}".lower()} if ids else {})
    known = {*_HARMLESS, *_DEVICE, *(("ATTRS{vendor}", "ATTRS{device}") if ids else ())}
    strange = buses + [f'{key}=="{value}"' for key, value in conditions.items() if key not in known]
    strange += [f'{key}!="{value}"' for key, sign, value in told if sign == "!=" and value not in ("lo", "remove")]
    return selectors.choose(
        names.split("|") if names else [], [(kind, text.split("|")) for kind, text in device.items()], strange
    )
