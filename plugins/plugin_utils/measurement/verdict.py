# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a change stays: what fell by more than the tolerance and by more than the runs differ goes back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from .result import ResultError
from .table import say

Json = dict[str, Any]

FIGURES = ("sum", "minimum", "fairness", "single")
# With fewer runs nobody can tell a change from chance; with fewer than enough they seldom show how much they differ.
LEAST_RUNS, ENOUGH_RUNS = 3, 5
# What two results must have in common: other values measure something else.
_SAME = ("directions", "duration", "omit", "parallel", "protocol", "window", "bitrate", "fio", "quiet")


def compare(before: Json, after: Json, wanted: str, tolerance: float) -> list[Json]:
    """One row for each direction: how the figure was and is, and whether it is `better`, `worse` or `alike`."""
    rows = []
    for way in directions(before):
        if way not in after:
            raise ResultError(f"the second result has nothing about the direction {way}")
        old, new = (figures[way].get(wanted) for figures in (before, after))
        if old is None and new is None:
            continue
        if old is None or new is None:
            raise ResultError(f"only one of the results has the figure '{wanted}'")
        rows.append({"direction": way, "figure": wanted, "before": old, "after": new, **_judge(old, new, tolerance)})
    if not rows:
        raise ResultError(f"the figure '{wanted}' was not measured; set benchmark_single for 'single'")
    return rows


def directions(figures: Json) -> list[str]:
    """The directions that a group has figures of."""
    return [way for way in figures if way != "asymmetry"]


def _judge(old: Json, new: Json, tolerance: float) -> Json:
    """A change counts when it is larger than both the tolerance and what the runs differ by, and the runs lie apart."""
    change = new["median"] - old["median"]
    noise = old["spread"] + new["spread"]
    if min(len(old["values"]), len(new["values"])) < ENOUGH_RUNS:
        noise *= 2
    margin = max(tolerance * old["median"], noise)
    if change < -margin and new["most"] < old["least"]:
        outcome = "worse"
    elif change > margin and new["least"] > old["most"]:
        outcome = "better"
    else:
        outcome = "alike"
    share = change / old["median"] if old["median"] else 0.0
    return {"outcome": outcome, "change": share, "margin": margin / old["median"] if old["median"] else 0.0}


def foresee(before: Json, plan: Json, wanted: str, tolerance: float) -> None:
    """ResultError where no measurement by this plan could be judged against the result before it."""
    _check_words(wanted, tolerance)
    planned = {"options": plan["options"], "groups": {group["name"]: group for group in plan["groups"]}}
    _check_alike(before, planned)
    _check_runs(plan["options"]["repeat"])
    for name in before["groups"]:
        _rows(name, before, before, wanted, tolerance)


def decide(
    before: Json,
    after: Sequence[Json],
    changed: Collection[str] | None,
    wanted: str,
    tolerance: float,
    failure: str = "",
    missed: Collection[str] = (),
) -> Json:
    """For each group whether its changes stay, and for each host what becomes of it.

    A group is worse when each result after the change says so. Without any, `failure` tells why there is none.
    Nothing is known of `changed` hosts where two saved results are compared. Hosts that were `missed` by the way back
    go back later, when their time is over.
    """
    _check_words(wanted, tolerance)
    for one in after:
        _check_alike(before, one)
    groups: Json = {}
    hosts: Json = {}
    for name, group in before["groups"].items():
        rows = [_rows(name, before, one, wanted, tolerance) for one in after]
        back = all(any(row["outcome"] == "worse" for row in found) for found in rows)
        why = _why(rows[-1], wanted) if rows else failure
        others = [row for other in FIGURES for row in _others(name, before, after[-1:], other, tolerance)]
        for host in group["hosts"]:
            here = host in (changed or ())
            rest = {"changed": here, "missed": back and here and host in missed, "group": name, "why": why}
            hosts[host] = {"roll_back": back and here, **rest}
        touched = any(hosts[host]["changed"] for host in group["hosts"])
        outcome = _outcome(back, touched, changed is None)
        groups[name] = {"keep": not back, "outcome": outcome, "why": why, "rows": others}
    return {
        "figure": wanted,
        "compared": changed is None,
        "tolerance": tolerance,
        "groups": groups,
        "hosts": hosts,
        "differences": differences(before, after[-1]) if after else {},
    }


def _outcome(back: bool, touched: bool, compared: bool) -> str:
    """What becomes of the changes of a group, in a word or two."""
    if compared:
        return "worse" if back else "not worse"
    if not touched:
        return "nothing was changed"
    return "rolled back" if back else "kept"


def _check_words(wanted: str, tolerance: float) -> None:
    if wanted not in FIGURES:
        raise ResultError(f"prove_figure: {wanted} is none of {', '.join(FIGURES)}")
    if not 0 <= tolerance < 1:
        raise ResultError(f"prove_tolerance: {tolerance:g} is no share from 0 to 1, such as 0.05 for 5 %")


def _check_runs(number: int) -> None:
    if number < LEAST_RUNS:
        raise ResultError(
            f"{number} runs do not tell a change from chance; set benchmark_repeat to {LEAST_RUNS} or more"
        )


def _check_alike(before: Json, after: Json) -> None:
    """ResultError where two results are about different things."""
    for key in _SAME:
        old, new = (result["options"].get(key) for result in (before, after))
        if old != new:
            raise ResultError(f"the results cannot be compared: benchmark_{key} was {old}, and {new} in the second")
    for name in {**before["groups"], **after["groups"]}:
        one, other = (result["groups"].get(name) for result in (before, after))
        if not one or not other:
            raise ResultError(f"only one of the results has the group '{name}'; measure the same ones before and after")
        for key in ("topology", "hosts"):
            if one[key] != other[key]:
                raise ResultError(f"the results cannot be compared: the {key} of '{name}' differ")


def differences(before: Json, after: Json) -> dict[str, list[str]]:
    """The settings that are not the same in two results, by host."""
    found = {}
    for host in before["hosts"]:
        old, new = (dict(_leaves(result["hosts"].get(host, {}))) for result in (before, after))
        rows = [
            f"{key}: {old.get(key, '-')} > {new.get(key, '-')}"
            for key in {**old, **new}
            if old.get(key) != new.get(key)
        ]
        if rows:
            found[host] = rows
    return found


def _leaves(content: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _leaves(value, f"{path} {key}".strip())
    elif isinstance(content, list):
        yield path, ", ".join(map(str, content)) or "none"
    else:
        yield path, str(content)


def _others(name: str, before: Json, after: Sequence[Json], figure: str, tolerance: float) -> list[Json]:
    """The rows of one figure, where both results have it."""
    try:
        return [row for one in after for row in _compare(name, before, one, figure, tolerance)]
    except ResultError:
        return []


def _rows(name: str, before: Json, after: Json, wanted: str, tolerance: float) -> list[Json]:
    rows = _compare(name, before, after, wanted, tolerance)
    for row in rows:
        _check_runs(min(len(row["before"]["values"]), len(row["after"]["values"])))
    return rows


def _compare(name: str, before: Json, after: Json, figure: str, tolerance: float) -> list[Json]:
    old, new = (result["groups"][name]["figures"] for result in (before, after))
    return compare(old, new, figure, tolerance)


def _why(rows: Sequence[Json], wanted: str) -> str:
    parts = []
    for row in rows:
        old, new = (say(wanted, row[side]["median"]) for side in ("before", "after"))
        limit = f"less than {row['margin']:.1%} is noise or tolerated"
        parts.append(
            f"{wanted} {row['direction']}: from {old} to {new} ({row['change']:+.1%}, {row['outcome']}; {limit})"
        )
    return "; ".join(parts)
