# SPDX-License-Identifier: GPL-3.0-or-later
"""Break the code on purpose, one line at a time, to see that a property sees it."""

from __future__ import annotations

import inspect
import textwrap

import pytest
from hypothesis import HealthCheck, Phase, given, settings


def sees(strategy, play):
    """Whether a property finds something wrong, without looking for the shortest way to it."""

    @settings(
        max_examples=500,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def all_hold(example):
        play(example)

    with pytest.raises(AssertionError):
        all_hold()


def break_line(monkeypatch, function, right, wrong):
    """Have a function say something else in one place, wherever it is known by its name already."""
    text = textwrap.dedent(inspect.getsource(function))
    assert text.count(right) == 1, f"{function.__qualname__} has this {text.count(right)} times: {right}"
    text = f"from __future__ import annotations\n{text.replace(right, wrong)}"
    made: dict[str, object] = {}
    exec(compile(text, "broken", "exec"), function.__globals__, made)
    broken = made[function.__name__]
    monkeypatch.setattr(function, "__code__", getattr(broken, "fget", broken).__code__)
