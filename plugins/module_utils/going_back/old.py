# SPDX-License-Identifier: GPL-3.0-or-later
"""Take over what version 0.2 has left: a folder for each change that waits, with a script of its own."""

from __future__ import annotations

import json
from typing import Any, Mapping

from ..host import Host
from ..schema import Address, Save
from . import memory, stack
from .stack import HELD, Layer, Line

_WINDOW = f"{memory.FOLDER}/window"


def take_over(host: Host) -> bool:
    """Make layers of the changes of that version, if there are; one without its script did not count."""
    found = [
        (folder, int(name))
        for folder in (stack.FOLDER, _WINDOW)
        for name in sorted(host.names(folder), key=lambda name: (len(name), name))
        if name.isdecimal()
    ]
    if not found and not host.exists(f"{_WINDOW}/run"):
        return False
    there = stack.read(host)
    # What is temporary lay below what is not confirmed: its own change waits as well.
    for folder, number in sorted(found, key=lambda item: item[0] != _WINDOW):
        text = host.read(f"{folder}/{number}/revert")
        if text is not None:
            next_one = max((layer.number for layer in there), default=0) + 1
            there.append(_layer(host, folder, number, text, next_one))
    stack.write(host, there)
    for folder, number in found:
        for name in sorted(host.names(f"{folder}/{number}"), key=lambda name: name != "revert"):
            host.do(Save(f"{folder}/{number}/{name}", None, mode=0o600))
    if host.exists(f"{_WINDOW}/run"):
        host.do(Save(f"{_WINDOW}/run", None, mode=0o600))
    return True


def _layer(host: Host, folder: str, number: int, text: str, new: int) -> Layer:
    layer = stack.told_of(host, f"{folder}/{number}/change.json", new)
    names = [name for name in host.names(f"{folder}/{number}") if name.startswith("file-")]
    for name in names:
        host.do(Save(f"{stack.FOLDER}/{new}-{name}", host.read(f"{folder}/{number}/{name}") or "", mode=0o600))
    script = f"{new}-commands"
    host.do(Save(f"{stack.FOLDER}/{script}", text.replace("put file-", f"put {new}-file-"), mode=0o600))
    # Files that the table does not name would be removed.
    command = " ".join([":", *(f"{new}-{name}" for name in names)]) + f"; . ./{script}"
    lines = [_line(change, command) for change in layer.changes]
    lines = lines or [Line(0, HELD, f"/ unknown {new}", "null", "null", command)]
    # Its clock counted from a moment that nobody noted, and is stopped: it would find nothing any more.
    end = host.uptime() + layer.timeout if layer.timeout else 0
    layer = layer._replace(lines=tuple(lines))
    return layer._replace(end=end) if folder == _WINDOW else layer._replace(waits=end)


def _line(change: Mapping[str, Any], command: str) -> Line:
    address = Address(str(change.get("family")), str(change.get("nic", "")), str(change.get("key")))
    now, then = (json.dumps(change.get(word)) for word in ("after", "before"))
    return Line(0, HELD, stack.name(address), now, then, command)
