# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak sysctl: names of keys beside paths under /proc/sys, and the format of sysctl.d files."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Pattern, Sequence, Tuple

from ..deciding.inputs import vector
from ..schema import ABSENT, Change, Poke, Reader, TuningError, nearest
from ..text import quote
from . import conf, sysfs

ROOT = "/proc/sys"
FOLDER = "/etc/sysctl.d"

# As systemd-sysctl and procps read them: of equal names the first folder wins, then all in order of their names.
FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d")

# Above this a part of a key is a slip of another one, and not a key that this kernel or namespace lacks.
_ALIKE = 0.75

# Stands for the name of a NIC in a key.
NIC_NAME = "{nic}"


def name(key: str) -> str:
    """The one name of a key, with dots; a slash stands for a dot inside a part (net.ipv4.conf.eth0/100.mtu)."""
    separator = re.search(r"[./]", key)
    if separator and separator.group() == "/":
        return key.translate(str.maketrans("./", "/."))
    return key


def of_nic(key: str, nic: str) -> str:
    """A key of one NIC, in the spelling of the key: a dot in the name is a slash where dots separate."""
    separator = re.search(r"[./]", key)
    return key.replace(NIC_NAME, nic if separator and separator.group() == "/" else nic.replace(".", "/"))


def nic_in(key: str) -> str:
    """The NIC that a key is about; empty where it is about none, or about all of them."""
    match = re.match(r"net\.\w+\.(?:conf|neigh)\.([^.]+)\.", key)
    found = match[1].replace("/", ".") if match else ""
    return "" if found in ("all", "default") else found


def path(key: str) -> str:
    """The file under /proc/sys that holds a key."""
    return f"{ROOT}/{key.translate(str.maketrans('./', '/.'))}"


def near(host: Reader, key: str) -> str:
    """`; did you mean 'net.ipv4.ip_forward'?`, for a key that is not there and differs in one part from one that is."""
    import difflib  # only on the way out with an error

    parts = path(key)[len(ROOT) + 1 :].split("/")
    for index in range(len(parts)):
        folder = "/".join([ROOT, *parts[:index]])
        if host.exists(f"{folder}/{parts[index]}"):
            continue
        rest = "/".join(parts[index + 1 :])
        others = [name for name in host.names(folder) if not rest or host.exists(f"{folder}/{name}/{rest}")]
        found = re.search(r"'(.*)'", nearest(parts[index], others, otherwise=False))
        if not found or difflib.SequenceMatcher(None, parts[index], found[1]).ratio() < _ALIKE:
            return ""
        whole = [*parts[:index], found[1], *parts[index + 1 :]]
        return f"; did you mean '{'.'.join(part.replace('.', '/') for part in whole)}'?"
    return ""


def poke(key: str, value: str) -> Poke:
    """Set the live value; one write system call, so the kernel takes a vector as a whole or not at all."""
    return Poke(path(key), value, f"sysctl -w {quote(f'{key}={value}')}")


def switched_on(host: Reader, pattern: Pattern[str], changes: Sequence[Change]) -> List[str]:
    """The NICs of parameters that fit a pattern, whose only group has the NIC, and are no longer 0 after the changes.

    `all` and a parameter without a NIC stand for each that is there, `default` for those to come.
    """
    on = [change.address.key for change in changes if str(change.after) not in ("0", ABSENT, "None")]
    names = [match[1] or "all" for match in map(pattern.fullmatch, on) if match]
    if "all" in names:
        return sysfs.names(host)
    return [nic.replace("/", ".") for nic in names if nic != "default"]


# Where modules lie, on NixOS too; and what systemd, Docker and Podman leave in a container.
_MODULES = ("/lib/modules", "/run/booted-system/kernel-modules/lib/modules")
_CONTAINERS = ("/run/systemd/container", "/.dockerenv", "/run/.containerenv")


def congestion_controls(host: Reader) -> Tuple[List[str], Optional[List[str]]]:
    """The congestion controls that are there, and those that a module would bring; None in a container without modules.

    Its kernel has the modules of the machine below. A machine without those of its kernel can load none.
    """
    there = (host.read(path("net.ipv4.tcp_available_congestion_control")) or "").split()
    modules = _modules(host, "kernel/net/ipv4", "tcp")
    return there, None if modules is None else [name for name in modules if name != "diag"]


def disciplines(host: Reader) -> List[str]:
    """The queueing disciplines that a module would bring, and those that each kernel has; nothing without modules."""
    modules = _modules(host, "kernel/net/sched", "sch")
    return [*modules, "bfifo", "mq", "noqueue", "pfifo", "pfifo_fast"] if modules else []


def _modules(host: Reader, folder: str, kind: str) -> Optional[List[str]]:
    """The names behind KIND_NAME.ko in a folder of the running kernel; None in a container without modules."""
    release = (host.read(path("kernel.osrelease")) or "").strip()
    root = next((root for root in _MODULES if host.exists(f"{root}/{release}")), "")
    if not root and any(host.exists(sign) for sign in _CONTAINERS):
        return None
    names = host.names(f"{root}/{release}/{folder}") if root else []
    return [match[1] for name in names for match in [re.match(rf"{kind}_(\w+)\.ko", name)] if match]


class Line(NamedTuple):
    """One assignment of a sysctl.d file; the key may be a glob."""

    key: str
    value: str


def lines(text: str) -> Iterator[Line]:
    """The assignments of a sysctl.d file; comments, blank and broken lines are passed over."""
    for line in text.splitlines():
        key, equals, value = line.strip().partition("=")
        key = key.strip().lstrip("-")
        if equals and key and key[0] not in "#;":
            yield Line(name(key), vector(value))


def render(values: Mapping[str, str]) -> str:
    """The text of our own file, by key."""
    return "\n".join([conf.HEADER, *(f"{key} = {value}".rstrip() for key, value in sorted(values.items())), ""])


def own(text: Optional[str], file: str) -> Dict[str, str]:
    """The keys of our own file; TuningError where somebody else wrote it."""
    if text is None:
        return {}
    if not text.startswith(conf.HEADER):
        raise TuningError(f"{file} was not written by this collection, so it is not changed; name another file")
    return {line.key: line.value for line in lines(text)}


def after(host: Reader, file: str) -> List[Tuple[str, List[Line]]]:
    """The files that are read after `file` at boot, in order, with their assignments."""
    first = conf.in_order(host, FOLDERS, ".conf", beyond=file.rsplit("/", 1)[-1])
    later = list(first.values())
    # procps reads /etc/sysctl.conf last of all; distributions with systemd link it as 99-sysctl.conf.
    if "99-sysctl.conf" not in first:
        later.append("/etc/sysctl.conf")
    return [(entry, list(lines(host.read(entry) or ""))) for entry in later]


def overrider(key: str, later: List[Tuple[str, List[Line]]]) -> Optional[Tuple[str, str]]:
    """(file, value) of the assignment that a later file has the last word with, or None.

    A glob never beats an exact assignment: systemd-sysctl leaves out keys that are set by name.
    """
    found = None
    for file, assignments in later:
        for line in assignments:
            if line.key == key:
                found = (file, line.value)
    return found
