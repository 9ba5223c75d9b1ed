# SPDX-License-Identifier: GPL-3.0-or-later
"""Read /etc/network/interfaces of ifupdown."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Sequence, Tuple

from .. import masks
from ..keys import bonded, kernel_files
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, NOTE, OTHER_TOOL, Line
from ..scripts.whole import Shell

# Options of the ethtool package of Debian, by the family that they belong to.
_ETHTOOL: Mapping[str, str] = {
    "offload-": "features",
    "ethernet-pause-": "pause",
    "hardware-dma-ring-": "ring",
    "hardware-irq-coalesce-": "coalesce",
}
# Options that are a key by themselves; the second half are those of ifupdown2.
_KEYS: Mapping[str, Tuple[str, str]] = {
    "mtu": ("link", "mtu"),
    "txqueuelen": ("link", "txqueuelen"),
    "link-speed": ("speed", "speed"),
    "link-duplex": ("speed", "duplex"),
    "ethernet-autoneg": ("speed", "autoneg"),
    "ethernet-wol": ("wol", "wol"),
    "link-autoneg": ("speed", "autoneg"),
    "link-fec": ("fec", "encoding"),
    "rx-vlan-filter": ("features", "rx-vlan-filter"),
    **{f"{feature}-offload": ("features", feature) for feature in ("gro", "lro", "gso", "tso", "ufo", "tx", "rx")},
}
# What runs a command when a NIC comes up, and when it goes down.
_HOOKS = ("pre-up", "up", "post-up", "down", "pre-down", "post-down")
# Programs that some write down without the word that has them run.
_PROGRAMS = ("ethtool", "ip", "ifconfig", "tc", "sysctl", "echo", "iptables", "route")
# How a stanza begins.
STANZA = re.compile(r"\s*(auto|allow-\S+|iface|mapping|source|source-directory)\s+\S")
_STANZAS = (
    "iface",
    "auto",
    "source",
    "source-directory",
    "mapping",
    "allow-hotplug",
    "allow-auto",
    "no-auto-down",
    "rename",
)


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """Stanzas with options, and commands that run when a NIC comes up."""
    nic = ""
    bridges, bonds = _bridges(lines), _bonds(lines)
    netmasks = _netmasks(lines)
    for number, text in lines:
        plain = masks.templates(text).strip()
        words = plain.split()
        if not words or plain.startswith("#"):
            guide.sink.nothing(number, "a comment")
        elif words[0] in _STANZAS or words[0].startswith("allow-"):
            nic = words[1] if words[0] == "iface" and len(words) > 1 else nic
            guide.sink.nothing(number, "says which NICs there are")
            if words[0] == "iface" and words[2:4] == ["inet", "dhcp"] and nic in bonds:
                bonded.dhcp(guide, number, nic)
        elif not nic and _sets(words[0].lower()):
            guide.sink.remark(number, CONDITIONAL, f"{masks.shown(plain)}: which NIC it is for stands before this text")
        elif (not nic and words[0].lower() not in _HOOKS) or len(words) == 1:
            guide.sink.nothing(number, "no option of a stanza")
        else:
            key = words[0].lower()
            if nic in bridges and key.startswith(("bond", "slaves")):
                text = f"{plain} stands in the stanza of the bridge {nic}; the bond that is meant needs one of its own"
                guide.sink.remark(number, CONDITIONAL, text)
                continue
            if nic in bonds and key in ("address", "netmask", "gateway"):
                _address(guide, number, nic, key, words[-1], netmasks.get(number, ""))
                continue
            _option(guide, number, nic, key, plain[len(words[0]) :].strip())


def _sets(key: str) -> bool:
    """Whether an option is one that sets something by itself."""
    dashed = key.replace("_", "-")
    return dashed in _KEYS or dashed.startswith((*_ETHTOOL, "bond-", "slaves"))


def _bridges(lines: Sequence[Line]) -> List[str]:
    """The stanzas that are of bridges."""
    found, nic = [], ""
    for _number, text in lines:
        words = text.split()
        nic = words[1] if words[:1] == ["iface"] and len(words) > 1 else nic
        if words and words[0].replace("-", "_") == "bridge_ports":
            found.append(nic)
    return found


def _bonds(lines: Sequence[Line]) -> List[str]:
    """The stanzas that are of bonds."""
    found, nic = [], ""
    for _number, text in lines:
        words = text.replace("_", "-").split()
        nic = words[1] if words[:1] == ["iface"] and len(words) > 1 else nic
        if words and (words[0] == "slaves" or (words[0].startswith("bond-") and words[0] != "bond-master")):
            found.append(nic)
        elif len(words) > 1 and words[0] == "bond-master":
            found.append(words[1])
    return found


def _netmasks(lines: Sequence[Line]) -> Dict[int, str]:
    """By the line of an address, the mask that stands in the same stanza."""
    stanza, found, addresses = 0, {}, {}
    for number, text in lines:
        words = text.split()
        stanza += words[:1] == ["iface"]
        if words[:1] == ["netmask"]:
            found[stanza] = words[-1]
        if words[:1] == ["address"]:
            addresses[number] = stanza
    return {number: found.get(address, "") for number, address in addresses.items()}


def _address(guide: Guide, number: int, nic: str, key: str, value: str, mask: str) -> None:
    otherwise = f"{nic} {key} {masks.shown(value)}: it belongs to ifupdown"
    if key == "address":
        bonded.address(guide, number, nic, value, mask, otherwise)
    elif key == "gateway":
        bonded.gateway(guide, number, nic, value, otherwise)
    else:
        guide.sink.nothing(number, "stands in the address")


def _option(guide: Guide, number: int, nic: str, key: str, value: str) -> None:
    dashed = key.replace("_", "-")
    family = next((start for start in _ETHTOOL if dashed.startswith(start)), "")
    if key in _HOOKS[:3]:
        shell = Shell(guide)
        shell.scope.values.update({"IFACE": nic} if nic else {})
        before = len(guide.sink.settings)
        shell.commands(number, value)
        others = {one.nic for one in guide.sink.settings[before:] if one.nic not in ("", masks.name(nic))}
        if others and nic:
            guide.sink.remark(number, NOTE, f"the stanza is of {nic}, the command acts on {', '.join(sorted(others))}")
    elif key in _HOOKS:
        with guide.sink.under(NO_EFFECT, "it runs when the NIC goes down"):
            Shell(guide).commands(number, value)
        guide.sink.nothing(number, "runs when the NIC goes down")
    elif dashed in _KEYS:
        guide.nic(number, nic, *_KEYS[dashed], value)
    elif family:
        name = dashed[len(family) :]
        guide.nic(number, nic, _ETHTOOL[family], name if family == "offload-" else name.replace("-", "_"), value)
    elif dashed in ("slaves", "bond-slaves", "bond-ports"):
        if value != "none":
            guide.sink.set(number, nic, "bond", "members", value)
    elif dashed in ("bond-master", "bond-primary"):
        if dashed == "bond-master":
            guide.sink.set(number, value, "bond", "members", nic)
        else:
            kernel_files.bond(guide, number, nic, "primary", value.split()[0] if value else "")
    elif dashed.startswith("bond-"):
        kernel_files.bond(guide, number, nic, dashed[5:], value)
    elif key in _PROGRAMS:
        said = f"{key} {masks.shown(value)}: ifupdown takes it for an option, and runs nothing; write up {key} ..."
        guide.sink.remark(number, NO_EFFECT, said)
    else:
        guide.sink.remark(number, OTHER_TOOL, f"{nic} {key} {masks.shown(value)}: it belongs to ifupdown")
