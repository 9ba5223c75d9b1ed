# SPDX-License-Identifier: GPL-3.0-or-later
"""When a change goes back, and what cannot be compared."""

from __future__ import annotations

import random

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import figures, result, table, verdict
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, decided, made, measured


@pytest.mark.parametrize(
    ("about", "after", "figure", "back"),
    [
        ("harm", [[9, 10, 11]] * 3, "sum", True),
        ("help", [[190, 200, 210]] * 3, "sum", False),
        ("less than the tolerance", [[88, 98, 108]] * 3, "sum", False),
        ("more than the tolerance", [[80, 90, 100]] * 3, "sum", True),
        ("one client starves, the sum is the same", [[10, 140, 150]] * 3, "sum", False),
        ("one client starves", [[10, 140, 150]] * 3, "minimum", True),
        ("it is less fair", [[10, 140, 150]] * 3, "fairness", True),
        ("one bad run", [[90, 100, 110], [10, 10, 10], [90, 100, 110]], "sum", False),
        ("the runs differ by more than it fell", [[60, 70, 80], [90, 90, 90], [100, 100, 110]], "sum", False),
    ],
)
def test_a_change_goes_back_only_for_harm(about, after, figure, back):
    found = decided([after], figure)
    assert found["hosts"]["router1"]["roll_back"] is back, about
    assert found["hosts"]["pc1"]["roll_back"] is False, "a host that was not changed has nothing to go back to"


def test_harm_has_to_show_twice_where_it_was_measured_twice():
    harm, help_ = [[9, 10, 11]] * 3, [[90, 100, 110]] * 3
    assert decided([harm, harm])["hosts"]["router1"]["roll_back"]
    assert not decided([harm, help_])["hosts"]["router1"]["roll_back"]


def test_when_nothing_can_be_measured_any_more_the_change_goes_back():
    found = decided([])
    assert found["hosts"]["router1"] == {
        "roll_back": True,
        "changed": True,
        "missed": False,
        "group": "router1 and room1",
        "why": "it was impossible",
    }


def test_too_few_runs_are_no_proof():
    with pytest.raises(result.ResultError, match="2 runs do not tell a change from chance"):
        decided([BEFORE[:2]])
    with pytest.raises(result.ResultError, match="'single' was not measured"):
        decided([BEFORE], "single")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda one: one["options"].update(parallel=4), "benchmark_parallel was None, and 4 in the second"),
        (lambda one: one["groups"].clear(), "only one of the results has the group 'router1 and room1'"),
        (lambda one: one["groups"]["router1 and room1"].update(hosts=["pc1"]), "the hosts of .* differ"),
    ],
)
def test_only_what_is_alike_is_compared(change, says):
    after = measured(BEFORE)
    change(after)
    with pytest.raises(result.ResultError, match=says):
        verdict.decide(measured(BEFORE), [after], ["router1"], "sum", 0.05)


@pytest.mark.parametrize(
    ("change", "tolerance", "says"),
    [
        (lambda one: one["options"].update(repeat=2), 0.05, "2 runs do not tell a change from chance"),
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


def test_two_saved_results_are_better_or_worse_only():
    said = table.verdict(verdict.decide(measured(BEFORE), [measured([[9, 10, 11]] * 3)], None, "sum", 0.05))
    assert said[0] == "router1 and room1: WORSE"


def test_a_figure_that_no_direction_has_is_named():
    assert [row["figure"] for row in verdict.compare(DIRECTIONS, DIRECTIONS, "single", 0.05)] == ["single"]
    with pytest.raises(result.ResultError, match="only one of the results has the figure 'single'"):
        verdict.compare(DIRECTIONS, {"up": {}, "read": {}}, "single", 0.05)


DIRECTIONS = {"up": {"single": figures.figure([1, 2, 3])}, "read": {"sum": figures.figure([1, 2, 3])}}


def hashed(chance, clients=10, queues=16, rate=5.0):
    """What clients get when a hash spreads them over queues: those that share a queue share its rate."""
    chosen = [chance.randrange(queues) for _client in range(clients)]
    return [rate / chosen.count(queue) for queue in chosen]


@pytest.mark.parametrize("runs", [verdict.LEAST_RUNS, verdict.ENOUGH_RUNS])
@pytest.mark.parametrize("figure", ["sum", "minimum", "fairness"])
def test_noise_alone_never_triggers(figure, runs):
    """The worst noise there is, that of mq in story A: 2000 pairs of measurements with the same settings."""
    chance, back = random.Random(6), 0
    compute = {"sum": sum, "minimum": min, "fairness": figures.fairness}[figure]

    def one():
        return figures.figure([compute(hashed(chance)) for _run in range(runs)])

    for _pair in range(2000):
        before, *after = ({"down": {figure: one()}} for _measurement in range(3))
        rows = [verdict.compare(before, again, figure, 0.05)[0] for again in after]
        back += all(row["outcome"] == "worse" for row in rows)
    assert back == 0
