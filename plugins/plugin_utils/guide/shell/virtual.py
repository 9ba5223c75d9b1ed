# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the conditions by which a loop over all NICs leaves out virtual ones, which no setting for hardware is for.

The round that stands for all NICs is for those with a driver, so how such a condition ends is known.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional, Sequence

from .. import masks
from . import expand
from .nodes import Node, Pipeline, Simple, all_of, tested

IF_UP = "the script does so for NICs whose link is up when it runs"
FITTING = "the script leaves out some of the names that fit the pattern"
BY_NAME = "the script leaves out NICs by their names; the inventory has it for NICs that are hardware"
# How a round begins that stands for NICs without a name in the text.
_ALL = re.compile(r"(?:/sys/class/net/)?(?:\*|e\w*[*?[])[^/]*")
_DEVICE = re.compile(r"/device(?:/driver)?/?")
_OF_VIRTUAL = re.compile(r"/(?:bridge|bonding|brif|tun_flags)(?:/.*)?")
_EXISTS = ("-e", "-f", "-d", "-r", "-w", "-L", "-h")
_NAMES = re.compile(
    r"(?:docker|veth|virbr|vnet|vmbr|fwbr|fwln|fwpr|br|bond|team|tun|tap|wg|dummy|ifb|cali|flannel|cni|kube|lxc|lxd"
    r"|vxlan|gre|gretap|sit|ip6tnl|ovs|tailscale|ppp|vlan|macvtap)(?![a-z])[-\w.*+\[\]]*|\W*[.@:]\W*"
)
_LINK_UP = re.compile(
    r"/(?:operstate|carrier)\b|\bip (?:-\w+ )*l(?:ink)? (?:show|list|ls)\b.* \| e?grep .*\bUP\b"
    r"|\bethtool \S+ \| e?grep .*Link detected"
)
_LINK = re.compile(r"\breadlink\b|\bls -\w*l\w* .*/sys/class/net/|/sys/class/net/.*/uevent")


def stands_for_all(text: str) -> bool:
    """Whether a name, or the folder of a NIC, is that of the round that stands for all of them."""
    return _ALL.fullmatch(masks.shown(text)) is not None


def are_virtual(pattern: str) -> bool:
    """Whether a pattern of a shell or of grep has nothing but names of virtual NICs, or signs that only these have."""
    parts = re.sub(r"[\^$()\"'\\]|\.\*$", "", pattern).split("|")
    return any(part != "lo" for part in parts) and all(part == "lo" or _NAMES.fullmatch(part) for part in parts)


def decide(words: Sequence[str]) -> Optional[bool]:
    """How a test ends in such a round: of a folder of the NIC, of its name, or of where its device lies."""
    if len(words) == 2 and words[0] in _EXISTS:
        folder = _ALL.match(masks.shown(words[1])) if "/sys/class/net/" in words[1] else None
        rest = masks.shown(words[1])[folder.end() :] if folder else ""
        return True if _DEVICE.fullmatch(rest) else False if _OF_VIRTUAL.fullmatch(rest) else None
    if len(words) < 3 or words[1] not in ("=", "==", "!=", "=~") or (len(words) > 3 and words[1] != "=~"):
        return None
    name, sign, pattern = masks.shown(words[0]), words[1], "".join(words[2:])
    if (stands_for_all(words[0]) and "/" not in name and are_virtual(pattern)) or _is_of_link(name, pattern):
        return sign == "!="
    return None


def _is_of_link(source: str, pattern: str) -> bool:
    return bool(_LINK.search(source)) and pattern.strip("*/^$.\"'") in ("virtual", "devices/virtual")


def searched(commands: Sequence[List[str]]) -> Optional[bool]:
    """The same of `echo NIC | grep -q '\\\\.'`, and of `readlink /sys/class/net/NIC | grep -q virtual`."""
    if len(commands) != 2 or not commands[1] or commands[1][0] not in ("grep", "egrep"):
        return None
    plain = [word for word in commands[1][1:] if not word.startswith("-")]
    turned = any(re.fullmatch(r"-[a-zA-Z]*v[a-zA-Z]*", word) for word in commands[1])
    first = commands[0]
    if len(plain) != 1 or not first:
        return None
    named = first[0] in ("echo", "printf") and stands_for_all(first[-1]) and are_virtual(plain[0])
    return turned if named or _is_of_link(" ".join(map(masks.shown, first)), plain[0]) else None


def is_about_the_link(node: Node) -> bool:
    """Whether a condition is about whether the link of a NIC is up, and nothing else."""
    spelt = [" ".join(raw for raw, _line in one.words) for one in all_of(node) if isinstance(one, Simple)]
    return len(spelt) < 3 and _LINK_UP.search(" | ".join(spelt)) is not None


def of_pipeline(node: Pipeline, scope: expand.Scope) -> Optional[bool]:
    """How a pipeline ends that asks so."""
    piped = [one for one in node.commands if isinstance(one, Simple)]
    words = [[field for raw, _line in one.words for field in expand.fields(raw, scope)] for one in piped]
    return searched(words) if len(piped) == len(node.commands) else None


def narrows(node: Node, scope: expand.Scope) -> Optional[str]:
    """What to note of commands that a condition leaves to the NICs that are hardware; None where it asks else."""
    for one in all_of(node):
        words = [expand.text(raw, scope) for raw in tested(one)]
        if words[:1] == ["!"]:
            words = words[1:]
        if words and decide(words) is not None:
            return "" if len(words) == 2 or _LINK.search(masks.shown(words[0])) else BY_NAME
        if isinstance(one, Pipeline) and of_pipeline(one, scope) is not None:
            first = one.commands[0]
            return BY_NAME if isinstance(first, Simple) and first.words[0][0] in ("echo", "printf") else ""
    return None


def narrowed(values: Mapping[str, expand.Value]) -> Dict[str, expand.Value]:
    """Variables that stand for all NICs, as they stand for those that are hardware."""
    found: Dict[str, expand.Value] = {}
    for name, value in values.items():
        if isinstance(value, str) and (value == "*" or re.match(r"/sys/class/net/\*(?=/|$)", value)):
            found[name] = value.replace("*", masks.HARDWARE, 1)
    return found
