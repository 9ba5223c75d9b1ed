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


def resolve(desired: Desired, cell: Cell) -> Union[Value, Refusal]:
    """The value that a desired value means on this very device."""
    if desired.kind in (MAXIMUM, PERCENT):
        if cell.maximum is None:
            return Refusal("the device does not state a maximum")
        if desired.kind == MAXIMUM:
            return cell.maximum
        return max(cell.minimum or 1, cell.maximum * int(str(desired.value or 0)) // 100)
    if desired.kind in (AT_LEAST, AT_MOST):
        return _bounded_number(desired, cell) if isinstance(desired.value, int) else _bounded(desired, cell)
    if desired.kind == ABSENT:
        return None
    if desired.kind == UNKNOWN:
        return Refusal(str(desired.fallback))
    if cell.means and desired.value is not None:
        try:
            return cell.means(str(desired.value))
        except ValueError as error:
            refusal = Refusal(str(error))
            refusal.yet = isinstance(error, NotThereError)
            return refusal
    if isinstance(desired.value, int) and not isinstance(desired.value, bool):
        return _within(desired.value, cell)
    if cell.numeric and not numbers(str(desired.value)):
        kind = "decimal numbers" if " " in str(cell.value) else "a decimal number"
        return Refusal(f"the kernel takes {kind} there (now {cell.value})")
    if cell.numeric:
        there, given = len(str(cell.value).split()), len(str(desired.value).split())
        if there != given:
            return _counted(cell, given)
    return desired.value


def _counted(cell: Cell, given: int) -> Refusal:
    there = len(str(cell.value).split())
    return Refusal(f"it has {there} {'numbers' if there > 1 else 'number'} ({cell.value}), not {given}")


def _within(number: int, cell: Cell) -> Union[Value, Refusal]:
    if cell.maximum is not None and number > cell.maximum:
        refusal = Refusal(f"the maximum is {cell.maximum}")
        refusal.yet = True
        return refusal
    if cell.minimum is not None and number < cell.minimum:
        return Refusal(f"the minimum is {cell.minimum}")
    return number


def _bounded_number(desired: Desired, cell: Cell) -> Union[Value, Refusal]:
    """What a device has already is no more than it takes, so only the bound itself can be refused."""
    current, bound = cell.value, int(str(desired.value))
    enough = isinstance(current, int) and (current >= bound if desired.kind == AT_LEAST else current <= bound)
    return current if enough else _within(bound, cell)


def _bounded(desired: Desired, cell: Cell) -> Union[Value, Refusal]:
    """Raise or lower only, each number of a vector on its own; a single bound holds for all of them."""
    if cell.value is None:
        return desired.fallback if desired.fallback is not None else desired.value
    current, bound = str(cell.value).split(), str(desired.value).split()
    if not numbers(str(cell.value)):
        if desired.fallback is not None:
            return desired.fallback
        return Refusal(f"'{cell.value}' is not a number, so it cannot be compared")
    if len(bound) == 1:
        bound = bound * len(current)
    if len(bound) != len(current):
        return _counted(cell, len(bound))
    choose = max if desired.kind == AT_LEAST else min
    return " ".join(str(choose(int(a), int(b))) for a, b in zip(current, bound))
