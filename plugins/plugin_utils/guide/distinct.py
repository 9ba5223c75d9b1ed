# SPDX-License-Identifier: GPL-3.0-or-later
"""A list that takes each thing once, and finds out without looking through all of it."""

from __future__ import annotations

from typing import Hashable, Iterable, List, Set, TypeVar

Row = TypeVar("Row")


class Distinct(List[Row]):
    """What readers find, in its order; change it by these functions only."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        super().__init__()
        self._held: Set[Hashable] = set()
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """Take a thing at the end, unless it is here."""
        key = _key(row)
        if key not in self._held:
            self._held.add(key)
            self.append(row)

    def replace(self, start: int, rows: Iterable[Row]) -> None:
        """Have these in place of all from a number on."""
        new = list(rows)
        self._held.difference_update(map(_key, self[start:]))
        del self[start:]
        for row in new:
            self.add(row)

    def __copy__(self) -> Distinct[Row]:
        return Distinct(self)


def _key(row: object) -> Hashable:
    """The thing itself, or how it is spelt where its value is a map such as {at_least: 5}."""
    try:
        hash(row)
    except TypeError:
        return repr(row)
    return row
