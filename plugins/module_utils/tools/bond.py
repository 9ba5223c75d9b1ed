# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak of bonds: what one is made of, what the kernel says about it, and the commands that change a live one."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..schema import Reader, Run
from . import sysfs

# What a name may hold so that each manager takes it, as a name and as part of the name of a file.
NAME = r"[A-Za-z][A-Za-z0-9_-]{0,14}"


class Bond(NamedTuple):
    """A bond as a manager's files describe it; `options` are the driver's, in the kernel's own words."""

    name: str
    mode: str
    members: Tuple[str, ...]
    options: Mapping[str, str] = {}
    mtu: Optional[int] = None
    addresses: Tuple[str, ...] = ()
    gateway: str = ""
    dhcp: bool = False


class Step(NamedTuple):
    """What becomes different about a bond that lives on; `files` are those of it that are there afterwards.

    Some files are gone if `fewer`.
    """

    name: str
    files: Tuple[str, ...] = ()
    fewer: bool = False
    options: Mapping[str, str] = {}
    mtu: Optional[int] = None
    join: Tuple[str, ...] = ()
    leave: Tuple[str, ...] = ()
    add: Tuple[str, ...] = ()
    keep: Tuple[str, ...] = ()
    drop: Tuple[str, ...] = ()
    gateway: str = ""


class Manager(NamedTuple):
    """A network manager: its files, and its commands.

    `create` makes the bond of files that are written, `destroy` takes a bond down while they are still there,
    `forget` follows once they are gone. `refresh` brings a live bond in line with changed files. `dhcp` ends the line
    of a file by which a bond has its IPv4 address from DHCP.
    """

    name: str
    folder: str
    mode: int
    render: Callable[[Bond], Dict[str, str]]
    create: Callable[[str, Sequence[str], Sequence[str]], Sequence[Run]]
    destroy: Callable[[str], Sequence[Run]]
    forget: Sequence[Run]
    refresh: Callable[[Step], Sequence[Run]]
    dhcp: str


def header(name: str) -> str:
    """The first line of each file of a bond: it tells our files from others, and those of one bond from the next."""
    return f"# {name}: written by the Ansible collection linuxnet.tuning, changes by hand will be lost."


def is_ours(text: str, name: str) -> bool:
    """Whether a file is one of ours about this bond."""
    return text.startswith(header(name) + "\n")


def files(host: Reader, manager: Manager, name: str) -> List[str]:
    """The paths of our files about a bond that a manager has."""
    paths = [f"{manager.folder}/{entry}" for entry in host.names(manager.folder)]
    return [path for path in paths if is_ours(host.read(path) or "", name)]


def present(host: Reader, name: str) -> bool:
    """Whether there is such a NIC, and it is a bond."""
    return bool(host.exists(f"{sysfs.ROOT}/{name}/bonding"))


def by_dhcp(manager: Manager, texts: Iterable[Optional[str]]) -> bool:
    """Whether the files of a bond let it have its IPv4 address from DHCP."""
    return any(line.endswith(manager.dhcp) for text in texts for line in (text or "").splitlines())


def option(host: Reader, name: str, key: str) -> Optional[str]:
    """What the kernel says about an option; None where it does not know it. Numbers beside words are left out."""
    text = host.read(f"{sysfs.ROOT}/{name}/bonding/{key}")
    if text is None:
        return None
    words = text.split()
    if key in ("slaves", "arp_ip_target"):
        return " ".join(sorted(words))
    return words[0] if words else ""


def members(host: Reader, name: str) -> List[str]:
    """The NICs that a bond has now."""
    return (option(host, name, "slaves") or "").split()


def owners(host: Reader) -> Dict[str, str]:
    """The bond of each NIC that is in one."""
    bonds = sysfs.text(host, f"{sysfs.ROOT}/bonding_masters").split()
    return {member: bond for bond in bonds for member in members(host, bond)}


def create(bond: Bond) -> Tuple[str, ...]:
    """`ip link add name bond0 mtu 9000 type bond mode 802.3ad miimon 100`."""
    size = ("mtu", str(bond.mtu)) if bond.mtu else ()
    return ("ip", "link", "add", "name", bond.name, *size, "type", "bond", "mode", bond.mode, *_pairs(bond.options))


def tune(step: Step) -> List[Run]:
    """The options that the driver changes on a live bond, in one call, and the MTU, which it hands to its members."""
    options = ("type", "bond", *_pairs(step.options)) if step.options else ()
    runs = [Run(("ip", "link", "set", "dev", step.name, *options))] if options else []
    return runs + ([Run(("ip", "link", "set", "dev", step.name, "mtu", str(step.mtu)))] if step.mtu else [])


def refresh(step: Step) -> List[Run]:
    """What the files say from now on, done on the live bond, where the manager has no reload."""
    return [*tune(step), *readdress(step), *reorder(step)]


def _pairs(options: Mapping[str, str]) -> Tuple[str, ...]:
    return tuple(word for key, value in options.items() for word in (key, value.replace(" ", ",")))


def join(name: str, member: str) -> Tuple[Tuple[str, ...], ...]:
    """A NIC that is up cannot join; the bond brings it up again."""
    return (("ip", "link", "set", "dev", member, "down"), ("ip", "link", "set", "dev", member, "master", name))


def leave(member: str) -> Run:
    """Take a NIC out of its bond."""
    return Run(("ip", "link", "set", "dev", member, "nomaster"))


def reorder(step: Step) -> List[Run]:
    """Members in and out, one at a time: those that stay carry the traffic meanwhile."""
    joining = [Run(argv) for member in step.join for argv in join(step.name, member)]
    return joining + [leave(member) for member in step.leave]


def readdress(step: Step) -> List[Run]:
    """Addresses and the way out, without a manager that would do it."""
    runs = [Run(("ip", "address", "delete", address, "dev", step.name)) for address in step.drop]
    # With the first address of a network the kernel drops the others of it as well.
    addresses = (*step.keep, *step.add) if step.drop else step.add
    runs += [Run(("ip", "address", "replace", address, "dev", step.name)) for address in addresses]
    if step.gateway:
        family = "-6" if ":" in step.gateway else "-4"
        runs.append(Run(("ip", family, "route", "replace", "default", "via", step.gateway, "dev", step.name)))
    return runs
