# SPDX-License-Identifier: GPL-3.0-or-later
"""Remember what was there before the first change, and what devices made of the numbers they round."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Mapping

from ..host import Host, ReadOnlyHost
from ..schema import Address, Adjusted, Cells, Save, TuningError, Value

FOLDER = "/var/lib/linuxnet-tuning"
ADJUSTED = f"{FOLDER}/adjusted.json"
BASELINE = f"{FOLDER}/baseline.json"
# A host with hundreds of NICs has many originals, and a part of them would be none.
LARGEST = 64 << 20
_VERSION = 1


def recall(host: ReadOnlyHost, cells: Cells) -> None:
    """Note in each cell what an earlier call requested when it got just this value."""
    for address, entry in _load(host, ADJUSTED).items():
        cell = cells.get(address)
        if cell is None or cell.value != entry["value"]:
            continue
        # What another end has decided is no rounding: asked for it is still, only the device does not tell.
        if cell.unseen:
            cells[address] = cell._replace(requested=entry["asked"])
        elif not cell.partner:
            cells[address] = cell._replace(rounded=entry["asked"])


def store(host: Host, adjusted: Iterable[Adjusted]) -> str:
    """Add what was rounded just now; returns a complaint, or nothing."""
    new = {item.address: {"asked": item.requested, "value": item.value} for item in adjusted}
    return _add(host, ADJUSTED, new, later_wins=True)


def baseline(host: ReadOnlyHost) -> Dict[Address, Value]:
    """What every key held before the collection first changed it; None for what was not there.

    TuningError where that cannot be read: a new one in its place would take our own values for the host's.
    """
    return {address: value_of(entry["value"]) for address, entry in _load(host, BASELINE).items()}


def keep(host: Host, originals: Mapping[Address, Value]) -> str:
    """Add values to the baseline, of which the first one stays; returns a complaint, or nothing."""
    return _add(host, BASELINE, {address: {"value": value} for address, value in originals.items()}, later_wins=False)


def forget(host: Host, restored: Iterable[Address]) -> str:
    """Take out of the baseline what is as it was; the last one takes the files along. A complaint, or nothing."""
    gone = set(restored)
    known = _load(host, BASELINE)
    left = {address: entry for address, entry in known.items() if address not in gone}
    if left == known:
        return ""
    complaint = _save(host, BASELINE, left)
    if left or complaint or not host.exists(ADJUSTED):
        return complaint
    return host.do(Save(ADJUSTED, None, mode=0o600))


def value_of(found: Any) -> Value:
    """A value as it was before it went to JSON."""
    return tuple(found) if isinstance(found, list) else found


def _add(host: Host, path: str, new: Mapping[Address, Mapping[str, Any]], later_wins: bool) -> str:
    known = _load(host, path)
    merged = {**known, **new} if later_wins else {**new, **known}
    return "" if merged == known else _save(host, path, merged)


def _save(host: Host, path: str, entries: Mapping[Address, Mapping[str, Any]]) -> str:
    listed: List[Mapping[str, Any]] = [
        {"nic": address.scope, "family": address.family, "key": address.key, **entry}
        for address, entry in sorted(entries.items())
    ]
    text = json.dumps({"version": _VERSION, "values": listed}, indent=1) + "\n"
    return host.do(Save(path, text if listed else None, mode=0o600))


def _load(host: ReadOnlyHost, path: str) -> Dict[Address, Mapping[str, Any]]:
    """By address. A note of what was rounded that cannot be read is as good as none: the value is set again."""
    text = host.read(path, LARGEST)
    return {} if text is None else _understood(path, text)


@lru_cache(maxsize=2)  # a call asks several times, and what it gets nobody changes
def _understood(path: str, text: str) -> Dict[Address, Mapping[str, Any]]:
    try:
        content = json.loads(text)
        if content["version"] != _VERSION:
            raise ValueError(f"it is of version {content['version']}, and this is {_VERSION}")
        entries = [entry for entry in content["values"] if path == BASELINE or "value" in entry]
        return {
            Address(entry["family"], entry["nic"], entry["key"]): {
                "value": entry["value"],
                **({"asked": entry["asked"]} if "asked" in entry else {}),
            }
            for entry in entries
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if path != BASELINE:
            return {}
        raise TuningError(
            f"{path} contains the original values of this host, and cannot be read ({error!r}). Put a copy from a "
            "backup there, run the version of the collection that wrote it, or move it away: then there is no way back "
            "to that. Nothing was changed"
        ) from None
