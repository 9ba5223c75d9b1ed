# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what the description of a host of Talos says of its NICs, its kernel modules and its files of /sys."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Tuple

import yaml

from ..formats import composed
from ..keys import kernel_files, modules
from ..keys.settings import Guide
from ..model import CONDITIONAL, OTHER_TOOL

Number = Callable[[Any], int]

# The words of `deviceSelector` that an inventory can select by as well.
_SELECTORS = {"driver": "driver", "hardwareAddr": "mac", "busPath": "bus"}


def read(guide: Guide, number: Number, word: str, inner: yaml.Node) -> bool:
    """Whether a key of the description holds one of these; what it sets is said then."""
    if word == "sysctls" and isinstance(inner, yaml.MappingNode):
        for key, value in _words(inner):
            guide.sysctl(number(key), str(key.value), str(value.value))
        return True
    if word == "sysfs" and isinstance(inner, yaml.MappingNode):
        for key, value in _words(inner):
            path = str(key.value) if "/" in str(key.value) else str(key.value).replace(".", "/")
            kernel_files.write(guide, number(key), f"/sys/{path}", str(value.value))
        return True
    entries = [one for one in inner.value if isinstance(one, yaml.MappingNode)] if _is_list(inner) else []
    if word == "interfaces" and entries:
        for entry in entries:
            _interface(guide, number, entry)
        return True
    if word == "modules" and entries:
        for entry in entries:
            name, parameters = composed.find(entry, "name"), composed.find(entry, "parameters")
            for one in parameters.value if name is not None and _is_list(parameters) else ():
                modules.options(guide, number(one), str(name.value), [str(one.value)])
        return True
    return False


def _is_list(node: Any) -> bool:
    return isinstance(node, yaml.SequenceNode)


def _words(node: yaml.MappingNode) -> List[Tuple[Any, Any]]:
    return [(key, value) for key, value in node.value if isinstance(value, yaml.ScalarNode)]


def _interface(guide: Guide, number: Number, entry: yaml.MappingNode) -> None:
    """One NIC, by its name or by its device."""
    parts: Mapping[str, Any] = {str(key.value): (key, value) for key, value in entry.value}
    selector = parts.get("deviceSelector", (None, None))[1]
    told = _words(selector) if isinstance(selector, yaml.MappingNode) else []
    match = tuple((_SELECTORS[str(key.value)], str(value.value)) for key, value in told if str(key.value) in _SELECTORS)
    match = match if len(match) == len(told) else ()  # what only Talos can compare selects no NIC here
    name = str(parts["interface"][1].value) if "interface" in parts else ""
    for word, (key, value) in parts.items():
        if word == "mtu" and (name or match):
            guide.nic(number(value), name, "link", "mtu", str(value.value), () if name else match)
        elif word == "mtu":
            guide.sink.remark(number(value), CONDITIONAL, "mtu: which NICs deviceSelector is for, Talos alone knows")
        elif word not in ("interface", "deviceSelector"):
            text = f"{name or 'the NIC of deviceSelector'} {word}: it belongs to the network manager of Talos"
            guide.sink.remark(number(key), OTHER_TOOL, text)
