# SPDX-License-Identifier: GPL-3.0-or-later
"""Count how often prove is wrong, and how often it finds what is true: its own rule, on noise of several kinds.

Each proof goes through the turns of the playbook, measures until the rule says that it is clear, and ends where the
playbook would end. Noise is made, or taken from a result that was saved (--recorded), shuffled or not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import sequence

Noise = Callable[[random.Random], Iterator[float]]


def steady(chance: random.Random, share: float = 0.05) -> Iterator[float]:
    """The normal distribution; the share is its standard deviation."""
    while True:
        yield 1 + chance.gauss(0, share)


def hashed(chance: random.Random) -> Iterator[float]:
    """The least of ten clients that a hash spreads over sixteen queues, as mq does."""
    while True:
        queues = [chance.randrange(16) for _client in range(10)]
        yield min(1 / queues.count(queue) for queue in queues) * (1 + chance.gauss(0, 0.005))


def drifting(chance: random.Random) -> Iterator[float]:
    """One per cent more or less with each run, and three per cent of noise."""
    way = chance.choice((-0.01, 0.01))
    for moment in itertools.count():
        yield 1 + way * moment + chance.gauss(0, 0.03)


def waving(chance: random.Random) -> Iterator[float]:
    """Ten per cent up and down in 8 to 60 runs, as others come and go."""
    begin, period = chance.random() * math.tau, chance.uniform(8, 60)
    for moment in itertools.count():
        yield 1 + 0.1 * math.sin(begin + math.tau * moment / period) + chance.gauss(0, 0.03)


def wandering(chance: random.Random) -> Iterator[float]:
    """A random walk."""
    level = 1.0
    while True:
        level += chance.gauss(0, 0.02)
        yield level + chance.gauss(0, 0.02)


def heavy(chance: random.Random) -> Iterator[float]:
    """Now and then a run that is far off."""
    while True:
        yield 1 + 0.03 * chance.gauss(0, 1) / max(abs(chance.gauss(0, 1)), 0.05)


def bimodal(chance: random.Random) -> Iterator[float]:
    """Two rates, either with each run."""
    while True:
        yield chance.choice((0.6, 1.0)) + chance.gauss(0, 0.01)


def sticky(chance: random.Random) -> Iterator[float]:
    """Two rates, and each stays for some seven runs."""
    rate = chance.choice((0.6, 1.0))
    while True:
        rate = 1.6 - rate if chance.random() < 0.15 else rate
        yield rate + chance.gauss(0, 0.01)


def recorded(values: list[float], shuffle: bool) -> Noise:
    """What was measured, again and again from a random moment on, or in a random order."""

    def noise(chance: random.Random) -> Iterator[float]:
        begin = chance.randrange(len(values))
        for moment in itertools.count():
            yield chance.choice(values) if shuffle else values[(begin + moment) % len(values)]

    return noise


NOISE: dict[str, Noise] = {
    one.__name__: one for one in (steady, hashed, drifting, waving, wandering, heavy, bimodal, sticky)
}
ORDERS = {"alternating": ("quick", 0), "saved before": ("quick", 7), "resets links": ("slow", 0), "stays": ("stay", 0)}
# The factor, the standard deviation, and whether the noise grows with the rate or stays as it was.
CHANGES = tuple(
    (factor, share, grows)
    for factor, share in ((1.2, 0.1), (0.8, 0.1), (1.05, 0.02), (0.95, 0.02))
    for grows in (True, False)
)
# What Student's t has to exceed with ten and ten runs to be wrong in one of a hundred.
_STUDENT, _PAIRS = 2.8784, 10
# Of these the rarest hundredth is looked at, one half in either direction.
_DRAWN, _EITHER = 20000, 0.005


def proof(
    noise: Iterator[float], switch: str, known: int, ways: int, factor: float = 1.0, grows: bool = True
) -> tuple[str, int]:
    """The outcome of one proof, and how many runs of either side it took at most."""
    order = sequence.blocks(switch, ways, known)
    measured: list[tuple[str, list[float]]] = []
    runs = {sequence.BEFORE: 0, sequence.AFTER: 0}
    for index, block in enumerate(order):
        change = factor if block.side == sequence.AFTER else 1.0
        measured.append((block.side, [changed(next(noise), change, grows) for _run in range(block.runs)]))
        runs[block.side] += block.runs
        if all(runs.values()):
            found = sequence.find(measured, order, ways, index == len(order) - 1)
            if found.outcome != "undecided":
                return found.outcome, max(runs.values())
    return "undecided", max(runs.values())


def changed(value: float, factor: float, grows: bool) -> float:
    return value * factor if grows else value + factor - 1


def student(noise: Iterator[float], factor: float, grows: bool) -> bool:
    """Whether the t test of ten and ten finds the change: of normal noise no test that need not know it finds more."""
    before = [next(noise) for _run in range(_PAIRS)]
    after = [changed(next(noise), factor, grows) for _run in range(_PAIRS)]
    wide = math.sqrt((statistics.variance(before) + statistics.variance(after)) / _PAIRS)
    gap = statistics.mean(after) - statistics.mean(before)
    return math.copysign(1, factor - 1) * gap > _STUDENT * wide


def bound(chance: random.Random, share: float, factor: float, grows: bool) -> float:
    """The share of such changes that no rule whatever can exceed with ten and ten runs, however often it looks.

    The rule of Neyman and Pearson finds most, and it knows everything: this very change, and what is there without one.
    Whoever knows less has to be as seldom wrong there, so the state without a change that makes it hardest counts.
    """
    wide = share * (factor if grows else 1)
    between = math.sqrt((share**2 + wide**2) / 2 + ((factor - 1) / 2) ** 2)
    return min(_found(chance, (share, factor, wide), ((1 + factor) / 2, part * between)) for part in (0.9, 1.0))


def _found(chance: random.Random, change: tuple[float, float, float], without: tuple[float, float]) -> float:
    share, factor, wide = change
    level, around = without

    def says(before: tuple[float, float], after: tuple[float, float]) -> float:
        changed_ = _likely(before, 1, share) + _likely(after, factor, wide)
        return changed_ - _likely(before, level, around) - _likely(after, level, around)

    nothing = sorted(says(_runs(chance, level, around), _runs(chance, level, around)) for _proof in range(_DRAWN))
    least = nothing[int(_DRAWN * (1 - _EITHER))]
    return sum(says(_runs(chance, 1, share), _runs(chance, factor, wide)) > least for _proof in range(_DRAWN)) / _DRAWN


def _runs(chance: random.Random, level: float, wide: float) -> tuple[float, float]:
    """Mean and sum of squares about it of ten normal runs, which hold all that the runs tell."""
    return chance.gauss(level, wide / math.sqrt(_PAIRS)), wide**2 * chance.gammavariate((_PAIRS - 1) / 2, 2)


def _likely(runs: tuple[float, float], level: float, wide: float) -> float:
    """The logarithm of how likely they are."""
    mean, squares = runs
    return -(squares + _PAIRS * (mean - level) ** 2) / (2 * wide**2) - _PAIRS * math.log(wide)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proofs", type=int, default=1000, help="how many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", type=Path, help="a saved result, whose runs are one more kind of noise")
    parser.add_argument("--figure", default="sum", help="which figure of it")
    options = parser.parse_args()
    chance, number = random.Random(options.seed), options.proofs
    kinds = dict(NOISE)
    if options.recorded:
        kinds.update(_saved(options.recorded, options.figure))
    print(f"Nothing was changed: better or worse in so many of 100 ({number} proofs each)\n")
    print(f"{'':12}" + "".join(f"{name:>14}" for name in ORDERS))
    for name, noise in kinds.items():
        cells = []
        for switch, known in ORDERS.values():
            wrong = sum(proof(noise(chance), switch, known, 1)[0] != "undecided" for _proof in range(number))
            cells.append(f"{100 * wrong / number:14.1f}")
        print(f"{name:12}" + "".join(cells))
    print("\nA true change under normal noise, alternating: found in so many of 100\n")
    heads = f"{'within 10 pairs':>18}{'at the end':>13}{'t test of 10 pairs':>21}{'no rule more than':>20}"
    print(f"{'change':>8}{'noise':>8}{'of the':>8}{heads}")
    for factor, share, grows in CHANGES:
        expected = "better" if factor > 1 else "worse"
        ended = [proof(steady(chance, share), "quick", 0, 1, factor, grows) for _proof in range(number)]
        soon = sum(outcome == expected and runs <= _PAIRS for outcome, runs in ended)
        late = sum(outcome == expected for outcome, _runs in ended)
        best = sum(student(steady(chance, share), factor, grows) for _proof in range(number))
        cells = "".join(f"{100 * count / number:{wide}.1f}" for count, wide in ((soon, 18), (late, 13), (best, 21)))
        most = 100 * bound(chance, share, factor, grows)
        print(f"{factor - 1:+8.0%}{share:8.0%}{'rate' if grows else 'start':>8}{cells}{most:20.1f}")


def _saved(path: Path, figure: str) -> dict[str, Noise]:
    """The runs of a figure in each group and direction, in their order and shuffled."""
    found = {}
    for group in json.loads(path.read_text())["groups"].values():
        for way, figures in group["figures"].items():
            if way != "asymmetry" and figure in figures:
                values = figures[figure]["values"]
                found[f"recorded {way}"] = recorded(values, False)
                found[f"shuffled {way}"] = recorded(values, True)
    return found


if __name__ == "__main__":
    main()
