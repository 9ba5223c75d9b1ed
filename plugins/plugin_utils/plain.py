# SPDX-License-Identifier: GPL-3.0-or-later
"""Make plain data of what Ansible hands over: its own kinds of text and numbers are known to no writer of YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# Facts are five levels deep; what is far beyond that comes from somewhere else, and no writer of JSON could take it.
_DEPTH = 40


def plain(value: Any) -> Any:
    """The same as Python's own dictionaries, lists, texts and numbers."""
    return json.loads(json.dumps(value, default=str))


def registered(variables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a task has registered, if it has; what a host says is never a template."""
    found = variables.get(name)
    return plain(dict(found)) if isinstance(found, Mapping) else {}


def notes(hostvars: Any) -> Callable[[str], Mapping[str, Any]]:
    """Reads by its name what the tasks have registered of a host. To compute all variables of a host, as `hostvars`
    does, takes Ansible most of a millisecond, and a batch is judged from those of every host of the run."""
    known = getattr(getattr(hostvars, "_variable_manager", None), "_nonpersistent_fact_cache", None)
    if isinstance(known, Mapping):
        return lambda name: known.get(name) or {}
    # An ansible-core that has it elsewhere; without templating, which would cost each host as much as a task.
    read = getattr(hostvars, "raw_get", None) or hostvars.get
    return lambda name: found if isinstance(found := read(name), Mapping) else {}


def tame(value: Any, depth: int = _DEPTH) -> Any:
    """The same without what no reader of facts could take: numbers that are none, text that is not UTF-8, a hole
    without a bottom. It stands where values come in, so that one host's odd facts stop nobody else's audit."""
    if isinstance(value, str):
        if value.isascii():
            return str.__str__(value)  # without what Ansible's own kinds of text carry
        return re.sub("[\ud800-\udfff]", lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value if abs(value) < 1 << 64 else None  # nor infinity, nor what is no number
    if isinstance(value, (dict, Mapping)) and depth:  # of one that Python has, it is known at once
        # A queue, or the location of a rule, is a number.
        return {tame(str(key)): tame(item, depth - 1) for key, item in value.items() if isinstance(key, (str, int))}
    if isinstance(value, (list, Sequence)) and depth and not isinstance(value, (bytes, bytearray)):
        return [tame(item, depth - 1) for item in value]
    return None
