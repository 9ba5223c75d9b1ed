# SPDX-License-Identifier: GPL-3.0-or-later
"""Results side by side: where a figure broke, what changed then, and how often there is a break without a change."""

from __future__ import annotations

import json
import random

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.linuxnet.tuning.plugins.action import benchmark_history
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import breaks, history, history_page
from ansible_collections.linuxnet.tuning.tests.unit.measurements import measured

NIGHTS = 24


def noise(kind, chance):
    """One more value without any change."""
    if kind == "heavy":
        return 100 + 3 * chance.gauss(0, 1) / max(abs(chance.gauss(0, 1)), 0.05)
    if kind == "bimodal":
        return chance.choice((60, 100)) + chance.gauss(0, 1)
    if kind == "ties":
        return chance.randrange(3)
    return chance.gauss(100, 5)


@pytest.mark.parametrize("kind", ["steady", "heavy", "bimodal", "ties"])
def test_without_a_change_hardly_any_history_has_a_break(kind):
    chance = random.Random(7)
    found = sum(bool(breaks.find([noise(kind, chance) for _night in range(NIGHTS)])) for _history in range(300))
    # One in a hundred is three; more than eight would come once in 250 times.
    assert found <= 8


@pytest.mark.parametrize(("kind", "most"), [("steady", 45), ("heavy", 25)])
def test_a_break_is_found_where_it_is(kind, most):
    chance, near = random.Random(3), 0
    for _history in range(50):
        values = [noise(kind, chance) * (0.8 if night >= 15 else 1) for night in range(NIGHTS)]
        found = breaks.find(values)
        near += any(abs(one.position - 15) <= 1 and not one.crept and one.after < one.before for one in found)
    assert near >= most


def test_a_break_is_where_the_level_changes_and_not_where_the_lower_ranks_begin():
    nights = [5.88, 5.80, 5.85, 5.79, 5.79, 5.81, 5.82, 5.87, 5.77, 5.78, 3.48, 3.48, 3.54, 3.46, 3.49, 3.47]
    assert [one.position for one in breaks.find(nights)] == [10]
    # For some time it was lower, and the nights next to it were a little lower than others.
    low = [3.48, 3.51, 3.54, 3.46, 3.49, 3.47, 3.50]
    high = [5.88, 5.80, 5.85, 5.79, 5.86, 5.81, 5.82, 5.87, 5.83, 5.84]
    assert [one.position for one in breaks.find([*high, 5.77, 5.78, *low, 5.76, 5.75, *high])] == [12, 19]


def test_what_creeps_is_no_step_and_two_breaks_are_two():
    chance = random.Random(5)
    creeping = [100 + 2 * night + chance.gauss(0, 2) for night in range(NIGHTS)]
    assert [one.crept for one in breaks.find(creeping)] == [True]
    levels = [chance.gauss(level, 2) for level in (100, 50, 100) for _night in range(14)]
    assert [(one.position, one.crept) for one in breaks.find(levels)] == [(14, False), (28, False)]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 9.0], [5.0] * 30])
def test_too_few_or_equal_values_have_no_break(values):
    assert breaks.find(values) == []


def test_a_page_says_the_same_twice_and_a_long_history_is_judged_by_its_newest_part(monkeypatch):
    chance = random.Random(1)
    monkeypatch.setattr(breaks, "MOST", 40)
    values = [chance.gauss(100 - night // 20 * 50, 5) for night in range(40)]
    assert breaks.find(values)
    assert breaks.best(values) == breaks.best(list(values))
    older = [1000.0] * 50
    assert breaks.find([*older, *values]) == [one._replace(position=one.position + 50) for one in breaks.find(values)]


def nights(count=NIGHTS, worse_from=15, tuned_at=15, **options):
    """Results of so many nights; from one on the slowest client gets less, and from one on the MTU is another one."""
    chance, found = random.Random(2), []
    for night in range(count):
        share = 0.6 if night >= worse_from else 1
        whole = measured([[90 * share * chance.gauss(1, 0.02), 100, 110]] * 3)
        whole["ended"] = f"2026-11-{night + 1:02}T03:00:00Z"
        whole["options"] = {"repeat": 3, "duration": 10, **options}
        whole["hosts"]["pc1"]["nics"]["eth0"] = {"mtu": 9000 if night >= tuned_at else 1500}
        found.append(whole)
    return found


def test_the_point_where_it_broke_is_told_with_the_settings_that_changed():
    found = history.make(reversed(nights()))
    assert [(len(one.results), list(one.changes)) for one in found] == [(NIGHTS, [15])]
    told = "\n".join(history.lines(found))
    assert "minimum up broke, first seen on 2026-11-16: worse, from" in told
    assert "    pc1 nics eth0 mtu: 1500 before, 9000 after" in told
    assert {line.title for _series, line, _one in history.fell(found)} == {"sum up", "minimum up", "fairness up"}
    html = history_page.write(found)
    assert html.count("<svg") == len(found[0].lines) == 4
    assert html.count('class="broke high"') == 3
    assert html.count("The data of this chart") == 4
    assert "http://" not in html and "https://" not in html
    told = "\n".join(history.lines(history.make(nights(tuned_at=99))))
    assert "none of the settings that a result holds changed then" in told


def test_what_measured_something_else_is_another_series():
    found = history.make([*nights(6), *nights(6, duration=60)])
    assert [len(one.results) for one in found] == [6, 6]


def test_only_results_of_the_label_are_read_and_none_of_prove(tmp_path):
    for name, whole in zip(("nightly", "nightly", "other", "before", "after"), nights(5), strict=True):
        (tmp_path / f"{name}-{whole['ended'][:10].replace('-', '')}-030000.json").write_text(json.dumps(whole))
    (tmp_path / "half.json").write_text('{"format": ')
    results, passed = benchmark_history._read(str(tmp_path), "")
    assert (len(results), [line.split(" ")[0] for line in passed]) == (3, ["half.json"])
    assert len(benchmark_history._read(str(tmp_path), "nightly")[0]) == 2
    assert benchmark_history._read(str(tmp_path / "nowhere"), "") == ([], [])
    with pytest.raises(AnsibleActionFail, match="cannot be read"):
        benchmark_history._read(str(tmp_path / "half.json"), "")


def test_names_from_a_result_are_text():
    name, found = "<script>alert(1)</script>", nights(6)
    for whole in found:
        whole["groups"][name] = whole["groups"].pop("router1 and room1")
    assert name not in history_page.write(history.make(found))
