# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the points where a figure that is measured again and again became another one, by a test whose error is known.

Suppose that nothing ever changed. Then every order of the values is as likely as any other, and the test asks how many
of the possible orders look as much as if there were a break somewhere as the one that was measured. It knows ranks
only, so no value is too far off, and the search for the best point is part of what the other orders have to match.
"""

from __future__ import annotations

import random
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from . import evidence

Values = Sequence[float]

# Of a hundred histories in which nothing changes, so many may show a break: all figures of a page share it.
ERROR = 0.01
# Orders that are drawn, so that some look as much like a break as what just counts as one; fewer first.
_DRAWN, _MOST_DRAWN = 10, 200_000
_FEW = (200, 2000)
# One value alone is an outlier.
_LEAST = 2
# A longer history is judged by its newest part, and drawn as a whole.
MOST = 400


class Break(NamedTuple):
    """`position` is that of the first value after it; `crept` tells that a straight line fits better than a step."""

    position: int
    chance: float
    before: float
    after: float
    shift: float
    crept: bool


def find(values: Values, error: float = ERROR) -> list[Break]:
    """All breaks in the order of time. The error is that of finding any where there is none."""
    skipped = max(len(values) - MOST, 0)
    return [one._replace(position=one.position + skipped) for one in _split(values[skipped:], 0, error)]


def _split(values: Values, begin: int, error: float) -> list[Break]:
    positions, chance = best(values, error)
    if not positions or chance > error:
        return []
    ends = [0, *_settled(values, positions), len(values)]
    pieces = [values[one:two] for one, two in pairwise(ends)]
    # What creeps would be cut into pieces. What is left and right of a step is asked with half of the error each.
    crept = len(pieces) == 2 and _crept(*pieces)
    found: list[Break] = []
    for number, (piece, start) in enumerate(zip(pieces, ends, strict=False)):
        if number:
            last = pieces[number - 1]
            old, new = statistics.median(last), statistics.median(piece)
            found.append(Break(begin + start, chance, old, new, evidence.shift(last, piece), crept))
        found += [] if crept else _split(piece, begin + start, error / len(pieces))
    return found


def best(values: Values, error: float = ERROR) -> tuple[list[int], float]:
    """Where the values change most, at one place or for some time, and how often chance shows as much anywhere."""
    if len(values) < 2 * _LEAST:
        return [], 1.0
    ordered = sorted(values)
    first = {value: rank for rank, value in reversed(list(enumerate(ordered)))}
    ranks = [2 * first[value] + ordered.count(value) for value in values]
    seen, step, stay = _look(ranks), 1.0, 1.0
    # Most often a few orders show already that it is nothing.
    for number in (*_FEW, min(int(_DRAWN / error), _MOST_DRAWN)):
        drawn = _by_chance(tuple(sorted(ranks)), number)
        # Both questions share the error.
        step, stay = (min(1.0, 2 * _chance(one, of)) for one, of in zip((seen.step, seen.stay), drawn, strict=True))
        if min(step, stay) > _DRAWN * (error + 1 / number):
            break
    return ([seen.position], step) if step <= max(stay, error) else (seen.positions, stay)


def _settled(values: Values, positions: Sequence[int]) -> list[int]:
    """Where the values on either side lie nearest to one level each.

    Ranks tell that there is a break, and may miss its place: what lies a little lower before it has lower ranks too.
    """
    found = [0, *positions, len(values)]
    for number in range(1, len(found) - 1):
        left, right = found[number - 1], found[number + 1]
        splits = range(left + _LEAST, right - _LEAST + 1)
        apart = {split: _spread(values[left:split]) + _spread(values[split:right]) for split in splits}
        found[number] = min(apart, key=lambda split: apart[split], default=found[number])
    return found[1:-1]


def _spread(values: Values) -> float:
    middle = statistics.median(values)
    return sum(abs(value - middle) for value in values)


def _chance(seen: float, drawn: Values) -> float:
    return (1 + len(drawn) - bisect_left(drawn, seen * (1 - 1e-9))) / (1 + len(drawn))


class _Seen(NamedTuple):
    """The deviation of a step, at its place, and of some time in between that is different, with its two ends."""

    step: float
    position: int
    stay: float
    positions: list[int]


def _look(ranks: Sequence[int]) -> _Seen:
    """How far the sum of the ranks so far goes from what is to be expected: at most, and from its top to its bottom."""
    count, whole = len(ranks), sum(ranks)
    position, most, so_far, low, high = 0, 0.0, 0, (0.0, 0), (0.0, 0)
    for number in range(1, count):
        so_far += ranks[number - 1]
        if _LEAST <= number <= count - _LEAST:
            away = so_far - whole * number / count
            low, high = min(low, (away, number)), max(high, (away, number))
            if abs(away) / sqrt(number * (count - number)) > most:
                position, most = number, abs(away) / sqrt(number * (count - number))
    return _Seen(most, position, high[0] - low[0], sorted({low[1], high[1]} - {0}))


@lru_cache(maxsize=64)
def _by_chance(ranks: tuple[int, ...], number: int) -> tuple[list[float], list[float]]:
    """The same two, sorted, of so many orders of the ranks; always the same ones, so a page says the same twice."""
    chance, order = random.Random(len(ranks)), list(ranks)
    found = []
    for _draw in range(number):
        chance.shuffle(order)
        found.append(_look(order))
    return sorted(one.step for one in found), sorted(one.stay for one in found)


def _crept(before: Values, after: Values) -> bool:
    """Whether the values lie nearer to a straight line than to one level before and one after."""
    values = [*before, *after]
    slopes = [
        (new - old) / (later - sooner)
        for later, new in enumerate(values)
        for sooner, old in enumerate(values[:later])
    ]  # fmt: skip
    slope = statistics.median(slopes)
    flat = [value - slope * moment for moment, value in enumerate(values)]
    line = _spread(flat)
    return line < _spread(before) + _spread(after)
