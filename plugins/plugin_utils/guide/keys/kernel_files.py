# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a write into a file of the kernel: /proc/sys, /proc/irq, /sys/class/net and the rest of /sys."""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus

from .. import masks
from ..model import NO_EFFECT, ON_HOST, OTHER_TOOL, Line
from ..shell import interrupts, numbers
from . import devices, modules
from .settings import Guide

_SYSCTL, _IRQ, _NET = "/proc/sys/", "/proc/irq/", "/sys/class/net/"
_PARAMETER = re.compile(r"/sys/module/([^/]+)/parameters/([^/]+)")
_LINK = {"mtu": "mtu", "tx_queue_len": "txqueuelen", "ifalias": "alias", "netdev_group": "group"}
_NAPI = ("threaded", "gro_flush_timeout", "napi_defer_hard_irqs")
_QUEUE = {"rps_cpus": "rps", "xps_cpus": "xps", "rps_flow_cnt": "rps_flow_cnt"}

# What a bond may be told, besides its members.
_BOND_KEYS = frozenset(("slaves", *(field.name for field in bonds.FIELDS)))

# Files of queues and interrupts.
OF_A_QUEUE = re.compile(r"/(?:(?:rps|xps)_\w+|smp_affinity(?:_list)?)$")

_ELSEWHERE = re.compile(r"/(?!proc/|sys/)(?:\S+/|[\w-]*)(?:proc/sys/(?:net|vm|kernel|fs)/|proc/irq/|sys/class/net/)")

_OTHERS: Mapping[str, str] = {
    "/sys/devices/system/cpu/": "it is of the processors; TuneD and cpupower set it",
    "/sys/kernel/mm/": "it is of the memory; TuneD sets it",
    "/sys/block/": "it is of a disk; TuneD sets it",
    "/sys/devices/": "it is of a device, and no setting of this collection",
    "/sys/module/": "it is of a kernel module, and no parameter of it",
    "/sys/bus/": "it is of a bus, and no setting of this collection",
    "/sys/kernel/": "it is of the kernel, and no setting of this collection",
    "/sys/fs/": "it is of a file system, and no setting of this collection",
    "/sys/power/": "it is of power saving, and no setting of this collection",
    "/proc/": "it is of the kernel, and no setting of this collection",
    "/sys/": "it is no setting of this collection",
}


# What stands before /etc where an image is built; packages have an empty DESTDIR there.
_OF_AN_IMAGE = re.compile(r"(\$\{?(?!destdir|prefix|home)\w+\}?|/mnt(?:/\w+)*|/target)/+etc/", re.IGNORECASE)


def is_one(path: str) -> bool:
    """Whether a path lies in /proc or /sys."""
    return masks.shown(path).startswith(("/proc/", "/sys/"))


def is_elsewhere(path: str) -> bool:
    """Whether a path looks like one of /proc or /sys that is mounted somewhere else, as for a container."""
    return masks.known(path) and _ELSEWHERE.match(path) is not None


def of_an_image(path: str, lines: Sequence[Line]) -> List[Tuple[int, str]]:
    """What to note of the lines of a file that is of another system, such as of an image that a script builds."""
    below = _OF_AN_IMAGE.match(masks.shown(path))
    said = f"the file is of the system below {below[1]}, not of the one that runs" if below else ""
    return [(number, said) for number, _text in lines] if said else []


def only_the_host_knows(path: str, lines: Sequence[Line]) -> bool:
    """Whether one word goes into a file of which nothing is known, such as one that the kernel lists for a queue."""
    if masks.known(path) or masks.mask(masks.shown(path)) != path or len(lines) != 1:
        return False
    words = lines[0][1].split()
    name = masks.shown(path).lower()
    return (
        len(words) == 1
        and (not masks.known(words[0]) or re.fullmatch(r"(0x)?[0-9a-f,]+|\d+-\d+", words[0]) is not None)
        and not re.search(r"log|lock|pid|tmp|temp|out\b|null|conf|state|backup|cache", name)
    )


def write(guide: Guide, line: int, path: str, text: str) -> None:
    """The effect of writing a text into a kernel file."""
    text = text.strip()
    parameter = _PARAMETER.fullmatch(path)
    if path.startswith(_SYSCTL):
        guide.sysctl(
            line, path[len(_SYSCTL) :].replace("//", "/").strip("/").translate(str.maketrans("./", "/.")), text
        )
    elif path.startswith(_IRQ):
        _interrupt(guide, line, path[len(_IRQ) :].split("/"), text)
    elif devices.on_the_bus(guide, line, path, text):
        return
    elif parameter:
        modules.one(guide, line, parameter[1], parameter[2], text)
    elif path.startswith(_NET):
        _nic(guide, line, [part for part in path[len(_NET) :].split("/") if part], text)
    else:
        shown = masks.shown(path)
        why = next((why for start, why in _OTHERS.items() if shown.startswith(start)), "")
        guide.sink.remark(line, OTHER_TOOL, f"{shown}: {why}")


def _interrupt(guide: Guide, line: int, parts: List[str], text: str) -> None:
    if parts[-1] not in ("smp_affinity", "smp_affinity_list"):
        guide.sink.remark(
            line, OTHER_TOOL, f"/proc/irq/{masks.shown('/'.join(parts))} is no setting of this collection"
        )
        return
    found, count = guide.interrupts.of(parts[0])
    if found is None and len(parts) == 4 and parts[2] == "..":
        found = interrupts.by_name(
            parts[1]
        )  # /proc/irq/*/eth0*/../smp_affinity, whose folder is the name of its action
    if found is not None:
        _looked_up(guide, line, found, count, (parts[-1], text))
        return
    what = f"interrupt {masks.shown(parts[0])} to {masks.shown(text)}"
    number = (
        "numbers of interrupts change with each boot"
        if parts[0].isdecimal()
        else "its number is known on the host only"
    )
    guide.sink.remark(
        line,
        ON_HOST,
        f"{what}: {number}; write irq: {{affinity: spread}}, or a list of processors, for the NIC it is of",
    )


def _looked_up(guide: Guide, line: int, found: interrupts.Found, count: str, written: Tuple[str, str]) -> None:
    """Interrupts that a script has looked up by the name of a NIC: all at once, or one of a loop."""
    file, text = written
    book = guide.interrupts
    try:
        read = cpus.parse_list if file == "smp_affinity_list" else cpus.parse_mask
        processors = read(text.lower().replace("0x", "")) if masks.known(text) else None
    except ValueError:
        guide.sink.unknown(line, f"'{text}' is no {'list' if file == 'smp_affinity_list' else 'mask'} of processors")
        return
    hint = numbers.meant_as_decimal(text) if file == "smp_affinity" else ""
    if hint and not book.counting:
        guide.sink.note(line, hint)
    if book.counting:
        for one in found.interrupts if count.isdecimal() else ():
            book.dealt.setdefault((line, one), {})[int(count)] = processors
        return
    for one in found.interrupts:
        value = book.values.get((line, one)) if book.looping else None
        value = value or (interrupts.dealt([processors], 0) if processors is not None and not count else None)
        if value is None and count.isdecimal():
            what = f"which of {interrupts.who(one)} is number {count} in the list is known on the host only"
            guide.sink.remark(line, ON_HOST, f"{what}; write irq: {{affinity: {{NAME: PROCESSORS}}}}")
        elif value is None:
            what = f"{interrupts.who(one)} to {masks.shown(text)}"
            guide.sink.remark(
                line, ON_HOST, f"{what}: known on the host only; write irq: {{affinity: spread}}, or a list"
            )
        else:
            affinity(guide, line, one, value)
    for other in found.others:
        guide.sink.remark(line, OTHER_TOOL, f"interrupts called {other} are of no NIC, as far as the text tells")


def affinity(guide: Guide, line: int, one: interrupts.Interrupts, found: interrupts.Dealt) -> None:
    """The affinity of a NIC; processors that all have go by the names of the interrupts, where these are given."""
    key, value = interrupts.KEY, found.value
    if found.same and one.names != "*":
        key = f"{key} {one.names}"
    elif found.same and not value.isdecimal():
        value = f"each {value}"
    guide.sink.set(line, masks.name(one.nic), "irq", key, value, one.match)
    if found.note:
        guide.sink.note(line, found.note)
    if not found.same and (one.match or "*" in one.nic.replace(masks.DEFAULT_ROUTE, "")):
        guide.sink.note(line, "the script goes on from one NIC to the next, the inventory begins anew with each")


def _nic(guide: Guide, line: int, parts: List[str], text: str) -> None:
    nic, rest = (parts[0], parts[1:]) if parts else ("", [])
    if not rest:
        guide.sink.unknown(line, f"/sys/class/net/{masks.shown(nic)} is no file that can be written")
    elif rest[0] in _LINK and len(rest) == 1:
        guide.nic(line, nic, "link", _LINK[rest[0]], text)
    elif rest[0] in _NAPI and len(rest) == 1:
        guide.nic(line, nic, "napi", rest[0], text)
    elif rest[0] == "queues" and len(rest) == 3 and rest[2] in _QUEUE:
        guide.queue(line, nic, _QUEUE[rest[2]], rest[1].partition("-")[2], text)
    elif rest[0] == "device" and devices.below_a_nic(guide, line, nic, rest[1:], text):
        return
    elif rest[0] == "bonding" and len(rest) == 2:
        bond(guide, line, nic, rest[1], text)
    else:
        guide.sink.remark(
            line, OTHER_TOOL, f"{'/'.join(masks.shown(part) for part in rest)} is no setting of this collection"
        )


def bond(guide: Guide, line: int, name: str, key: str, text: str) -> None:
    """An option of a bond, by the driver's name or that of a network manager."""
    key = key.lower().replace("-", "_")
    if not masks.known(text):
        guide.sink.remark(line, ON_HOST, f"bond {key}: {masks.shown(text)} is known on the host only")
    elif key in ("slaves", "members") and text.startswith("-"):
        guide.sink.remark(line, NO_EFFECT, f"{text} leaves the bond")
    elif key not in _BOND_KEYS:
        guide.sink.remark(line, OTHER_TOOL, f"bond {key} {text}: it is no setting of this collection")
    elif text:
        guide.sink.set(line, masks.name(name), "bond", "members" if key == "slaves" else key, text.lstrip("+"))
