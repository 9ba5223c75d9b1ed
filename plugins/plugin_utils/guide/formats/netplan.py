# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what netplan says of its devices."""

from __future__ import annotations

from typing import Dict, Mapping, Sequence

import yaml

from ..keys import bonded, kernel_files
from ..keys.settings import Guide
from ..model import CONDITIONAL, ON_HOST, OTHER_TOOL, Line
from . import selectors, systemd
from .composed import find, words

OFFLOADS: Mapping[str, str] = {
    "receive-checksum-offload": "rx",
    "transmit-checksum-offload": "tx",
    "tcp-segmentation-offload": "tx-tcp-segmentation",
    "tcp6-segmentation-offload": "tx-tcp6-segmentation",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
}
_BOND: Mapping[str, str] = {
    "mii-monitor-interval": "miimon",
    "transmit-hash-policy": "xmit_hash_policy",
    "up-delay": "updelay",
    "down-delay": "downdelay",
    "fail-over-mac-policy": "fail_over_mac",
    "primary-reselect-policy": "primary_reselect",
    "gratuitous-arp": "num_grat_arp",
    "arp-ip-targets": "arp_ip_target",
    "learn-packet-interval": "lp_interval",
    "all-members-active": "all_slaves_active",
    "packets-per-member": "packets_per_slave",
}
# What netplan counts in milliseconds, unless the value has a unit.
_MILLISECONDS = ("miimon", "updelay", "downdelay", "arp_interval")
_KINDS = ("ethernets", "bonds", "vlans", "bridges", "renderer")


def is_one(network: yaml.MappingNode) -> bool:
    """Whether what stands under `network` is of netplan."""
    return any(find(network, key) is not None for key in _KINDS)


def is_excerpt(node: yaml.MappingNode) -> bool:
    """Whether a document is what stands under `network`, without that word above it."""
    keys = [str(key.value) for key, _value in node.value]
    inside = [value for key, value in node.value if str(key.value) in _KINDS]
    named = all(isinstance(value, yaml.MappingNode) for value in inside)
    return bool(inside) and named and set(keys) <= {*_KINDS, "version", "renderer"}


class Netplan:
    """What stands under `network` in a document of these lines."""

    def __init__(self, guide: Guide, lines: Sequence[Line]) -> None:
        self.guide = guide
        self.lines = lines
        self.renamed: Dict[str, str] = {}

    def _number(self, node: yaml.Node) -> int:
        number: int = node.start_mark.line
        return self.lines[min(number, len(self.lines) - 1)][0]

    def read(self, network: yaml.MappingNode) -> None:
        """All devices."""
        self.renamed = _names(network)
        for kind, devices in network.value:
            if not isinstance(devices, yaml.MappingNode):
                continue
            for key, device in devices.value:
                if isinstance(device, yaml.MappingNode):
                    self._device(str(kind.value), str(key.value), device)

    def _device(self, kind: str, name: str, device: yaml.MappingNode) -> None:
        chosen = _chosen(name, device)
        with self.guide.sink.under(CONDITIONAL, chosen.problem):
            for nic, match in chosen.nics:
                self._keys(kind, name, device, nic, match)

    def _keys(self, kind: str, name: str, device: yaml.MappingNode, nic: str, match: selectors.Match) -> None:
        for key, value in device.value:
            word, line = str(key.value), self._number(key)
            if word in ("match", "set-name"):
                self.guide.sink.nothing(line, "says which NIC is meant")
            elif word in ("mtu", *OFFLOADS) and not isinstance(value, yaml.ScalarNode):
                self.guide.sink.unknown(line, f"{word} has no single value")
            elif word == "mtu":
                self.guide.nic(line, nic, "link", "mtu", str(value.value), match)
            elif word == "wakeonlan" and isinstance(value, yaml.ScalarNode):
                wakes = str(value.value).lower() in ("true", "yes", "on")
                self.guide.nic(line, nic, "wol", "wol", "g" if wakes else "d", match)
            elif word == "virtual-function-count" and isinstance(value, yaml.ScalarNode):
                self.guide.nic(line, nic, "sriov", "vfs", str(value.value), match)
            elif word in OFFLOADS:
                self.guide.nic(line, nic, "features", OFFLOADS[word], str(value.value), match)
            elif kind == "bonds" and bonded.netplan(self.guide, line, name, word, words(value)):
                self._sets(key, value, "stands in the entry of the bond")
            elif kind == "bonds" and word == "routes" and _default(value):
                bonded.gateway(self.guide, line, name, _default(value), "routes belong to netplan")
                self._sets(key, value, "stands in the entry of the bond")
            elif kind == "bonds" and word == "interfaces":
                self._members(line, name, words(value))
                for one in value.value if isinstance(value, yaml.SequenceNode) else ():
                    self.guide.sink.goes_on(self._number(one), line)
            elif kind == "bonds" and word == "parameters" and isinstance(value, yaml.MappingNode):
                for inner, text in value.value:
                    plain = str(inner.value)
                    option = _BOND.get(plain, plain.replace("-", "_"))
                    chosen = [self.renamed.get(one, one) if option == "primary" else one for one in words(text)]
                    kernel_files.bond(self.guide, self._number(inner), name, option, _span(option, " ".join(chosen)))
            else:
                self._left(word, key, value)

    def _members(self, line: int, bond: str, listed: Sequence[str]) -> None:
        """The members of a bond, which netplan knows by names of its own."""
        names = [self.renamed.get(one, one) for one in listed]
        if all(names):
            self.guide.sink.set(line, bond, "bond", "members", " ".join(names))
        else:
            told = " ".join(one for one, name in zip(listed, names) if not name)
            self.guide.sink.remark(line, ON_HOST, f"which NIC {told} is, `match` decides on the host; write its name")

    def _sets(self, key: yaml.Node, value: yaml.Node, why: str) -> None:
        """The lines of a value, which is told at its key."""
        for number, _text in self.lines[key.start_mark.line : max(value.end_mark.line, key.start_mark.line + 1)]:
            self.guide.sink.nothing(number, why)

    def _left(self, word: str, key: yaml.Node, value: yaml.Node) -> None:
        for number, _text in self.lines[key.start_mark.line : max(value.end_mark.line, key.start_mark.line + 1)]:
            self.guide.sink.remark(number, OTHER_TOOL, f"{word} belongs to netplan")


def _span(option: str, text: str) -> str:
    """A value of a bond; a time with a unit as the driver counts it."""
    if text.isdecimal() or option not in (*_MILLISECONDS, "lp_interval"):
        return text
    found = systemd.microseconds(text)
    # Rounded up, as 0 is no time, or switches the check off.
    return text if found is None else str(-(-found // (1000 if option in _MILLISECONDS else 1000000)))


def _chosen(name: str, device: yaml.MappingNode) -> selectors.Chosen:
    """The NICs that a device of netplan is for."""
    match, rename = find(device, "match"), find(device, "set-name")
    if isinstance(match, yaml.MappingNode) and isinstance(rename, yaml.ScalarNode):
        return selectors.choose([str(rename.value)], [], [])
    conditions = (
        {str(key.value): words(value) for key, value in match.value} if isinstance(match, yaml.MappingNode) else {}
    )
    hardware = [("mac", conditions.get("macaddress", [])), ("driver", conditions.get("driver", []))]
    return selectors.choose(conditions.get("name", []), hardware, [], otherwise=name)


def _names(network: yaml.MappingNode) -> Dict[str, str]:
    """By the name that a device has in the file that of the NIC, which is empty where the file does not say it."""
    found: Dict[str, str] = {}
    for kind, devices in network.value:
        if str(kind.value) == "ethernets" and isinstance(devices, yaml.MappingNode):
            for key, device in devices.value:
                if isinstance(device, yaml.MappingNode):
                    nics = _chosen(str(key.value), device).nics
                    sure = len(nics) == 1 and not nics[0][1] and not set("*?[") & set(nics[0][0])
                    found[str(key.value)] = nics[0][0] if sure else ""
    return found


def _default(routes: yaml.Node) -> str:
    """The gateway of routes that are nothing but the default one."""
    inner = routes.value if isinstance(routes, yaml.SequenceNode) else []
    mappings = [one.value for one in inner if isinstance(one, yaml.MappingNode)]
    found = [{str(key.value): str(value.value) for key, value in pairs} for pairs in mappings]
    known = len(found) == 1 and set(found[0]) == {"to", "via"} and found[0]["to"] in ("default", "0.0.0.0/0", "::/0")
    return found[0]["via"] if known else ""
