# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes up bottlenecks for a search: what each value of each axis is worth, what depends on what, and the noise."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import search
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune.scores import Measured
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import sequence

LIMITS = search.Limits(measurements=15, seconds=1e9, runs=3, run_seconds=1, ways=1, tolerance=0.05)


@dataclass
class Surface:
    """Factors by (axis, value). `together` holds one more for two values at once; `hidden` needs another to count."""

    axes: list
    factors: dict
    together: dict = field(default_factory=dict)
    hidden: dict = field(default_factory=dict)
    noise: float = 0.02
    kind: str = "normal"
    refused: frozenset = frozenset()

    def true(self, setting):
        """What a setting is worth, of which the start is 1."""
        items = set(setting.items())
        own = [self.factors.get(item, 1.0) for item in items if self.hidden.get(item) in (None, *items)]
        return math.prod(own) * math.prod(factor for both, factor in self.together.items() if items.issuperset(both))

    @property
    def best(self):
        """What the best setting of all is worth; an axis that changes nothing cannot make it any better."""
        alive = {name for name, _value in self.factors}
        every = [
            [None, *(value for value in axis.values if (axis.name, value) not in self.refused)]
            if axis.name in alive
            else [None]
            for axis in self.axes
        ]
        return max(
            self.true({axis.name: value for axis, value in zip(self.axes, values, strict=True) if value})
            for values in itertools.product(*every)
        )

    def runs(self, setting, number, chance):
        true = self.true(setting)
        return [true * self._noisy(chance) for _run in range(number)]

    def _noisy(self, chance):
        if self.kind == "heavy" and chance.random() < 0.1:
            return math.exp(-abs(chance.gauss(0, 10 * self.noise)))
        if self.kind == "bimodal":
            return (1 + self.noise) if chance.random() < 0.5 else (1 - self.noise)
        return math.exp(chance.gauss(0, self.noise))


def play(surface, seed, limits=LIMITS):
    """Let the search measure such a surface; give how it ended and all turns."""
    chance = random.Random(seed)
    turns, proof, planned, clock = [], [], [], 0.0
    steps = search.begin(surface.axes, limits)
    turn = next(steps)
    try:
        while True:
            if any(item in surface.refused for item in turn.setting.items()):
                turn = steps.send(Measured([], [], clock, "it cannot", applied=False))
                continue
            turns.append(turn)
            clock += turn.runs * limits.run_seconds
            scores = [math.log(value) for value in surface.runs(turn.setting, turn.runs, chance)]
            proved = ""
            if turn.kind == search.PROVE:
                planned = planned or search.schedule(limits, len(turns) - 1, clock - turn.runs * limits.run_seconds)
                proof.append((turn.side, scores))
                proved = judged(proof, planned, limits.ways)
            turn = steps.send(Measured(scores, scores, clock, proved=proved))
    except StopIteration as end:
        return end.value, turns


def judged(proof, schedule, ways):
    """What the proof says by now, as the playbook has it judged."""
    if len(proof) < 2 or not schedule[len(proof) - 1].look:
        return ""
    return sequence.find(proof, schedule, ways, last=len(proof) == len(schedule)).outcome
