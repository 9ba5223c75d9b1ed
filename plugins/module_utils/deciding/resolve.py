# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what a desired value means on one very device: its maximum, a bound, a word; or why it cannot be fulfilled."""

from __future__ import annotations

from typing import Union

from ..schema import ABSENT, AT_LEAST, AT_MOST, MAXIMUM, PERCENT, UNKNOWN, Cell, Desired, NotThereError, Value
from .inputs import numbers


class Refusal(str):
    """Why a desired value cannot be fulfilled, in words that follow the name of the key; `yet` if that may change with
    the rest of a plan."""

    yet = False


def resolve(asked: Desired, cell: Cell) -> Union[Value, Refusal]:
    """The value that a desired value means on this very device."""
    if asked.kind in (MAXIMUM, PERCENT):
        if cell.maximum is None:
            return Refusal("the device does not state a maximum")
        if asked.kind == MAXIMUM:
            return cell.maximum
        return max(cell.minimum or 1, cell.maximum * int(str(asked.value or 0)) // 100)
    if asked.kind in (AT_LEAST, AT_MOST):
        return _bounded_number(asked, cell) if isinstance(asked.value, int) else _bounded(asked, cell)
    if asked.kind == ABSENT:
        return None
    if asked.kind == UNKNOWN:
        return Refusal(str(asked.fallback))
    if cell.means and asked.value is not None:
        try:
            return cell.means(str(asked.value))
        except ValueError as error:
            refusal = Refusal(str(error))
            refusal.yet = isinstance(error, NotThereError)
            return refusal
    if isinstance(asked.value, int) and not isinstance(asked.value, bool):
        return _within(asked.value, cell)
    if cell.numeric and not numbers(str(asked.value)):
        kind = "decimal numbers" if " " in str(cell.value) else "a decimal number"
        return Refusal(f"the kernel takes {kind} there (now {cell.value})")
    return asked.value


def _within(number: int, cell: Cell) -> Union[Value, Refusal]:
    if cell.maximum is not None and number > cell.maximum:
        refusal = Refusal(f"the maximum is {cell.maximum}")
        refusal.yet = True
        return refusal
    if cell.minimum is not None and number < cell.minimum:
        return Refusal(f"the minimum is {cell.minimum}")
    return number


def _bounded_number(asked: Desired, cell: Cell) -> Union[Value, Refusal]:
    """What a device has already is no more than it takes, so only the bound itself can be refused."""
    have, bound = cell.value, int(str(asked.value))
    enough = isinstance(have, int) and (have >= bound if asked.kind == AT_LEAST else have <= bound)
    return have if enough else _within(bound, cell)


def _bounded(asked: Desired, cell: Cell) -> Union[Value, Refusal]:
    """Raise or lower only, each number of a vector on its own; a single bound holds for all of them."""
    if cell.value is None:
        return asked.fallback if asked.fallback is not None else asked.value
    have, bound = str(cell.value).split(), str(asked.value).split()
    if not numbers(str(cell.value)):
        if asked.fallback is not None:
            return asked.fallback
        return Refusal(f"'{cell.value}' is not a number, so it cannot be compared")
    if len(bound) == 1:
        bound = bound * len(have)
    if len(bound) != len(have):
        return Refusal(f"it has {len(have)} numbers ({cell.value}), not {len(bound)}")
    choose = max if asked.kind == AT_LEAST else min
    return " ".join(str(choose(int(a), int(b))) for a, b in zip(have, bound))
