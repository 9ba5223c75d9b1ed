# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the files that set NICs when they appear: a systemd unit for each, with a drop-in for each module.

A file is one value, under its path; so is the link that starts a unit with its device, whose value is its target.
"""

from __future__ import annotations

from typing import List, Mapping, Sequence, Tuple

from ..family import HOST, Family
from ..schema import Action, Cell, Reader, Reading, Run, Save, Value
from ..tools import systemd


def _is_link(path: str) -> bool:
    return ".device.wants/" in path


def _read(host: Reader, _scope: str, keys: Sequence[str]) -> Reading:
    cells = {}
    for path in keys:
        text = (host.target(path) or None) if _is_link(path) else host.read(path)
        cells[path] = Cell(text)
    return Reading(cells)


def _write(_scope: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    """Units that nobody needs any more are no longer started before their files go, and new ones after theirs came."""
    links = {path: text for path, text in values.items() if _is_link(path)}
    off: List[Action] = [systemd.disable(systemd.nic_of(path)) for path, text in links.items() if text is None]
    files: List[Action] = [
        Save(path, None if text is None else str(text)) for path, text in values.items() if path not in links
    ]
    on: List[Run] = [systemd.enable(systemd.nic_of(path)) for path, text in links.items() if text is not None]
    return (*off, *files, systemd.daemon_reload(), *on)


def family(follows: Sequence[str]) -> Family:
    """The family of the files that keep the values of these families of NICs."""
    return Family(
        name="boot",
        module="",
        scope=HOST,
        read=_read,
        write=_write,
        about="The units that set the NICs when they appear: at boot, by hot-plug, with their driver.",
        open_kind="file",
        follows=tuple(follows),
    )
