# SPDX-License-Identifier: GPL-3.0-or-later
"""Answer the playbook: what comes next and what to say of it, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import axes as values
from . import session, tell

Json = dict[str, Any]

# Beside the measurement itself, until a turn is over: the hosts go back, are set, and confirm it.
_SWITCH = 30
# A host goes back by itself where nobody has come so long after the end of a turn.
_LATE = 120


def turn(plan: Json, axes: Sequence[Json], history: Sequence[Json], goal: str, budget: Json) -> Json:
    """The next turn with the options of each host, or that it is over."""
    bounds = session.limits(plan, budget)
    following, ending = session.step(axes, goal, bounds, history)
    said = [tell.progress(goal, history)] if history else []
    if ending:
        return {"over": True, "lines": said, "outcome": ending.outcome, "best": dict(ending.best)}
    number = 1 + sum(1 for entry in history if entry["applied"])
    hosts = {host for axis in axes for part in axis["values"].values() for host in part}
    return {
        **following._asdict(),
        "over": False,
        "setting": dict(following.setting),
        "hosts": {host: values.together(axes, following.setting, host) for host in sorted(hosts)},
        "temporary": session.seconds(plan, following.runs) + _SWITCH + _LATE,
        "lines": [*said, tell.coming(following, number, bounds)],
    }


def lines(plan: Json, axes: Sequence[Json], history: Sequence[Json], goal: str, budget: Json) -> list[str]:
    """The plan where nothing was measured yet, else how it ended."""
    bounds = session.limits(plan, budget)
    following, ending = session.step(axes, goal, bounds, history)
    if not history:
        return tell.plan(axes, goal, bounds, _SWITCH)
    if following:
        return [
            "It was stopped before its end; all hosts are as they were at the start, or revert when their time is over."
        ]
    return tell.ending(axes, goal, bounds, history, ending)
