# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ifupdown: a file in /etc/network/interfaces.d for a bond, and ifup and ifdown."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Dict, Iterator, List, Sequence, Set, Tuple

from ..schema import Reader, Run
from . import bond as tool
from . import sysfs
from .bond import Bond, Manager, header
from .named import Named

MAIN = "/etc/network/interfaces"
FOLDER = "/etc/network/interfaces.d"
_DHCP = "inet dhcp"


def _render(bond: Bond) -> Dict[str, str]:
    """One stanza for each address. The first makes the bond with ip itself, so the package ifenslave is not needed."""
    # At boot ifupdown does not wait for drivers.
    there = f"for nic in {' '.join(bond.members)}; do until [ -e {sysfs.ROOT}/$nic ]; do sleep 0.1; done; done"
    hooks = [
        f"pre-up timeout 60 sh -c '{there}'",
        f"pre-up {' '.join(tool.create(bond))}",
        *(f"pre-up {' '.join(argv)}" for member in bond.members for argv in tool.join(bond.name, member)),
        f"up ip link set dev {bond.name} up",
        f"post-down ip link delete dev {bond.name}",
    ]
    lines = [header(bond.name), f"auto {bond.name}"]
    # The address "" stands for a stanza without one.
    addresses = ("", *bond.addresses) if bond.dhcp else bond.addresses or ("",)
    for number, address in enumerate(addresses):
        family = "inet6" if ":" in address else "inet"
        without = _DHCP if bond.dhcp else "inet manual"
        lines.append(f"iface {bond.name} {f'{family} static' if address else without}")
        inner = [f"address {address}"] if address else []
        first = [other for other in bond.addresses if (":" in other) == (":" in address)][:1]
        if bond.gateway and (":" in bond.gateway) == (":" in address) and [address] == first:
            inner.append(f"gateway {bond.gateway}")
        lines += [f"    {line}" for line in inner + (hooks if number == 0 else [])]
    return {f"{FOLDER}/{bond.name}": "\n".join([*lines, ""])}


def sources(host: Reader, path: str) -> bool:
    """Whether /etc/network/interfaces reads this file."""
    for line in (host.read(MAIN) or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] in ("source", "source-directory"):
            pattern = words[1] if words[1].startswith("/") else f"/etc/network/{words[1]}"
            pattern = pattern.rstrip("/") + "/*" if words[0] == "source-directory" else pattern
            if fnmatchcase(path, pattern):
                return True
    return False


def stanzas(host: Reader) -> Dict[str, Set[str]]:
    """The interfaces that ifupdown's files describe, with their methods, but for the files that are ours."""
    found: Dict[str, Set[str]] = {}
    for _path, text in _texts(host):
        for nic, method in re.findall(r"^\s*iface\s+(\S+)\s+\S+\s+(\S+)", text, re.MULTILINE):
            found.setdefault(nic, set()).add(method)
    return found


def _texts(host: Reader) -> Iterator[Tuple[str, str]]:
    """The files that it reads, but for ours, by path."""
    for path in (MAIN, *(f"{FOLDER}/{name}" for name in host.names(FOLDER))):
        text = host.read(path) or ""
        if path == MAIN or (sources(host, path) and "linuxnet.tuning" not in text.partition("\n")[0]):
            yield path, text


_AT_BOOT = ("auto", "allow-auto", "allow-hotplug")
_PORTS = ("bridge-ports", "bridge_ports", "bond-slaves", "bond_slaves", "slaves")


def named(host: Reader) -> List[Named]:
    """The NICs that the files set up at boot, and the ports that they give to bridges and bonds."""
    set_up: List[Named] = []
    ports: List[Named] = []
    at_boot: Set[str] = set()
    for path, text in _texts(host):
        current = ""
        for words in (line.split() for line in text.splitlines()):
            if words[:1] == ["iface"] and len(words) > 3:
                current = words[1]
                set_up += [] if words[3] == "manual" else [Named(current, path)]
            elif words and words[0] in _AT_BOOT:
                at_boot.update(words[1:])
            # A pattern of names is none.
            elif words and words[0] in _PORTS and "regex" not in words:
                ports += [Named(name, path, current) for name in words[1:]]
    return ports + [one for one in set_up if one.nic in at_boot]


def _create(name: str, _members: Sequence[str], _files: Sequence[str]) -> List[Run]:
    # By force: a bond that somebody deleted by hand still counts as up for ifupdown.
    return [Run(("ifup", "--force", name), seconds=120)]


def _destroy(name: str) -> List[Run]:
    return [Run(("ifdown", "--force", name), seconds=120)]


ifupdown = Manager(
    name="ifupdown",
    folder=FOLDER,
    mode=0o644,
    render=_render,
    create=_create,
    destroy=_destroy,
    forget=(),
    refresh=tool.refresh,
    dhcp=_DHCP,
)
