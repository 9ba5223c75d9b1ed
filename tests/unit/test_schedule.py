# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedule of a proof: noise alone decides nothing, a drift is seen as one, and what is true is found."""

from __future__ import annotations

import itertools
import random

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import (
    evidence,
    order,
    sequence,
)
from ansible_collections.linuxnet.tuning.tests.unit.measurements import made


def runs(noise, order_, factor=1.0):
    """What is measured turn by turn, as prove does it: until it is clear."""
    measured_ = []
    for index, block in enumerate(order_):
        values = [noise() * (factor if block.side == "after" else 1) for _run in range(block.runs)]
        measured_.append((block.side, values))
        if len({side for side, _values in measured_}) == 2:
            found = sequence.find(measured_, order_, 1, index == len(order_) - 1)
            if found.outcome != "undecided":
                return found.outcome
    return "undecided"


def hashed(chance, clients=10, queues=16, rate=5.0):
    """What the least of the clients gets that a hash spreads over queues: those of one queue share its rate."""
    chosen = [chance.randrange(queues) for _client in range(clients)]
    return min(rate / chosen.count(queue) for queue in chosen)


@pytest.mark.parametrize("switch", ["quick", "slow", "stay"])
@pytest.mark.parametrize("kind", ["steady", "hashed", "heavy", "bimodal"])
def test_noise_alone_is_neither_better_nor_worse(switch, kind):
    chance = random.Random(8)
    noise = {
        "steady": lambda: chance.gauss(100, 5),
        "hashed": lambda: hashed(chance),
        "heavy": lambda: chance.gauss(100, 5) / max(abs(chance.gauss(1, 0.5)), 0.1),
        "bimodal": lambda: chance.choice((60, 100)) + chance.gauss(0, 1),
    }[kind]
    order_ = sequence.blocks(switch, 1)
    wrong = sum(runs(noise, order_) != "undecided" for _proof in range(300))
    # Three are allowed; ten would be four standard deviations more.
    assert wrong < 10


@pytest.mark.parametrize("kind", ["linear", "wave"])
def test_a_drift_goes_through_both_sides_of_what_alternates(kind):
    chance, wrong, order_ = random.Random(9), 0, sequence.blocks("quick", 1)
    for proof in range(200):
        clock = itertools.count()
        slope = chance.choice((-1, 1))

        def noise(clock=clock, slope=slope, proof=proof):
            moment = next(clock)
            path = (
                slope * moment
                if kind == "linear"
                else 10 * [0, 0.7, 1, 0.7, 0, -0.7, -1, -0.7][(moment + proof) // 3 % 8]
            )
            return 100 + path + chance.gauss(0, 2)

        wrong += runs(noise, order_) != "undecided"
    assert wrong < 7


def of_ten(order_):
    """The turns until the look at ten runs of each."""
    looks = [index for index, block in enumerate(order_) if block.look]
    ten = order_[: looks[1] + 1]
    assert [sum(block.runs for block in ten if block.side == side) for side in ("before", "after")] == [10, 10]
    return ten


@pytest.mark.parametrize(
    ("pairs", "wrong", "outcome"),
    [(10, 15, "better"), (10, 16, "undecided"), (20, 80, "better"), (20, 81, "undecided")],
)
def test_how_many_differences_may_be_the_wrong_way_around(pairs, wrong, outcome):
    """Of a hundred 15, which is 0.68 %; of the 400 that follow where ten have not shown it, 80, which is 0.084 %."""
    order_ = sequence.blocks("quick", 1)
    order_ = of_ten(order_) if pairs == 10 else order_
    before = [float(run) for run in range(pairs)]
    low = [min(wrong - taken, pairs) for taken in range(0, wrong, pairs)]
    after = [pairs - number - 0.5 + index / 1000 for index, number in enumerate(low)]
    after += [100.0 + run for run in range(pairs - len(after))]
    assert sum(new < old for new in after for old in before) == wrong
    left = {"before": iter(before), "after": iter(after)}
    measured_ = [(block.side, [next(left[block.side]) for _run in range(block.runs)]) for block in order_]
    assert sequence.find(measured_, order_, 1, False).outcome == outcome


@pytest.mark.parametrize(("factor", "outcome"), [(1.05, "better"), (0.95, "worse")])
def test_what_is_true_is_found(factor, outcome):
    chance, order_ = random.Random(7), sequence.blocks("quick", 1)
    ten = of_ten(order_)
    found = sum(runs(lambda: chance.gauss(100, 2), ten, factor) == outcome for _proof in range(100))
    assert found >= 95


@pytest.mark.parametrize("ways", [1, 2, 4])
@pytest.mark.parametrize("known", [0, 3, 5, 7, 20])
@pytest.mark.parametrize("switch", ["quick", "slow", "stay"])
def test_the_looks_take_less_than_a_hundredth_together(switch, known, ways):
    order_ = sequence.blocks(switch, ways, known)
    assert sum(block.share for block in order_) <= sequence.ERROR + 1e-12
    assert sequence.ERROR <= 0.01
    assert order_[-1].look == "ranks"
    assert order_[0].side == "before"
    assert all(sum(block.runs for block in order_ if block.side == side) >= 3 for side in ("before", "after"))
    turns = len(list(itertools.groupby(block.side for block in order_)))
    assert turns == {"stay": 2, "slow": 3}.get(switch, turns)
    for index, block in enumerate(order_):
        if block.look == "obvious":
            sides = [sum(one.runs for one in order_[: index + 1] if one.side == side) for side in ("before", "after")]
            assert evidence.obvious_error(*sides) <= block.share / ways


@pytest.mark.parametrize(
    ("keys", "switch"),
    [
        (["coalesce", "features"], "quick"),
        (["multiq", "txqueuelen"], "quick"),
        (["qdisc", "gso_max_size"], "quick"),
        (["rss", "ntuple_rules", "napi", "routes"], "quick"),
        (["speed"], "slow"),
        (["ring"], "slow"),
        (["mtu"], "slow"),
        ([], "quick"),
    ],
)
def test_what_resets_links_is_switched_seldom(keys, switch):
    planned = made([{"server": "router1", "clients": "room1"}])
    told = {"diff": {"after": {"nics": {"eth0": dict.fromkeys(keys, 1)}, "sysctl": {"net.core.rmem_max": 1}}}}
    assert order.make(planned, [told], False, None, "auto")["switch"] == switch
    assert order.make(planned, [told], False, None, "true")["switch"] == "quick"
    assert order.make(planned, [told], False, None, "false")["switch"] == "slow"
    assert order.make(planned, [told], True, None, "true")["switch"] == "stay"
    assert order.make(planned, [{"msg": "no answer"}], False, None, "auto")["switch"] == "slow"


@pytest.mark.parametrize(("gap", "outcome"), [(0, "undecided"), (30, "better")])
def test_what_only_stays_is_not_told_from_a_drift_that_may_have_gone_on(gap, outcome):
    """A slope of one in a run, under noise that hides it from a test, and a change on top of it or none."""
    chance = random.Random(0)
    order = sequence.blocks("stay", 1)
    runs = iter([100 + 0.7 * run + chance.gauss(0, 3) + (gap if run >= 10 else 0) for run in range(20)])
    measured_ = [(block.side, [next(runs) for _run in range(block.runs)]) for block in order]
    assert sequence.find(measured_, order, 1, True).outcome == outcome


@pytest.mark.parametrize(("after", "outcome"), [(200, "better"), (10, "worse"), (100, "undecided")])
def test_what_is_obvious_is_no_drift(after, outcome):
    """Runs that differ by less than a hundredth, and a change that doubles: a first look at a few is enough."""
    order = sequence.blocks("slow", 1)[:2]
    assert order[-1].look == "obvious"
    rates = {sequence.BEFORE: 100, sequence.AFTER: after}
    measured_ = [
        (one.side, [rates[one.side] * (1 + 0.001 * (run * 3 % 10)) for run in range(one.runs)]) for one in order
    ]
    assert sequence.find(measured_, sequence.blocks("slow", 1), 1, False).outcome == outcome
