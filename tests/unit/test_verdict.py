# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs prove, when a change goes back, and what cannot be compared."""

from __future__ import annotations

import itertools
import random

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import (
    evidence,
    result,
    sequence,
    table,
    verdict,
)
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, HARM, decided, made, measured

HELP = [[value * 2 for value in rates] for rates in BEFORE]


def scaled(factor):
    return [[value * factor for value in rates] for rates in BEFORE]


@pytest.mark.parametrize(
    ("about", "after", "figure", "outcome", "back"),
    [
        ("harm", HARM, "sum", "worse", True),
        ("help", HELP, "sum", "better", False),
        ("nothing", BEFORE, "sum", "undecided", False),
        ("less than the tolerance", scaled(0.981), "sum", "worse", False),
        ("more than the tolerance", scaled(0.9), "sum", "worse", True),
        (
            "one client starves, the sum is the same",
            [[10, 140, 150 + run % 3] for run in range(7)],
            "sum",
            "undecided",
            False,
        ),
        ("one client starves", [[10, 140, 150]] * 7, "minimum", "worse", True),
        ("it is less fair", [[10, 140, 150]] * 7, "fairness", "worse", True),
        ("one bad run", [*BEFORE[:6], [10, 10, 10]], "sum", "undecided", False),
    ],
)
def test_a_change_goes_back_only_for_harm(about, after, figure, outcome, back):
    found = decided([after], figure)
    assert found["groups"]["router1 and room1"]["outcome"] == outcome, about
    assert found["hosts"]["router1"]["roll_back"] is back, about
    assert found["hosts"]["pc1"]["roll_back"] is False, "a host that was not changed has nothing to go back to"


def test_noise_before_does_not_hide_a_benefit():
    """Every run after lies above every run before; what they differ by before is no reason to doubt it."""
    noisy = [
        [268, 300, 310],
        [190, 250, 300],
        [330, 400, 420],
        [480, 500, 510],
        [250, 260, 270],
        [330, 340, 350],
        [200, 400, 410],
    ]
    calm = [[983, 985, 990 + run] for run in range(7)]
    found = decided([calm], "minimum", noisy)
    row = found["groups"]["router1 and room1"]["rows"][0]
    assert (row["outcome"], row["chance"]) == ("better", pytest.approx(2 / 3432))
    assert row["between"][0] > 1


def test_no_interval_says_that_a_figure_may_fall_below_nothing():
    wild = [[1, 200, 900], [900, 2, 1], [3, 400, 1000], [990, 900, 3], [1, 1, 2], [800, 900, 980], [2, 1, 1]]
    row = decided([wild], "sum", [list(reversed(run)) for run in reversed(wild)])["groups"]["router1 and room1"][
        "rows"
    ][0]
    assert row["interval"][0] < -row["before"]["median"], "or there is nothing to see here"
    assert row["between"][0] == -1
    assert table.between(row).startswith("-100.0% to +")


def test_the_test_is_exact():
    """Against counting: of all ways to share out the runs, those that lie as high or higher."""
    chance = random.Random(4)
    for _case in range(30):
        before, after = ([chance.randrange(6) for _run in range(size)] for size in (4, 3))
        everything = [*before, *after]

        def ranks(indexes, everything=everything):
            return sum(
                sum((everything[index] > other) + (everything[index] == other) / 2 for other in everything)
                for index in indexes
            )

        mine = ranks(range(4, 7))
        sums = [ranks(indexes) for indexes in itertools.combinations(range(7), 3)]
        found = evidence.chance(before, after)
        assert found.high == pytest.approx(sum(one >= mine for one in sums) / len(sums))
        assert found.low == pytest.approx(sum(one <= mine for one in sums) / len(sums))


def test_shift_and_interval_by_hand():
    # The nine differences are 1 2 3 2 3 4 3 4 5.
    assert evidence.shift([1, 2, 3], [4, 5, 6]) == 3
    # Of 20 ways one each is outermost: 10 % are outside of the least and the most difference.
    assert evidence.interval([1, 2, 3], [4, 5, 6], 0.1) == (1, 5)
    assert evidence.interval([1, 2, 3], [4, 5, 6], 0.05) is None
    # Published table of the Mann-Whitney test: for ten and ten at 1 %, 16 is the largest sum that is significant.
    found = sorted(new - old for new in range(100, 200, 10) for old in range(0, 10))
    assert evidence.interval(range(0, 10), range(100, 200, 10), 0.01) == (found[16], found[-17])


def test_three_runs_prove_nothing_and_this_is_said():
    found = decided([HELP[:3]], before=BEFORE[:3])
    assert found["groups"]["router1 and room1"]["outcome"] == "undecided"
    assert "3 runs are too few to tell a change from chance" in found["hosts"]["router1"]["why"]
    with pytest.raises(result.ResultError, match="'single' was not measured"):
        decided([BEFORE], "single")


def test_when_nothing_can_be_measured_any_more_the_change_goes_back():
    found = decided([])
    assert found["hosts"]["router1"] == {
        "roll_back": True,
        "changed": True,
        "missed": False,
        "group": "router1 and room1",
        "why": "it was impossible",
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda one: one["options"].update(parallel=4), "benchmark_parallel was None, and 4 in the second"),
        (lambda one: one["groups"].clear(), "only one of the results has the group 'router1 and room1'"),
        (lambda one: one["groups"]["router1 and room1"].update(hosts=["pc1"]), "the hosts of .* differ"),
        (lambda one: one["groups"]["router1 and room1"]["figures"].clear(), "not all results have the direction up"),
        (
            lambda one: one["groups"]["router1 and room1"]["figures"]["up"].pop("sum"),
            "not all of the results have the figure 'sum'",
        ),
    ],
)
def test_only_what_is_alike_is_compared(change, says):
    after = measured(BEFORE)
    change(after)
    with pytest.raises(result.ResultError, match=says):
        verdict.decide([("before", measured(BEFORE)), ("after", after)], ["router1"], "sum", 0.05)


@pytest.mark.parametrize(
    ("change", "tolerance", "says"),
    [
        (lambda one: one["options"].update(omit=9), 0.05, "benchmark_omit was 2, and 9 in the second"),
        (lambda one: one["groups"].append({"name": "b"}), 0.05, "only one of the results has the group 'b'"),
        (lambda one: one["groups"][0]["hosts"].append("pc4"), 0.05, "the hosts of .* differ"),
        (lambda one: None, 5, "prove_tolerance: 5 is no share from 0 to 1"),
    ],
)
def test_what_could_not_be_judged_later_is_foreseen(change, tolerance, says):
    before = measured(BEFORE)
    planned = made([{"server": "router1", "clients": "room1"}], directions=["up"])
    before["options"] = {**planned["options"]}
    verdict.foresee(before, planned, "sum", 0.05)
    change(planned)
    with pytest.raises(result.ResultError, match=says):
        verdict.foresee(before, planned, "sum", tolerance)


def test_two_saved_results_are_compared_only():
    results = [("before", measured(BEFORE)), ("after", measured(HARM))]
    assert table.verdict(verdict.decide(results, None, "sum", 0.05))[0] == "router1 and room1: worse"


def test_figures_that_do_not_decide_are_corrected_for_their_number():
    """Five runs against five that lie apart: once in 126 times. That proves one figure at 1 %, and not two of them."""
    rows = decided([HARM[:5]], "sum", BEFORE[:5])["groups"]["router1 and room1"]["rows"]
    assert [(row["figure"], row["outcome"]) for row in rows] == [
        ("sum", "worse"),
        ("minimum", "undecided"),
        ("fairness", "undecided"),
    ]
    assert rows[1]["chance"] == pytest.approx(2 * rows[0]["chance"])
    assert verdict.words(rows[0]).endswith("; chance alone shows as much once in 126 times)")


def test_runs_of_another_day_are_not_told_as_runs_that_count():
    """They decide what is obvious only; from then on both sides are measured in turns, and time may be over soon."""
    schedule = sequence.blocks("quick", 1, known=7)
    noisy = [[3 * value if run % 2 else value for value in rates] for run, rates in enumerate(BEFORE)]
    sides = [noisy, HELP[:6], HELP[:1], noisy[:2], HELP[:2]]
    results = [(block.side, measured(rates)) for block, rates in zip(schedule, sides, strict=False)]
    row = verdict.decide(results, None, "sum", 0.05, schedule=schedule)["groups"]["router1 and room1"]["rows"][0]
    assert row["outcome"] == "undecided"
    assert "(2 of 9 runs were measured in turns, too few to tell a change from chance)" in verdict.words(row)


def test_what_looks_like_a_change_and_is_undecided_says_why():
    row = decided([HARM], "sum")["groups"]["router1 and room1"]["rows"][0]
    text = verdict.words({**row, "outcome": "undecided", "chance": 1 / 35})
    assert text.endswith("; chance alone shows as much once in 35 times, which is too often for an answer)")
    text = verdict.words({**row, "outcome": "undecided", "chance": 0.9})
    assert text.endswith("; chance alone shows as much more often than not)")


def test_runs_of_several_turns_become_one_result():
    whole = result.merge([measured(BEFORE[:2]), measured(BEFORE[2:])])
    once = measured(BEFORE)
    assert whole["groups"] == once["groups"]
    assert [run["repeat"] for run in whole["runs"]] == list(range(1, 8))
