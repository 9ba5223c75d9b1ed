# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what a tuning call found with what it would set, without trusting the shape of the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Place = tuple[str, str]


def leaves(state: Any) -> Iterator[tuple[Place, Any]]:
    """Each value of `before` or `after` with its place: (NIC or `host`, setting)."""
    state = state if isinstance(state, Mapping) else {}
    for nic, families in _items(state.get("nics")):
        for family, keys in _items(families):
            for key, value in _items(keys):
                yield (nic, f"{family} {key}"), value
            if not isinstance(keys, Mapping):
                yield (nic, family), keys
    for key, value in _items(state.get("sysctl")):
        yield ("host", key), value


def _items(tree: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Mapping):
        yield from ((str(key), value) for key, value in tree.items())


def differences(result: Any) -> Iterator[tuple[Place, Any, Any]]:
    """(place, what is, what should be) of each value that differs."""
    result = result if isinstance(result, Mapping) else {}
    before = dict(leaves(result.get("before")))
    for place, wanted in leaves(result.get("after")):
        if wanted != before.get(place):
            yield place, before.get(place), wanted


def say(value: Any) -> str:
    """A value as a person reads it."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
