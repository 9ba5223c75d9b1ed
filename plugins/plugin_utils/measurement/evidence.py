# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what two sets of runs prove: an exact rank test, and by how much one lies above the other (Hodges-Lehmann)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

Runs = Sequence[float]


class Chance(NamedTuple):
    """How often the same runs, shuffled, would show as much: after lying as low, and after lying as high."""

    low: float
    high: float

    @property
    def either(self) -> float:
        """How often they would show as much in either direction."""
        return min(1.0, 2 * min(self))


def chance(before: Runs, after: Runs) -> Chance:
    """The exact Mann-Whitney test, given the ties that there are: every way to share out the ranks counts the same."""
    ranks = _ranks([*before, *after])
    counts = _sums(tuple(sorted(ranks)), len(after))
    mine, ways = sum(ranks[len(before) :]), comb(len(ranks), len(after))
    return Chance(sum(counts[: mine + 1]) / ways, sum(counts[mine:]) / ways)


def _ranks(values: Runs) -> list[int]:
    """Twice the rank of each value; equal ones share the middle of their ranks."""
    ordered = sorted(values)
    first = {value: rank for rank, value in reversed(list(enumerate(ordered)))}
    return [2 * first[value] + ordered.count(value) + 1 for value in values]


@lru_cache(maxsize=64)
def _sums(ranks: tuple[int, ...], size: int) -> list[int]:
    """By sum, in how many ways `size` of the ranks have that sum.

    One integer per size holds all sums, each in a slot that is wide enough for the largest count; so Python's long
    addition does the work.
    """
    width = comb(len(ranks), size).bit_length()
    packed = [1] + [0] * size
    for rank in ranks:
        for taken in range(size, 0, -1):
            packed[taken] += packed[taken - 1] << (rank * width)
    mask = (1 << width) - 1
    return [(packed[size] >> (total * width)) & mask for total in range(sum(ranks) + 1)]


def shift(before: Runs, after: Runs) -> float:
    """By how much after lies above before: the median of all differences between a run after and one before."""
    return statistics.median(_differences(before, after))


def interval(before: Runs, after: Runs, error: float) -> tuple[float, float] | None:
    """Where the true shift lies, but for this error; None where so few runs cannot say it."""
    counts = _sums(tuple(range(2, 2 * (len(before) + len(after)) + 1, 2)), len(after))
    ways, least = comb(len(before) + len(after), len(after)), len(after) * (len(after) + 1)
    outside, total = 0, 0
    # The k lowest and the k highest differences are left out, for the largest k of which the test is sure enough.
    while 2 * (total + counts[least + 2 * outside]) <= error * ways:
        total += counts[least + 2 * outside]
        outside += 1
    if not outside:
        return None
    found = _differences(before, after)
    return found[outside - 1], found[-outside]


def _differences(before: Runs, after: Runs) -> list[float]:
    return sorted(new - old for new in after for old in before)


def obvious(before: Runs, after: Runs) -> int:
    """1 where after lies above before by more than the runs of either differ among themselves, -1 where below, or 0."""
    wide = max(max(before) - min(before), max(after) - min(after))
    for sign, gap in ((1, min(after) - max(before)), (-1, min(before) - max(after))):
        if gap > wide:
            return sign
    return 0


def obvious_error(before: int, after: int) -> float:
    """How often, at most, so many runs of the same thing look obviously different, whatever their distribution is.

    Take the first run of each side. Every other run then lies nearer to the first of its own side, which has some
    probability p for those before and at most 1 - p for those after; p is what makes that most likely.
    """
    one, other = before - 1, after - 1
    if one < 1 or other < 1:
        return 1.0
    return (one / (one + other)) ** one * (other / (one + other)) ** other
