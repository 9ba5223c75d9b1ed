# SPDX-License-Identifier: GPL-3.0-or-later
"""Say in which order to measure before and after, when to look, and what the runs say: better, worse or undecided."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from . import evidence

BEFORE, AFTER = "before", "after"
# Of a hundred proofs of a change that does nothing, at most one may say better or worse. It is a little less, so that
# whoever counts them in a thousand sees no more either. The looks share that chance among them, the directions share
# what a look has, and so it holds whatever the looks have to do with each other.
ERROR = 0.0085
# Few runs show what is large, most of the chance is kept for ten against ten, and twenty are for what is small beside
# the noise. Ranks come in steps: with so many runs the exact test takes 0.000583 and 0.00684 of the first two shares.
_EARLY, _MAIN, _LATE = (7, 0.0006), (10, 0.007), (20, 0.0009)
# A drift that Kendall's test shows by so many standard deviations is taken out before two saved results are compared.
# In a proof, the steepest that it does not rule out by as many: the blocks follow each other, and so would a drift.
_TREND = 2.0
# Before and after that, once more, in blocks of so many runs.
_BLOCK = 6


class Block(NamedTuple):
    """Runs on one side of the change, one after the other, and the look at all since the block `since` that follows.

    A look is for what is `obvious`, or by `ranks`; `share` is the part of the error that it takes.
    """

    side: str
    runs: int
    look: str = ""
    share: float = 0.0
    since: int = 0


class Found(NamedTuple):
    """What the runs of one figure in one direction say at one look, which had so many `runs` on the lesser side."""

    outcome: str
    shift: float
    interval: tuple[float, float] | None
    chance: float
    drifts: bool
    runs: int


Measured = Sequence[tuple[str, Sequence[float]]]


def blocks(switch: str, ways: int, known: int = 0) -> list[Block]:
    """The order of a proof; `known` runs before were measured by somebody else.

    A change that is `quick` to switch alternates (A B B A ...): a network that becomes slower by itself meanwhile does
    so for both. One that is `slow`, for it resets links, has two blocks, and before once more unless it is obvious;
    what can only `stay` has no more than two.
    """
    if switch == "quick" and not known:
        return _alternate(BEFORE, (_EARLY, _MAIN, _LATE))
    (first, share), enough = _EARLY, _MAIN[0]
    rest = ERROR - share
    known = known or (enough if switch == "stay" else _BLOCK)
    while first < enough and evidence.obvious_error(known, first) > share / ways:
        first += 1
    seen = evidence.obvious_error(known, first) <= share / ways
    begun = [Block(BEFORE, known), Block(AFTER, first, "obvious", share) if seen else Block(AFTER, first)]
    if switch == "quick":
        # What was measured on another day decides only what is obvious.
        begun = begun if seen else begun[:1]
        return [*begun, *_alternate(AFTER, ((enough, rest),), len(begun))]
    more = max(enough - first, 1)
    if switch == "stay":
        return [*begun, Block(AFTER, more, "ranks", rest)]
    return [*begun, Block(AFTER, more), Block(BEFORE, max(_BLOCK, enough - known), "ranks", rest)]


def _alternate(side: str, looks: Sequence[tuple[int, float]], since: int = 0) -> list[Block]:
    """Turns of A B B A, ten runs of each or a multiple, with a look as soon as there are enough of both."""
    other = AFTER if side == BEFORE else BEFORE
    ten = [(other if turn % 2 else side, 2 if 0 < turn < _MAIN[0] else 1) for turn in range(_MAIN[0] + 1)]
    found: list[Block] = []
    left, number = list(looks), {BEFORE: 0, AFTER: 0}
    for turn, runs in ten * (looks[-1][0] // _MAIN[0]):
        number[turn] += runs
        due = bool(left) and min(number.values()) >= left[0][0]
        found.append(Block(turn, runs, "ranks", left.pop(0)[1], since) if due else Block(turn, runs, since=since))
    return found


def find(measured: Measured, schedule: Sequence[Block], ways: int, last: bool) -> Found:
    """What the blocks that were measured say, in each of `ways` directions; the first look that is clear counts.

    The last look gets all the chance that is left. That it is the last must not depend on what was measured.
    """
    spent = 0.0
    found = None
    for index, block in enumerate(schedule[: len(measured)]):
        final = last and index == len(measured) - 1
        part = measured[block.since if index >= block.since else 0 : index + 1]
        if {side for side, _runs in part} != {BEFORE, AFTER} or not (final or block.look):
            continue
        share = ERROR - spent if final else block.share
        spent += share
        planned = any(one.runs for one in schedule)
        found = _look(part, "ranks" if final else block.look, share / ways, planned)
        if found.outcome != "undecided":
            return found
    return found or _look(measured, "", ERROR / ways)


def _look(measured: Measured, kind: str, error: float, planned: bool = False) -> Found:
    before, after = (_of(measured, side) for side in (BEFORE, AFTER))
    chance = evidence.chance(before, after)
    sign = 0
    if kind == "obvious":
        sign = evidence.obvious(before, after)
    elif kind == "ranks" and chance.either <= error:
        sign = 1 if chance.high < chance.low else -1
    drifts = sign != 0 and _drift_explains(measured, kind, sign, error, planned)
    outcome = "undecided" if not sign or drifts else ("better" if sign > 0 else "worse")
    # The interval of an early look is wide enough when it is as sure as a proof has to be.
    around = evidence.interval(before, after, ERROR if kind == "obvious" else error)
    runs = min(len(before), len(after))
    return Found(outcome, evidence.shift(before, after), around, chance.either, drifts, runs)


def _of(measured: Measured, chosen: str) -> list[float]:
    return [value for side, runs in measured if side == chosen for value in runs]


def _drift_explains(measured: Measured, kind: str, sign: int, error: float, planned: bool) -> bool:
    """Whether the network may have changed by itself between the few stretches of time that were measured.

    Turns that alternate need no such care: what drifts goes through both sides alike.
    """
    stretches: list[tuple[str, list[float]]] = []
    for side, runs in measured:
        if not stretches or stretches[-1][0] != side:
            stretches.append((side, []))
        stretches[-1][1].extend(runs)
    if len(stretches) == 2:
        return _trend_explains([runs for _side, runs in stretches], kind, sign, error, planned)
    if len(stretches) > 3:
        return False
    # The two outer ones are the same state. They have to lie nearer to each other than either does to the middle.
    one, middle, other = (runs for _side, runs in stretches)
    sign = sign if stretches[1][0] == AFTER else -sign
    least = min(sign * evidence.shift(outer, middle) for outer in (one, other))
    return abs(evidence.shift(one, other)) >= least


def _trend_explains(blocks_: Sequence[Sequence[float]], kind: str, sign: int, error: float, planned: bool) -> bool:
    """Whether a trend that goes through both of two blocks leaves too little of what lies between them.

    What is left has to pass the test that the runs have passed: the ranks of few never say what is obvious.
    """
    pairs = [(two - one, runs[two] - runs[one]) for runs in blocks_ for one, two in combinations(range(len(runs)), 2)]
    rises = sum((step > 0) - (step < 0) for _distance, step in pairs)
    wide = sqrt(sum(len(runs) * (len(runs) - 1) * (2 * len(runs) + 5) for runs in blocks_) / 18)
    slopes = sorted(sign * step / distance for distance, step in pairs)
    slope = sign * statistics.median(slopes)
    if planned:
        slope = sign * max(slopes[min(int((len(slopes) + _TREND * wide) / 2), len(slopes) - 1)], 0.0)
    elif rises * sign <= _TREND * wide:
        return False
    before, after = blocks_
    apart = slope * (len(before) + len(after)) / 2
    after = [value - apart for value in after]
    if kind == "obvious":
        return evidence.obvious(before, after) != sign
    chance = evidence.chance(before, after)
    return 2 * (chance.high if sign > 0 else chance.low) > error
