# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for the best setting with few measurements: what to measure next, by all that was measured so far.

It knows neither NICs nor playbooks: an axis is a name with some values, a setting is a value for some of the axes, and
a measurement gives scores, of which more is better. Scores are logarithms, so a difference is a ratio.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import ceil
from typing import NamedTuple

from ..measurement import evidence, sequence
from .scores import LEAST, SURE, Found, Measured, Scores, Setting, Value

START, TRY, PROVE = "start", "try", "prove"
# What was no worse than the first may help once a bottleneck is gone whose end has brought as much as the second.
_MASKED, _JUMP = 0.1, 0.05
# So many values are tried at once at most; and so many more measurements are kept than one for each.
_TOGETHER, _SPARE = 4, 1.3
# Runs of the proof: of the start, of the best setting, and of the start once more.
_BLOCK, _MIDDLE = 6, 10


class Axis(NamedTuple):
    """Something that can be set, and its values besides the one at the start, the most promising first."""

    name: str
    values: Sequence[str]


class Limits(NamedTuple):
    """How much may be measured: in all, and for how many seconds. `runs` are those of one measurement of the search.

    A loss of throughput of more than `tolerance` is too high a price for another goal.
    """

    measurements: int
    seconds: float
    runs: int
    run_seconds: float
    ways: int
    tolerance: float


class Turn(NamedTuple):
    """What to measure next."""

    kind: str
    setting: Setting
    runs: int
    side: str = ""


class Ending(NamedTuple):
    """The best setting, what the proof says of it, and what became of everything that was tried or left out."""

    best: Setting
    outcome: str
    found: Sequence[Found]
    left: Sequence[str]
    measurements: int
    noise: float
    why: str = ""


Steps = Generator[Turn, Measured, Ending]


def reserve(ways: int) -> list[sequence.Block]:
    """The turns that a proof of the best setting against the start takes at most: two blocks, and the first once more.

    What resets links is among what was tried, so it does not alternate run by run; and a switch costs a measurement.
    """
    share = min(evidence.obvious_error(_BLOCK, _MIDDLE) * ways, sequence.ERROR / 2)
    return [
        sequence.Block(sequence.BEFORE, _BLOCK),
        sequence.Block(sequence.AFTER, _MIDDLE, "obvious", share),
        sequence.Block(sequence.BEFORE, _BLOCK, "ranks", sequence.ERROR - share),
    ]


def schedule(limits: Limits, taken: int, elapsed: float) -> list[sequence.Block]:
    """The turns of the proof after so many measurements: where some are left, both once more, so that they alternate.

    It must not depend on what the proof itself measures.
    """
    short = reserve(limits.ways)
    more = [
        sequence.Block(sequence.AFTER, _BLOCK),
        sequence.Block(sequence.BEFORE, _BLOCK, "ranks", short[-1].share / 2),
    ]
    long = [*short[:-1], short[-1]._replace(share=short[-1].share / 2), *more]
    runs = sum(block.runs for block in long)
    enough = taken + len(long) <= limits.measurements and elapsed + runs * limits.run_seconds <= limits.seconds
    return long if enough else short


def begin(axes: Sequence[Axis], limits: Limits) -> Steps:
    """The search as turns, which are to be sent what was measured."""
    return _Search(axes, limits).run()


def follow(axes: Sequence[Axis], limits: Limits, past: Sequence[Measured]) -> tuple[Turn | None, Ending | None]:
    """The next turn after those of the past, or how it ended."""
    steps = begin(axes, limits)
    turn = next(steps)
    try:
        for measured in past:
            turn = steps.send(measured)
    except StopIteration as end:
        return None, end.value
    return turn, None


class _Search:
    """One axis after the other, from the best setting so far; what looks better by chance is measured again."""

    def __init__(self, axes: Sequence[Axis], limits: Limits) -> None:
        self.axes, self.limits = {axis.name: axis for axis in axes}, limits
        self.proof = reserve(limits.ways)
        self.scores = Scores(limits.tolerance)
        self.found: dict[Value, Found] = {}
        # How good the best was when a value was judged: now that it is better, that may be worth a second look.
        self.judged: dict[Value, float] = {}
        # What was tried together with others, and was better or worse: it is not known which of them it was.
        self.helping: list[Value] = []
        self.harming: list[Value] = []
        self.together: Found | None = None
        self.best: Setting = {}
        self.taken, self.elapsed = 0, 0.0

    def run(self) -> Steps:
        """The whole search as turns."""
        first = yield from self._measure({}, START)
        if first.problem:
            return self._ending("failed", first.problem)
        while self._may_go_on():
            values = self._choose()
            if not values:
                break
            yield from self._try(values)
        chosen = self.scores.chosen(self.best)
        if not chosen:
            return self._ending("nothing")
        self.best = chosen
        self.proof = schedule(self.limits, self.taken, self.elapsed)
        outcome, why = yield from self._prove()
        return self._ending(outcome, why)

    def _ending(self, outcome: str, why: str = "") -> Ending:
        left = [
            f"{axis.name}: {value}"
            for axis in self.axes.values()
            for value in axis.values
            if (axis.name, value) not in self.found
        ]
        best = {} if outcome == "nothing" else self.best
        return Ending(best, outcome, list(self.found.values()), left, self.taken, self.scores.noise(), why)

    def _may_go_on(self) -> bool:
        """Whether one more measurement leaves enough for the proof."""
        runs = sum(block.runs for block in self.proof) + self.limits.runs
        time = self.elapsed + runs * self.limits.run_seconds
        return self.taken + 1 + len(self.proof) <= self.limits.measurements and time <= self.limits.seconds

    def _measure(self, setting: Setting, kind: str) -> Generator[Turn, Measured, Measured]:
        got = yield Turn(kind, setting, self.limits.runs)
        self.elapsed = got.elapsed
        if not got.applied:
            return got
        self.taken += 1
        return self.scores.add(setting, got)

    def _choose(self) -> list[Value]:
        """The values that are worth the next measurement, together; none when there is nothing left."""
        # What has helped may help more, until a step further does not.
        for axis in self.axes.values():
            if self._outcomes(axis)[-1:] == ["better"] and self._untried(axis):
                return self._untried(axis)[:1]
        if self.helping:
            return self.helping[: ceil(len(self.helping) / 2)]
        fresh = [axis for axis in self.axes.values() if {*self._outcomes(axis)} <= {"refused"}]
        heat = self._heat([axis for axis in fresh if not self._doubtful(axis)])
        if heat:
            return heat
        if self.harming:
            return self.harming[:1]
        # A bottleneck that is gone by now may have hidden what these are worth.
        hidden = [
            value
            for value, found in self.found.items()
            if abs(found.gain) < _MASKED and found.outcome not in ("better", "refused")
            if value not in self.best.items() and self.scores.level(self.best) > self.judged[value] + _JUMP
        ]
        if hidden:
            return list({axis: (axis, value) for axis, value in reversed(hidden)}.values())[: self._size(len(hidden))]
        # Where something harms, it matters what is set: another value may help.
        matter = [axis for axis in self.axes.values() if "worse" in self._outcomes(axis)]
        return self._heat(matter) or self._heat(list(self.axes.values()))

    def _outcomes(self, axis: Axis) -> list[str]:
        return [self.found[axis.name, value].outcome for value in axis.values if (axis.name, value) in self.found]

    def _untried(self, axis: Axis) -> list[Value]:
        return [(axis.name, value) for value in axis.values if (axis.name, value) not in self.found]

    def _doubtful(self, axis: Axis) -> bool:
        return any(name == axis.name for name, _value in [*self.helping, *self.harming])

    def _heat(self, axes: Sequence[Axis]) -> list[Value]:
        """One value of several axes at once, where there are many: most do nothing, and one measurement says so."""
        number = sum(len(self._untried(axis)) for axis in self.axes.values())
        return [found[0] for found in map(self._untried, axes) if found][: self._size(number)]

    def _size(self, number: int) -> int:
        """How many values have to share a measurement, so that there is one for each."""
        left = self.limits.measurements - self.taken - len(self.proof)
        return max(1, min(_TOGETHER, ceil(_SPARE * number / max(left, 1))))

    def _try(self, values: Sequence[Value]) -> Generator[Turn, Measured, None]:
        setting = {**self.best, **dict(values)}
        if setting not in self.scores and not (yield from self._measured(setting, values)):
            return
        found = self.scores.judge(setting, self.best)
        # A race: what is nearly better is measured again, whichever of the two is known less.
        if found.outcome == "close" and self._may_go_on():
            both = [setting, self.best]
            weaker = min(both, key=self.scores.number)
            if not (yield from self._measured(weaker, values)):
                return
            found = self.scores.judge(setting, self.best)
        self._learn(values, setting, found)

    def _measured(self, setting: Setting, values: Sequence[Value]) -> Generator[Turn, Measured, bool]:
        """Whether a setting could be measured; if not, the values that are tried with it are given up."""
        got = yield from self._measure(setting, TRY)
        if got.problem or not got.applied:
            self._give_up(values, got)
            return False
        return True

    def _give_up(self, values: Sequence[Value], got: Measured) -> None:
        """Of several values it is not known which one the host refuses, or cannot be measured with."""
        self._forget(values)
        if len(values) > 1:
            self.harming += values
            return
        self._note(values, Found("", "", "worse" if got.applied else "refused", why=got.problem))

    def _learn(self, values: Sequence[Value], setting: Setting, found: Found) -> None:
        explained = found.outcome == "better" and self._explains(found)
        self._forget(values)
        if explained:
            self._note(self.helping, Found("", "", "same", why="it was others that helped"))
            self.helping = []
        if len(values) == 1 or found.outcome in ("same", "close"):
            self._note(values, found)
            self.best = setting if found.outcome == "better" else self.best
        elif found.outcome == "better":
            # Which of them it is, their halves will tell.
            self.helping, self.together = [*values, *self.helping], found
        else:
            self.harming += values

    def _explains(self, found: Found) -> bool:
        """Whether some of what has helped together bring as much as all of it."""
        return self.together is not None and found.gain > self.together.gain - SURE * self.together.error - LEAST

    def _forget(self, values: Sequence[Value]) -> None:
        self.helping = [value for value in self.helping if value not in values]
        self.harming = [value for value in self.harming if value not in values]

    def _note(self, values: Sequence[Value], found: Found) -> None:
        level = self.scores.level(self.best)
        for name, value in values:
            self.found.pop((name, value), None)
            self.found[name, value] = found._replace(axis=name, value=value)
            self.judged[name, value] = level

    def _prove(self) -> Generator[Turn, Measured, tuple[str, str]]:
        """Measure the start and the best setting in turns, as the playbook prove does, until it is clear."""
        outcome = "undecided"
        for block in self.proof:
            setting = self.best if block.side == sequence.AFTER else {}
            got = yield Turn(PROVE, setting, block.runs, block.side)
            self.elapsed = got.elapsed
            self.taken += got.applied
            if got.problem:
                return "failed", got.problem
            outcome = got.proved or outcome
            if block.look and outcome != "undecided":
                break
        return outcome, ""
