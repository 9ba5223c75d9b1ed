# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured of each setting, and which differences are more than noise.

Scores are logarithms, so a difference is a ratio; more is better.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

# Which value each axis has; one that is not named is as it was at the start.
Setting = Mapping[str, str]
Value = tuple[str, str]

# A difference of fewer standard errors may be noise; one of fewer than `_HINT` is not worth another look.
SURE, _HINT = 2.5, 1.5
# Nobody would write a line into the inventory for less than two per cent, or measure again.
LEAST = 0.02
# The error of a median is by so much larger than that of a mean.
_MEDIAN = 1.2
# The mean distance between the highest and the lowest of so many runs, in standard deviations.
_RANGE = {2: 1.13, 3: 1.69, 4: 2.06, 5: 2.33, 6: 2.53, 7: 2.70, 8: 2.85, 9: 2.97, 10: 3.08}
# Before several measurements have shown what the noise is, two runs that are alike by chance must not pass for silence.
_FLOOR = 0.005


class Measured(NamedTuple):
    """What came of a turn: the score of each run, and that of what must not be lost for it; `elapsed` since the start.

    Where the hosts did not take the setting, or could not be measured with it, there are no scores but a reason.
    """

    scores: Sequence[float]
    price: Sequence[float]
    elapsed: float
    problem: str = ""
    applied: bool = True
    proved: str = ""


class Found(NamedTuple):
    """What became of one value of an axis, and by how much it was better than what was the best then."""

    axis: str
    value: str
    outcome: str
    gain: float = 0.0
    error: float = 0.0
    why: str = ""


class Scores:
    """All measurements of a search, by setting; those of the same setting are taken together.

    A loss of throughput of more than `tolerance` is too high a price for another goal.
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.known: dict[tuple[Value, ...], Measured] = {}
        self.ranges: list[float] = []

    def __contains__(self, setting: Setting) -> bool:
        return _key(setting) in self.known

    def add(self, setting: Setting, got: Measured) -> Measured:
        """Keep one more measurement; what is known of the setting with it."""
        if len(got.scores) > 1:
            width = max(got.scores) - min(got.scores)
            self.ranges.append(width / _RANGE.get(len(got.scores), 3.0))
        key = _key(setting)
        before = self.known.get(key)
        if before and not got.problem:
            got = got._replace(scores=[*before.scores, *got.scores], price=[*before.price, *got.price])
        self.known[key] = got
        return got

    def number(self, setting: Setting) -> int:
        """How many runs of a setting are known."""
        return len(self.known[_key(setting)].scores)

    def level(self, setting: Setting) -> float:
        """How good it is."""
        return statistics.median(self.known[_key(setting)].scores)

    def judge(self, setting: Setting, best: Setting) -> Found:
        """What a setting is beside the best: better, worse, the same, or so close that it is worth another look."""
        new, old = self.known[_key(setting)], self.known[_key(best)]
        gain, error = self._gain(new, old)
        if self._too_dear(new):
            return Found("", "", "worse", gain, error, "it costs throughput")
        if gain > max(SURE * error, LEAST):
            return Found("", "", "better", gain, error)
        if gain < -max(SURE * error, LEAST):
            return Found("", "", "worse", gain, error)
        hint = gain > max(_HINT * error, LEAST)
        return Found("", "", "close" if hint else "same", gain, error)

    def _too_dear(self, new: Measured) -> bool:
        first = self.known[()]
        if not new.price or not first.price:
            return False
        lost = statistics.median(first.price) - statistics.median(new.price)
        error = sqrt(self._error(new.price) ** 2 + self._error(first.price) ** 2)
        return lost > max(self.tolerance, SURE * error)

    def noise(self) -> float:
        """The standard deviation of a run, by the runs of all measurements; a single one far off does not count."""
        return max(statistics.median(self.ranges), _FLOOR) if self.ranges else _FLOOR

    def _error(self, scores: Sequence[float]) -> float:
        """How far the median of such runs may be off: by the noise of all, and somewhat by their own."""
        own = statistics.variance(scores) if len(scores) > 1 else 0.0
        number = len(scores)
        variance = (2 * self.noise() ** 2 + (number - 1) * own) / (number + 1)
        return _MEDIAN * sqrt(variance / number)

    def chosen(self, best: Setting) -> Setting:
        """What is worth a proof: the best setting, one that was clearly better than that, or what came nearest to it.

        The second is several values that helped together, where it did not come to be known which of them it was.
        """
        chosen = best
        for key, measured in self.known.items():
            gain, error = self._gain(measured, self.known[_key(chosen)])
            enough = error if not chosen else SURE * error
            if key and not measured.problem and gain > max(LEAST, enough) and not self._too_dear(measured):
                chosen = dict(key)
        return chosen

    def _gain(self, new: Measured, old: Measured) -> tuple[float, float]:
        """By how much one is better than the other, and how far that may be off."""
        if new.problem or old.problem:
            return 0.0, 0.0
        gain = statistics.median(new.scores) - statistics.median(old.scores)
        return gain, sqrt(self._error(new.scores) ** 2 + self._error(old.scores) ** 2)


def _key(setting: Setting) -> tuple[Value, ...]:
    return tuple(sorted(setting.items()))
