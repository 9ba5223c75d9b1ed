# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk through facts and results: dictionaries and lists in each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

Path = tuple[Any, ...]


def paths(tree: Any, items: int | None = None, here: Path = ()) -> Iterator[Path]:
    """The way to each part, the whole first; of a list only so many items."""
    yield here
    branches = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in islice(branches, items if isinstance(tree, list) else None):
        yield from paths(value, items, (*here, key))


def replaced(tree: Any, path: Path, value: Any) -> Any:
    """A copy in which one part is another one."""
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = replaced(tree[path[0]], path[1:], value)
    return copy


def overlay(below: dict[Any, Any], above: dict[Any, Any]) -> None:
    """Put all parts of a tree over another one, where it stands."""
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            overlay(below[key], value)
        else:
            below[key] = value
