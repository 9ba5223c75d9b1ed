# SPDX-License-Identifier: GPL-3.0-or-later
"""Remember what devices made of the numbers they round, so that the next call takes the result for its own."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable

from .schema import Address, Adjusted, Cells, Save

PATH = "/var/lib/linuxnet-tuning/adjusted.json"
_VERSION = 1


def recall(host: Any, cells: Cells) -> None:
    """Note in each cell what an earlier call asked for when it got just this value."""
    for address, (asked, value) in _load(host).items():
        cell = cells.get(address)
        if cell is not None and cell.value == value:
            cells[address] = cell._replace(rounded=asked)


def store(host: Any, adjusted: Iterable[Adjusted]) -> str:
    """Add what was rounded just now; returns a complaint, or nothing."""
    known = _load(host)
    merged = {**known, **{item.address: (item.asked, item.value) for item in adjusted}}
    if merged == known:
        return ""
    entries = [
        {"nic": address.scope, "family": address.family, "key": address.key, "asked": asked, "value": value}
        for address, (asked, value) in sorted(merged.items())
    ]
    text = json.dumps({"version": _VERSION, "adjusted": entries}, indent=1) + "\n"
    return str(host.do(Save(PATH, text, mode=0o600)))


def _load(host: Any) -> Dict[Address, Any]:
    """A file that is missing, damaged or of a later version is as good as none: a value is then written once more."""
    try:
        content = json.loads(host.read(PATH) or "{}")
        return {
            Address(entry["family"], entry["nic"], entry["key"]): (entry["asked"], entry["value"])
            for entry in (content["adjusted"] if content["version"] == _VERSION else ())
        }
    except (ValueError, KeyError, TypeError):
        return {}
