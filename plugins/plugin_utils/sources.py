# SPDX-License-Identifier: GPL-3.0-or-later
"""Name the variables of the inventory that an error is about: the host knows the options of the call only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Callable, List

from ansible.errors import AnsibleError

from . import layers

_OPTION = re.compile(r"(nics): |(sysctl|module_parameters) (?:has no key '(.+?)'|([^ :]+):)")
_PLAIN = re.compile(rf"({'|'.join(layers.PLAIN)}): ")


def named(message: str, variables: Mapping[str, Any], template: Callable[[Any], Any]) -> str:
    """The message, which begins with an option, with the variables that hold what is wrong in its place."""
    plain = _PLAIN.match(message)
    if plain:
        found = [name for name in (f"tune_{plain[1]}", f"tuning_{plain[1]}") if variables.get(name) is not None]
        return message.replace(plain[1], found[0], 1) if found else message
    option = _OPTION.match(message)
    # What a device does not have is no mistake of one variable, and is told of several keys at once.
    if not option or ": desired " in message:
        return message
    name = option[1] or option[2]
    names = (f"tune_{name}", *(layer.format(name) for layer in layers.LAYERS))
    read = {variable: _value(variables, variable, template) for variable in names}
    given = {variable: layer for variable, layer in read.items() if layer}
    if option[1]:
        found = [variable for variable, layer in given.items() if _has_entry(message, layer)]
    else:
        found = [variable for variable, layer in given.items() if (option[3] or option[4]) in map(str, layer)]
    # An entry without a name may stand in each of them.
    words = " and ".join(found) or " or ".join(given if option[1] else ())
    return message.replace(name, words, 1) if words else message


def _value(variables: Mapping[str, Any], name: str, template: Callable[[Any], Any]) -> Any:
    """What a variable is; nothing where it is undefined, for the message is about another one."""
    try:
        return template(variables[name]) if variables.get(name) else None
    except AnsibleError:
        return None


def _has_entry(message: str, layer: Any) -> bool:
    """Whether a layer has the entry that the message is about."""
    entries: List[Any] = layer if isinstance(layer, list) else [layer]
    of_each = [entry.get("name") or entry.get("match") for entry in entries if isinstance(entry, Mapping)]
    return any(message.startswith(f"nics: {one}: ") for one in of_each)
