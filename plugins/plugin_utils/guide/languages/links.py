# SPDX-License-Identifier: GPL-3.0-or-later
"""Read documents of Talos that describe one link each: EthernetConfig, BondConfig and their like."""

from __future__ import annotations

import re
from typing import Any, Callable, FrozenSet, Mapping, NamedTuple, Optional, Sequence

import yaml

from ..calls import ethtool
from ..formats import composed
from ..keys import bonded, kernel_files
from ..keys.settings import Guide
from ..model import ON_HOST, OTHER_TOOL

Number = Callable[[Any], int]

_ETHERNET = "EthernetConfig"
_BOND = "BondConfig"
_ALIAS = "LinkAliasConfig"
_DHCP = "DHCPv4Config"
_KINDS = (_ETHERNET, _BOND, _ALIAS, _DHCP, "LinkConfig", "VLANConfig", "BridgeConfig")
# What such a document has for one option of ethtool.
_TABLES: Mapping[str, str] = {"features": "-K", "rings": "-G", "channels": "-L"}
_WAKES: Mapping[str, str] = {
    **{"phy": "p", "unicast": "u", "multicast": "m", "broadcast": "b", "arp": "a", "magic": "g"},
    **{"magicsecure": "s", "filter": "f"},
}
_SWITCHES = {"true": "on", "false": "off", "yes": "on", "no": "off"}
_OPTIONS: Mapping[str, str] = {
    **{"bondMode": "mode", "resendIGMP": "resend_igmp", "arpIpTargets": "arp_ip_target"},
    **{"nsIp6Targets": "ns_ip6_target", "numPeerNotif": "num_peer_notif", "tlbLogicalLb": "tlb_dynamic_lb"},
    "peerNotifyDelay": "peer_notif_delay",
}
_OF_THE_LINK = ("apiVersion", "kind", "name", "parent", "vlanID", "vlanMode", "up", "clientIdentifier")
# What a bond cannot do without, which stands in its entry.
_ADDRESSES = ("addresses", "routes")


class Names(NamedTuple):
    """The names that documents give: to links which only the host can tell, and to bonds."""

    aliases: FrozenSet[str]
    bonds: FrozenSet[str]


def names(nodes: Sequence[yaml.Node]) -> Names:
    """The names in a text."""
    found = [(_word(node, "kind"), _word(node, "name")) for node in nodes if isinstance(node, yaml.MappingNode)]
    return Names(*(frozenset(name for kind, name in found if kind == one) for one in (_ALIAS, _BOND)))


def read(guide: Guide, number: Number, node: yaml.Node, known: Names) -> bool:
    """Whether a document describes a link; what it sets is said then."""
    kind = _word(node, "kind") if isinstance(node, yaml.MappingNode) else ""
    if not isinstance(node, yaml.MappingNode) or kind not in _KINDS or not _word(node, "apiVersion").startswith("v1"):
        return False
    name = _word(node, "name")
    with guide.sink.under(ON_HOST, _alias(name) if name in known.aliases else ""):
        for key, value in node.value if kind != _ALIAS else ():
            if kind == _DHCP and name in known.bonds and str(key.value) == "name":
                bonded.dhcp(guide, number(key), name)
            _key(guide, number, kind, name, key, value, known.aliases)
    return True


def _alias(name: str) -> str:
    return f"which NIC {name} is, {_ALIAS} has the host decide; write its name"


def _word(node: yaml.MappingNode, key: str) -> str:
    found: Optional[Any] = composed.find(node, key)
    return str(found.value) if isinstance(found, yaml.ScalarNode) else ""


def _key(guide: Guide, number: Number, kind: str, name: str, key: Any, value: Any, aliases: FrozenSet[str]) -> None:
    word, line = str(key.value), number(key)
    if word == "mtu":
        guide.nic(number(value), name, "link", "mtu", str(value.value))
    elif kind == _ETHERNET and word in _TABLES and isinstance(value, yaml.MappingNode):
        for one, text in value.value:
            said = _SWITCHES.get(str(text.value).lower(), str(text.value))
            ethtool.options(guide, number(one), name, f"{_TABLES[word]} {name} {one.value} {said}")
    elif kind == _ETHERNET and word == "wakeOnLan":
        letters = "".join(_WAKES.get(one.lower(), "?") for one in composed.words(value)) or "d"
        guide.nic(line, name, "wol", "wol", letters)
        _goes_on(guide, number, line, value)
    elif kind == _BOND and word == "links":
        listed = composed.words(value)
        _goes_on(guide, number, line, value)
        if aliases & set(listed):
            guide.sink.remark(line, ON_HOST, _alias(" ".join(sorted(aliases & set(listed)))))
        else:
            guide.sink.set(line, name, "bond", "members", " ".join(listed))
    elif kind == _BOND and word in _ADDRESSES and isinstance(value, yaml.SequenceNode):
        _addresses(guide, number, name, word, value)
    elif kind == _BOND and word not in _OF_THE_LINK:
        option = _OPTIONS.get(word, re.sub(r"(?<=[a-z])([A-Z])", r"_\1", word).lower())
        kernel_files.bond(guide, line, name, option, " ".join(composed.words(value)))
    elif word not in _OF_THE_LINK:
        guide.sink.remark(line, OTHER_TOOL, f"{name} {word}: it belongs to the network manager of Talos")


def _goes_on(guide: Guide, number: Number, line: int, value: yaml.Node) -> None:
    for one in value.value if isinstance(value, yaml.SequenceNode) else ():
        guide.sink.goes_on(number(one), line)


def _addresses(guide: Guide, number: Number, bond: str, word: str, value: yaml.SequenceNode) -> None:
    """The addresses of a bond, and its default route."""
    otherwise = f"{bond} {word}: it belongs to the network manager of Talos"
    for one in value.value:
        parts = one if isinstance(one, yaml.MappingNode) else yaml.MappingNode("", [])
        line, gateway = number(one), _word(parts, "gateway")
        if word == "addresses":
            bonded.address(guide, line, bond, _word(parts, "address"), "", otherwise)
        elif gateway and not {"destination", "table", "source"} & {str(key.value) for key, _inner in parts.value}:
            bonded.gateway(guide, line, bond, gateway, otherwise)
        else:
            guide.sink.remark(line, OTHER_TOOL, otherwise)
