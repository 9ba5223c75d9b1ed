# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell what would be tried, how it goes, and how it ended: tables for the terminal, and lines for the inventory."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Any

import yaml

from ..measurement import verdict
from ..measurement.table import say
from ..measurement.table import verdict as proof_lines
from ..plain import plain
from . import axes as values
from . import search, session
from .scores import Found

Json = dict[str, Any]

_LATER = "once the round trip is known"
_HEADS = {
    "better": "There is a better setting.",
    "undecided": "Something looked better, but the proof did not confirm it. Leave the hosts as they are.",
    "worse": "What looked better has proved to be worse. Leave the hosts as they are.",
    "nothing": "Nothing that was tried is better than the start. Leave the hosts as they are.",
    "failed": "The search ended early, without a verdict.",
}


def plan(axes: Sequence[Json], goal: str, bounds: search.Limits, extra: float) -> list[str]:
    """What would be tried, in which order, and how long it takes at most."""
    proof = search.reserve(bounds.ways)
    number = sum(len(axis["values"]) for axis in axes)
    tries = bounds.measurements - 1 - len(proof)
    # Some are measured again, with others or because they are close.
    likely = min(tries, number + 2)
    runs = bounds.runs * (likely + 1) + sum(block.runs for block in proof)
    time = min(runs * bounds.run_seconds + extra * (likely + 1 + len(proof)), bounds.seconds)
    hosts = sorted({host for axis in axes for part in axis["values"].values() for host in part})
    table = [("what", "values, in this order", "on")]
    for axis in axes:
        on = sorted({host for part in axis["values"].values() for host in part})
        table.append((axis["name"], ", ".join(axis["values"]), ", ".join(on) if on != hosts else "all"))
    later = "buffers" not in {axis["name"] for axis in axes}
    where = ", ".join(hosts) or "no host"
    return [
        f"goal: {goal}, by the figure {values.GOALS[goal]}; {number} values of {len(axes)} settings, on {where}",
        *_aligned(table),
        *([f"  buffers come {_LATER}, where they are smaller than what it needs"] if later else []),
        f"at most {bounds.measurements} measurements: the start and candidates with {bounds.runs} runs each, and the "
        f"proof of the winner against the start with {', '.join(str(block.runs) for block in proof)}, "
        "and once more with 6 each where that leaves doubt",
        f"time: about {_time(time)} at most, and less where it is clear sooner",
    ]


def _time(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} minutes"


def coming(turn: search.Turn, number: int, bounds: search.Limits) -> str:
    """What is measured next, in a line."""
    what = {"start": "as it is", "try": "try", "prove": "prove"}[turn.kind]
    return f"measurement {number} of at most {bounds.measurements}: {what} {setting(turn.setting)}".rstrip()


def setting(chosen: Mapping[str, str]) -> str:
    """A setting in words."""
    return ", ".join(f"{axis} {value}" for axis, value in chosen.items()) or "the start"


def progress(goal: str, history: Sequence[Json]) -> str:
    """What the last measurement has shown, against the start."""
    entry = history[-1]
    name = setting(entry["turn"]["setting"])
    if entry.get("problem"):
        return f"{name}: {entry['problem']}"
    return f"{name}: {', '.join(_figures(entry['result'], goal))}{_against(goal, history)}"


def _figures(result: Json, goal: str) -> Iterator[str]:
    name = values.GOALS[goal]
    (group,) = result["groups"].values()
    for way in verdict.directions(group["figures"]):
        if name in group["figures"][way]:
            yield f"{way} {say(name, group['figures'][way][name]['median'])}"


def _against(goal: str, history: Sequence[Json]) -> str:
    first = history[0]
    if len(history) < 2 or first.get("problem") or not history[-1]["turn"]["setting"]:
        return ""
    gain = _gain(history[-1]["result"], first["result"], goal)
    return f" ({gain} against the start)"


def _gain(result: Json, first: Json, goal: str) -> str:
    name = values.GOALS[goal]
    new, old = (statistics.median(session.scores(one, name)) for one in (result, first))
    return percent(new - old)


def percent(gain: float) -> str:
    """A gain in scores as a person says it: how much more, or how many times."""
    factor = exp(gain)
    if factor >= 3:
        return f"{factor:.1f} times as good"
    return f"{100 * (factor - 1):+.1f} %"


def ending(
    axes: Sequence[Json], goal: str, bounds: search.Limits, history: Sequence[Json], end: search.Ending
) -> list[str]:
    """The verdict, the lines for the inventory, the evidence, and what did not matter."""
    found = [_HEADS[end.outcome], *([f"  {end.why}"] if end.why else [])]
    if end.best:
        found.append(f"  {setting(end.best)}")
    if end.outcome == "better":
        found += ["", "lines for the inventory", *inventory(axes, end.best)]
    decided = session.proof(history, goal, bounds)
    if decided:
        found += ["", "the proof: the start before, this setting after", *(f"  {one}" for one in _proof(decided))]
    tried = [entry for entry in history if entry["turn"]["kind"] == search.TRY]
    if tried:
        found += ["", "what was measured", *_aligned(_tried(goal, history))]
    found += ["", *_matter(end)]
    if end.left:
        found.append(f"not tried, for lack of measurements or time: {'; '.join(end.left)}")
    noise = f"; a run differs by {100 * end.noise:.1f} % (standard deviation)" if end.outcome != "failed" else ""
    many = "1 measurement" if end.measurements == 1 else f"{end.measurements} measurements"
    return [*found, f"{many}{noise}. All hosts are as they were at the start."]


def _proof(decided: Json) -> list[str]:
    return [line for line in proof_lines({**decided, "differences": {}})[1:] if line]


def _tried(goal: str, history: Sequence[Json]) -> Iterator[Sequence[str]]:
    yield ("setting", values.GOALS[goal], "against the start")
    for entry in history:
        if entry["turn"]["kind"] == search.PROVE:
            continue
        name = setting(entry["turn"]["setting"])
        if entry.get("problem"):
            yield (name, "-", str(entry["problem"]))
        else:
            start = entry is history[0]
            gain = "" if start else _gain(entry["result"], history[0]["result"], goal)
            yield (name, ", ".join(_figures(entry["result"], goal)), gain)


def _matter(end: search.Ending) -> Iterator[str]:
    words = {
        "better": "what helped",
        "worse": "what was worse than the best by then",
        "same": "what did not matter",
        "refused": "what the hosts do not take, or have already",
    }
    kinds = {"close": "same"}
    for outcome, title in words.items():
        rows = [one for one in end.found if kinds.get(one.outcome, one.outcome) == outcome]
        if rows:
            yield f"{title}: {'; '.join(_said(one) for one in rows)}"


def _said(one: Found) -> str:
    size = f" ({percent(one.gain)}, within {100 * 2 * one.error:.1f} %)" if one.error else ""
    return f"{one.axis} {one.value}{size}" + (f" ({one.why})" if one.why else "")


def inventory(axes: Sequence[Json], chosen: Mapping[str, str]) -> list[str]:
    """The lines to paste: one description where all hosts get the same, else one for each host."""
    hosts = sorted({host for axis in axes for part in axis["values"].values() for host in part})
    own = {host: values.together(axes, chosen, host) for host in hosts}
    own = {host: merged(options) for host, options in own.items() if options["nics"] or options["sysctl"]}
    distinct = {yaml.safe_dump(plain(options), sort_keys=True) for options in own.values()}
    if len(own) > 1 and len(distinct) == 1:
        return [f"  # group_vars of {', '.join(own)}", *_lines("tuning_group", next(iter(own.values())))]
    return [
        line for host, options in own.items() for line in (f"  # host_vars/{host}.yml", *_lines("tuning_host", options))
    ]


def merged(options: Json) -> Json:
    """One entry for each NIC, with all that is about it."""
    by_name: dict[str, Json] = {}
    for entry in options["nics"]:
        whole = by_name.setdefault(entry["name"], {"name": entry["name"]})
        for key, value in entry.items():
            whole[key] = {**whole[key], **value} if isinstance(whole.get(key), dict) else value
    return {"nics": list(by_name.values()), "sysctl": options["sysctl"]}


def _lines(prefix: str, options: Json) -> Iterator[str]:
    for word in ("nics", "sysctl"):
        if options[word]:
            text = yaml.safe_dump({f"{prefix}_{word}": plain(options[word])}, sort_keys=False, width=100)
            yield from (f"  {line}" for line in text.splitlines())


def _aligned(table: Any) -> Iterator[str]:
    rows = list(table)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
