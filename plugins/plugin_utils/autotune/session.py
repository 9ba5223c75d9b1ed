# SPDX-License-Identifier: GPL-3.0-or-later
"""Lead the search through measurements of hosts: what each is to be set to next, by the results so far."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from ..measurement import plan as planning
from ..measurement import sequence, verdict
from ..measurement.result import ResultError
from . import axes as values
from . import search
from .scores import Measured

Json = dict[str, Any]

_WAYS = {"up": 1, "down": 1, "both": 2}
# What is lost entirely is a million times less.
_NOTHING = 1e-6


def limits(plan: Json, given: Json) -> search.Limits:
    """What may be measured, of the words of a person; ResultError where they make no sense."""
    try:
        whole = {key: int(given[key]) for key in ("measurements", "runs", "seconds")}
        tolerance = float(given["tolerance"])
    except (TypeError, ValueError):
        raise ResultError(
            "autotune_measurements, autotune_runs, autotune_time and autotune_tolerance are numbers"
        ) from None
    options = plan["options"]
    ways = sum(_WAYS[way] for way in options["directions"]) + bool(options.get("fio"))
    least = len(search.reserve(ways)) + 2
    if whole["measurements"] < least:
        raise ResultError(
            f"autotune_measurements: {whole['measurements']} is too few; the proof and a try need {least}"
        )
    if not 2 <= whole["runs"] <= 10:
        raise ResultError(f"autotune_runs: {whole['runs']} is not from 2 to 10; one run does not tell what is noise")
    each = plan["busy"] / options["repeat"]
    return search.Limits(whole["measurements"], whole["seconds"], whole["runs"], each, ways, tolerance)


def seconds(plan: Json, runs: int) -> int:
    """How long a turn with so many runs takes at most."""
    lead = plan["options"]["patience"] + planning.LEAD
    return int(lead + runs * (plan["seconds"] - lead) / plan["options"]["repeat"]) + 1


def check(plan: Json, goal: str, only: Sequence[str], tuned: Sequence[str]) -> None:
    """ResultError for what cannot be searched."""
    if goal not in values.GOALS:
        raise ResultError(f"autotune_goal: {goal} is none of {', '.join(values.GOALS)}")
    unknown = [word for word in only if word not in values.ABOUT]
    if unknown:
        raise ResultError(f"autotune_only: {', '.join(unknown)} is none of {', '.join(values.ABOUT)}")
    if len(plan["groups"]) != 1:
        raise ResultError("benchmark_groups has several entries; search for one of them at a time")
    if not tuned:
        raise ResultError("none of tuning_hosts takes part in the measurement of benchmark_groups")
    verdict.foresee(None, plan, values.GOALS[goal], 0.0)


def line(result: Json) -> values.Line | None:
    """What the start has shown: the rate of all, and the round trip without load."""
    (group,) = result["groups"].values()
    figures = group["figures"]
    rates = [found["sum"]["median"] for way, found in figures.items() if way != "asymmetry" and "sum" in found]
    trip = figures.get("idle", {}).get("idle_median")
    return values.Line(max(rates), trip["median"] / 1000) if rates and trip else None


def step(axes: Sequence[Json], goal: str, bounds: search.Limits, history: Sequence[Json]) -> tuple[Any, Any]:
    """The next turn or the ending, by the entries of the history: each with its `turn`, `result`, and so on."""
    known = [search.Axis(axis["name"], list(axis["values"])) for axis in axes]
    past: list[Measured] = []
    for number, entry in enumerate(history):
        past.append(_measured(entry, history[: number + 1], goal, bounds))
    return search.follow(known, bounds, past)


def _measured(entry: Json, until: Sequence[Json], goal: str, bounds: search.Limits) -> Measured:
    elapsed = float(entry["elapsed"])
    if entry.get("problem"):
        return Measured([], [], elapsed, str(entry["problem"]), bool(entry["applied"]))
    name = values.GOALS[goal]
    price = scores(entry["result"], "sum") if goal != "throughput" else []
    proved = ""
    if entry["turn"]["kind"] == search.PROVE:
        decided = proof(until, goal, bounds)
        proved = decided["groups"][next(iter(decided["groups"]))]["outcome"] if decided else ""
    return Measured(scores(entry["result"], name), price, elapsed, proved=proved)


def scores(result: Json, name: str) -> list[float]:
    """One for each run, of which more is better: the mean of the logarithms in all directions."""
    sign = -1 if name in verdict.LESS else 1
    (group,) = result["groups"].values()
    rows = [found[name]["values"] for way, found in group["figures"].items() if way != "asymmetry" and name in found]
    if not rows:
        raise ResultError(f"the figure '{name}' was not measured")
    return [statistics.fmean(sign * log(max(value, _NOTHING)) for value in run) for run in zip(*rows, strict=True)]


def proof(history: Sequence[Json], goal: str, bounds: search.Limits) -> Json:
    """The verdict on the best setting against the start, by the turns of the proof; nothing before there are both."""
    turns = [entry for entry in history if entry["turn"]["kind"] == search.PROVE and not entry.get("problem")]
    results = [(entry["turn"]["side"], entry["result"]) for entry in turns]
    if {side for side, _result in results} != {sequence.BEFORE, sequence.AFTER}:
        return {}
    before = [entry for entry in history if entry["turn"]["kind"] != search.PROVE]
    taken = sum(1 for entry in before if entry["applied"])
    schedule = search.schedule(bounds, taken, float(before[-1]["elapsed"]))
    last = len(results) == len(schedule)
    return verdict.decide(results, None, values.GOALS[goal], bounds.tolerance, schedule=schedule, last=last)


def refusal(answers: Mapping[str, Json], turn: Json) -> str:
    """Why the hosts have not taken a setting; nothing where they have. One that changes no host is as the start is."""
    changing = [host for host, options in turn["hosts"].items() if options["nics"] or options["sysctl"]]
    wrong = [f"{host}: {_said(answers.get(host))}" for host in changing if not _took(answers.get(host))]
    if wrong:
        return "; ".join(wrong)
    if changing and not any(answers[host].get("changed") for host in changing):
        return "it is in force already"
    return ""


def _took(answer: Json | None) -> bool:
    """A call that went wrong tells why, and its commands only where it has run some; the playbook lets no task fail."""
    whole = answer or {}
    return "commands" in whole and not any(whole.get(key) for key in ("msg", "unreachable", "unsupported"))


def _said(answer: Json | None) -> str:
    reasons = [str(item.get("reason", "")) for item in (answer or {}).get("unsupported", ())]
    return " ".join(str((answer or {}).get("msg") or "; ".join(dict.fromkeys(reasons)) or "no answer").split())
