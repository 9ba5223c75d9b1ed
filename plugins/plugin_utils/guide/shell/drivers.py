# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script asks of the driver of a NIC: `ethtool -i eth0 | grep ixgbe`, and what of sysfs tells it."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from .. import masks
from . import expand
from .conditions import queries_driver, spelt
from .nodes import Node, Pipeline, Simple

# The name of a driver that grep looks for in a substitution, which may be counted.
_LOOKED_FOR = re.compile(r"\|\s*e?grep\s+((?:-\w+\s+)*)([\"']?)([^\s\"'|)`]+)\2\s*(?:\|\s*wc\s+-l\s*)?[)`][\"']?$")
# Comparisons of how often it is found: those that need it, and those that need it not to be there.
_THERE = {"-gt 0", "-ge 1", "-eq 1", "-ne 0", "= 1", "== 1", "!= 0"}
_ABSENT = {"-eq 0", "-lt 1", "-le 0", "-ne 1", "= 0", "== 0", "!= 1"}

# What tells of the device of a NIC, among the rest its driver.
_OF_A_DEVICE = re.compile(r"/sys/class/net/[^/]+/device/(?:uevent|driver/uevent)\b")

# One dictionary for each way in which a condition can hold; an empty one says nothing.
Bindings = Dict[str, str]
NOTHING: Bindings = {}
# Stands among the variables for the driver of the NICs that a command is for.
DRIVER = "@driver"
VARIABLE = re.compile(r"[\"']?\$\{?(\w+)\}?[\"']?")


def tells(raw: str, scope: expand.Scope) -> bool:
    """Whether a word is the name of a driver: a variable that holds it, or the substitution that asks for it."""
    match = VARIABLE.fullmatch(raw)
    return match[1] in scope.drivers if match else queries_driver(filled(raw, scope))


def filled(raw: str, scope: expand.Scope) -> str:
    """A word with the paths of sysfs in place of the variables that hold them: `$(readlink "$nic/device/driver")`."""

    def of_sysfs(match: re.Match[str]) -> str:
        value = scope.get(match[1])
        return masks.shown(value) if isinstance(value, str) and "/sys/class/net/" in value else match[0]

    return re.sub(r"\$\{?(\w+)\}?", of_sysfs, raw)


def looked_for(raw: str, scope: expand.Scope) -> str:
    """The driver that a substitution finds or not, as in `$(ethtool -i eth0 | grep -c ixgbe)`; empty for others."""
    found = _LOOKED_FOR.search(raw) if queries_driver(raw) else None
    pattern = expand.text(found[3], scope) if found and not re.search("[ov]", found[1]) else ""
    return pattern if masks.known(pattern) and any(named(pattern)) else ""


def hold(name: str, raw: str, scope: expand.Scope) -> None:
    """Remember of a variable whether it holds the name of a driver, or whether one is found."""
    source = filled(raw, scope)
    scope.looked_for[name] = looked_for(source, scope)
    scope.drivers.discard(name)
    is_query = queries_driver(source) and re.search(r"\$\(|`", raw) is not None
    scope.drivers |= {name} if not scope.looked_for[name] and is_query else set()


def tested(raw: Sequence[str], scope: expand.Scope) -> Tuple[str, bool]:
    """The driver of which a test asks whether it has been found, and whether the test holds where it has."""
    side = raw[1] if len(raw) == 2 and raw[0] in ("-n", "-z") else raw[0] if len(raw) == 3 else ""
    match = VARIABLE.fullmatch(side)
    pattern = scope.looked_for.get(match[1], "") if match else looked_for(side, scope)
    compared = " ".join(raw[1:]).replace('"', "").replace("'", "")
    there = raw[0] == "-n" if len(raw) == 2 else compared in _THERE
    return (pattern, there) if len(raw) == 2 or compared in _THERE | _ABSENT else ("", False)


def named(pattern: str) -> List[Bindings]:
    """The drivers of a regular expression that is nothing but their names."""
    names = re.sub(r"driver:(\s|\\s[*+]?)*|DRIVER=|[\^$()\"']|\\[<>b]", "", pattern).replace("\\|", "|").split("|")
    are_names = all(re.fullmatch(r"[A-Za-z][\w-]*", name) for name in names)
    return [{DRIVER: name} for name in names] if are_names else [NOTHING]


def current(scope: expand.Scope) -> str:
    """The driver of the NICs that a command is for; empty where no condition says so."""
    name = str(scope.values.get(DRIVER, ""))
    return name if masks.known(name) else ""


def only_of(scope: expand.Scope, name: str) -> None:
    """Let what follows be for the NICs of a driver, or for those of any."""
    scope.values.pop(DRIVER, None)
    scope.values.update({DRIVER: name} if name else {})


def searched(node: Pipeline) -> List[Bindings]:
    """`ethtool -i NIC | grep -q DRIVER`."""
    first, last = node.commands[0], node.commands[-1]
    if not (isinstance(first, Simple) and isinstance(last, Simple) and last.words and queries_driver(spelt(first))):
        return [NOTHING]
    words = [raw for raw, _line in last.words]
    if words[0] not in ("grep", "egrep") or any(re.match(r"-\w*[vf]", word) for word in words):
        return [NOTHING]
    return named(next((word for word in words[1:] if not word.startswith("-")), ""))


def found_in(node: Node, scope: expand.Scope) -> List[Bindings]:
    """`grep -q DRIVER /sys/class/net/NIC/device/uevent`."""
    words = [raw for raw, _line in node.words] if isinstance(node, Simple) else []
    plain = [word for word in words[1:] if not word.startswith("-")]
    is_it = words[:1] == ["grep"] and len(plain) == 2 and not any(re.match(r"-\w*[vf]", word) for word in words)
    return named(plain[0]) if is_it and _OF_A_DEVICE.search(filled(plain[1], scope)) else [NOTHING]
