# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what os-net-config of OpenStack is told of one link: its size of packets and its options of ethtool."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

import yaml

from .. import masks
from ..calls import ethtool
from ..keys.settings import Guide
from ..model import ON_HOST, OTHER_TOOL

Number = Callable[[Any], int]

_TYPES = """
interface ovs_bridge ovs_user_bridge linux_bridge ovs_bond linux_bond team vlan sriov_pf sriov_vf ovs_dpdk_port
ovs_dpdk_bond ib_interface
"""
_KINDS = frozenset(_TYPES.split())
# By these numbers os-net-config names the NICs that have a link, in the order in which it finds them.
_NUMBERED = re.compile(r"nic\d+(?:\.\d+)?")
_OF_A_BOND = ("bonding_options", "ovs_options")
OPTIONS = ("mtu", "ethtool_opts", *_OF_A_BOND)


def is_one(plain: Mapping[str, yaml.Node]) -> bool:
    """Whether a map is the entry of a link, by its type."""
    kind = plain.get("type")
    return isinstance(kind, yaml.ScalarNode) and str(kind.value) in _KINDS


def read(guide: Guide, number: Number, plain: Mapping[str, yaml.Node]) -> None:
    """What the entry of a link sets."""
    named = plain.get("name")
    name = str(named.value) if isinstance(named, yaml.ScalarNode) else ""
    unknown = not name or not masks.known(masks.templates(name)) or _NUMBERED.fullmatch(name) is not None
    for word, value in plain.items():
        if not isinstance(value, yaml.ScalarNode) or word not in OPTIONS:
            continue
        line, text = number(value), str(value.value)
        if word in _OF_A_BOND:
            said = f"{word} {text}: os-net-config makes the bond; its options here stand in tuning_bonds"
            guide.sink.remark(line, OTHER_TOOL, masks.shown(said))
        elif unknown:
            said = f"{word} {text}: which NIC {name or 'this'} is, os-net-config finds on the host; write its name"
            guide.sink.remark(line, ON_HOST, masks.shown(said))
        elif word == "mtu":
            guide.nic(line, name, "link", "mtu", masks.templates(text))
        else:
            ethtool.options(guide, line, name, re.sub(r"\$(?:DEVICE\b|\{DEVICE\})", name, text))
