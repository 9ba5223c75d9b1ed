# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which NICs irqbalance leaves alone on a host: those that ask for it (`irqbalance_ban`), and no others."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence, Tuple

from ..family import HOST, Expansion, Family
from ..schema import ABSENT, EXACTLY, Action, Address, Cell, Desired, Reader, Reading, Save, Value
from ..tools import irqbalance as tool
from ..tools import sysfs

KEY = "irqbalance_ban"


def _desire(host: Reader, params: Mapping[str, Any]) -> Dict[Address, Desired]:
    """The files go, unless a NIC turns out to need them; a host without either is not looked at any further."""
    entries = [entry["irq"] for entry in params.get("nics") or () if isinstance(entry.get("irq"), Mapping)]
    there = host.exists(tool.SCRIPT) or host.exists(tool.DROP_IN)
    if params.get("nics") is None or not (there or any(KEY in keys for keys in entries)):
        return {}
    return {Address("irqbalance", "", path): Desired(ABSENT) for path in (tool.SCRIPT, tool.DROP_IN)}


def _read(host: Reader, _scope: str, _keys: Sequence[str]) -> Reading:
    devices = {nic.name: Cell(nic.bus, fixed=True) for nic in sysfs.identities(host)}
    return Reading({**devices, **{path: Cell(host.read(path)) for path in (tool.SCRIPT, tool.DROP_IN)}})


def _expand(
    _scope: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], planned: Mapping[Address, Value]
) -> Expansion:
    nics = [nic for (family, nic, key), value in planned.items() if (family, key, value) == ("irq", KEY, True)]
    if not nics:
        return Expansion(desired)
    texts = {tool.SCRIPT: tool.script([str(cells[nic].value) for nic in nics]), tool.DROP_IN: tool.DROP_IN_TEXT}
    return Expansion({path: Desired(EXACTLY, text) for path, text in texts.items()})


def _write(_scope: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    saves = [
        Save(path, None if text is None else str(text), 0o755 if path == tool.SCRIPT else 0o644)
        for path, text in values.items()
    ]
    return (*saves, *tool.take_up(tool.DROP_IN in values))


irqbalance = Family(
    name="irqbalance",
    module="irq",
    scope=HOST,
    read=_read,
    write=_write,
    about="The NICs that irqbalance leaves alone.",
    options={"nics": {"type": "list", "elements": "dict"}},
    desire=_desire,
    expand=_expand,
)
