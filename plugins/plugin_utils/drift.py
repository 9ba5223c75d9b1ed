# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what a tuning call found with what it would set, without trusting the shape of the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Key = tuple[str, str]


def leaves(state: Any) -> Iterator[tuple[Key, Any]]:
    """Each value of `before` or `after` with its place: (NIC or `host`, setting)."""
    state = state if isinstance(state, Mapping) else {}
    for nic, families in _items(state.get("nics")):
        for family, keys in _items(families):
            for key, value in _items(keys):
                yield (nic, f"{family} {key}"), value
            if not isinstance(keys, Mapping):
                yield (nic, family), keys
    for option in ("sysctl", "module_parameters"):
        for key, value in _items(state.get(option)):
            yield ("host", key), value


def _items(tree: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Mapping):
        yield from ((str(key), value) for key, value in tree.items())


def differences(result: Any) -> Iterator[tuple[Key, Any, Any]]:
    """(place, what is, what should be) of each value that differs."""
    result = result if isinstance(result, Mapping) else {}
    before = dict(leaves(result.get("before")))
    for key, planned in leaves(result.get("after")):
        if planned != before.get(key):
            yield key, before.get(key), planned


def computed(result: Any) -> dict[Key, str]:
    """How numbers that the host has computed came about."""
    found: dict[Key, str] = {}
    rows = result.get("computed") if isinstance(result, Mapping) else None
    for row in rows if isinstance(rows, (list, tuple)) else ():
        if isinstance(row, Mapping) and isinstance(row.get("how"), str):
            key = str(row.get("key"))
            found[(str(row["nic"]), f"{row.get('family')} {key}") if row.get("nic") else ("host", key)] = row["how"]
    return found


def say(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "nothing"
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def table(result: Mapping[str, Any]) -> list[str]:
    """What differs, what a host cannot have, and what will not last, as lines of which the first sums up."""
    before, after = dict(leaves(result["before"])), dict(leaves(result["after"]))
    rows = [
        (where, setting, say(before[where, setting]), say(value))
        for (where, setting), value in after.items()
        if value != before.get((where, setting))
    ]
    rows += [_unsupported(item) for item in result["unsupported"]]
    rows += [
        ("host", item["key"], item["value"], f"set by {item['file']} at the next boot, after our own file")
        for item in result.get("overridden", ())
    ]
    rows += _lines(result, before)
    if not rows:
        return [f"as it should be: {len(after)} value{'' if len(after) == 1 else 's'}"]
    differ = sum(value != before.get(key) for key, value in after.items())
    head = f"{differ} of {len(after)} value{'' if len(after) == 1 else 's'} {'differs' if differ == 1 else 'differ'}"
    return [head, *_align([("where", "setting", "is", "should be"), *sorted(rows)])]


def _lines(result: Mapping[str, Any], live: Mapping[Key, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Values that are right now and will not be after the next boot, or the other way round."""
    diff = result.get("diff", {})
    for file in [name for side in ("before", "after") for name in diff.get(side, {}) if name.startswith("/")]:
        current, planned = (diff.get(side, {}).get(file, {}) for side in ("before", "after"))
        for key in {**current, **planned}:
            if key in planned and live.get(("host", key)) == planned[key] != current.get(key):
                yield "host", key, f"{planned[key]} until the next boot", f"{planned[key]} in {file} too"
            elif key not in planned:
                yield "host", key, f"{current[key]} in {file}", "nothing, because it is not in the inventory"


def _unsupported(item: Mapping[str, str]) -> tuple[str, str, str, str]:
    if not item["family"]:
        return item["nic"], "-", "absent", "present, because the inventory names it"
    setting = f"{item['family']} {item['key']}" if item["nic"] else item["key"]
    return item["nic"] or "host", setting, "-", f"{item['asked']}, but {item['reason']}"


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in rows]
