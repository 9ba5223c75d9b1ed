# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a change stays: what is proved to be worse goes back, by more than what is tolerated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

from . import foreign, sequence
from .figures import figure
from .result import ResultError
from .sequence import AFTER, BEFORE, Block
from .table import say, written

Json = dict[str, Any]

FIGURES = (
    *("sum", "minimum", "fairness", "single"),
    *("latency_median", "latency_p95", "latency_p99", "latency_lost", "idle_median", "idle_p95", "idle_p99"),
    *("tcp_rtt", "loss", "jitter", "packets", "cpu_per_gigabit_client", "cpu_per_gigabit_server"),
)
# Those of which less is better.
LESS = {*FIGURES[4:]} - {"packets"}
# What is asked by the way, where it was measured: one of each kind, for each question more makes the others weaker.
_BY_THE_WAY = ("sum", "minimum", "fairness", "single", "latency_p99", "idle_p99", "loss", "packets")
# How a figure comes to be measured that is not in every result.
_NEEDS = {
    "single": "benchmark_single",
    "loss": "benchmark_udp",
    "jitter": "benchmark_udp",
    "packets": "benchmark_packets",
    "tcp_rtt": "the direction up in benchmark_directions, because iperf3 does not report it for the other one",
}
# With fewer, before and after have not alternated.
_TURNS = 4
# What two results must have in common: other values measure something else.
SAME = ("directions", "duration", "omit", "parallel", "protocol", "window", "bitrate", "fio", "quiet", "udp")


def directions(figures: Json) -> list[str]:
    """The directions that a group has figures of."""
    return [way for way in figures if way != "asymmetry"]


def foresee(before: Json | None, plan: Json, chosen: str, tolerance: float) -> None:
    """ResultError where no measurement by this plan could be judged, or not against the result before it."""
    _check_words(chosen, tolerance)
    options = plan["options"]
    if chosen in ("loss", "jitter") and not options.get("udp") and options["protocol"] != "udp":
        raise ResultError(f"prove_figure: {chosen} needs benchmark_udp, the rate to send at, such as 10M")
    if chosen.startswith(("latency", "idle")) and not options.get("latency"):
        raise ResultError(f"prove_figure: {chosen} needs benchmark_latency")
    if chosen == "tcp_rtt" and "up" not in options["directions"]:
        raise ResultError(f"prove_figure: {chosen} needs {_NEEDS[chosen]}")
    if before:
        _check_alike(before, {"options": plan["options"], "groups": {group["name"]: group for group in plan["groups"]}})
        for name in before["groups"]:
            _ways([before], name, chosen)


def decide(
    results: Sequence[tuple[str, Json]],
    changed: Collection[str] | None,
    chosen: str,
    tolerance: float,
    failure: str = "",
    missed: Collection[str] = (),
    schedule: Sequence[Block] = (),
    last: bool = True,
) -> Json:
    """For each group what the runs say of its changes, and for each host what becomes of it.

    `results` are those of before and after in the order of time, as far as they were measured by the `schedule`;
    without one they are looked at once, all together. `failure` tells why there are no more, or none of after.
    Nothing is known of `changed` hosts where two saved results are compared. Hosts that were `missed` by the way back
    go back later, when their time is over.
    """
    _check_words(chosen, tolerance)
    first = results[0][1]
    for _side, one in results[1:]:
        _check_alike(first, one)
    schedule = schedule or [Block(side, 0) for side, _result in results]
    tried = any(side == AFTER for side, _result in results)
    groups, hosts = {}, {}
    for name, group in first["groups"].items():
        rows = _rows(results, name, chosen, schedule, last) if tried else []
        outcome = _worst(rows) if tried else "worse"
        lost = max((abs(row["change"]) for row in rows if row["outcome"] == "worse"), default=1.0)
        back = outcome == "worse" and lost > tolerance
        others = [other for other in _BY_THE_WAY if other != chosen and tried and _has(results, name, other)]
        compared = [row for other in others for row in _others(results, name, other, len(others))]
        turns = len(list(groupby(side for side, _result in results)))
        why = _why(rows, outcome, back, tolerance, turns, failure) if tried else failure
        for host in group["hosts"]:
            here = host in (changed or ())
            rest = {"changed": here, "missed": back and here and host in missed, "group": name, "why": why}
            hosts[host] = {"roll_back": back and here, **rest}
        touched = changed is None or any(hosts[host]["changed"] for host in group["hosts"])
        groups[name] = {
            "keep": not back,
            "outcome": outcome if touched else "nothing was changed",
            "fate": _fate(back, touched, changed is None),
            "why": why,
            "rows": [*rows, *compared],
        }
        again = _retransmits(results, name) if tried else {}
        groups[name].update({"retransmits": again} if again else {})
        load = foreign.compared(results, name)
        groups[name].update({"foreign": load} if load else {})
    open_ = [group for group in groups.values() if group["outcome"] == "undecided" and not _settled(group, tolerance)]
    return {
        "figure": chosen,
        "compared": changed is None,
        "tolerance": tolerance,
        "enough": not open_ or any(not group["keep"] for group in groups.values()),
        "groups": groups,
        "hosts": hosts,
        "differences": _first_and_last(results),
    }


def ways(results: Sequence[Json], chosen: str) -> int:
    """In how many directions the figure is looked at, of the group that has most."""
    return max(len(_ways(results, name, chosen)) for name in results[0]["groups"])


def _ways(results: Sequence[Json], name: str, chosen: str) -> list[str]:
    """The directions in which a group has the figure, in all results alike."""
    of_each = [result["groups"][name]["figures"] for result in results]
    for way in directions(of_each[0]):
        if any(way not in figures for figures in of_each):
            raise ResultError(f"not all results have the direction {way}")
    found = [way for way in directions(of_each[0]) if any(chosen in figures[way] for figures in of_each)]
    if any(chosen not in figures[way] for figures in of_each for way in found):
        raise ResultError(f"not all of the results have the figure '{chosen}'")
    if not found:
        need = _NEEDS.get(chosen, "benchmark_latency" if chosen.startswith(("latency", "idle")) else "")
        raise ResultError(f"the figure '{chosen}' was not measured" + (f"; it needs {need}" if need else ""))
    return found


def _has(results: Sequence[tuple[str, Json]], name: str, figure: str) -> bool:
    try:
        return bool(_ways([result for _side, result in results], name, figure))
    except ResultError:
        return False


def _retransmits(results: Sequence[tuple[str, Json]], name: str) -> dict[str, tuple[float, float]]:
    """By direction how many segments were sent again in a run before and after, where all results tell; no test."""
    found = {}
    for way in directions(results[0][1]["groups"][name]["figures"]):
        told = [(side, result["groups"][name]["figures"].get(way, {}).get("retransmits")) for side, result in results]
        if all(one for _side, one in told):
            runs = {
                either: [n for side, one in told if side == either for n in one["values"]] for either in (BEFORE, AFTER)
            }
            found[way] = (figure(runs[BEFORE])["median"], figure(runs[AFTER])["median"])
    return found


def _rows(
    results: Sequence[tuple[str, Json]], name: str, chosen: str, schedule: Sequence[Block], last: bool, others: int = 1
) -> list[Json]:
    """One row for each direction: how the figure was and is, and whether it is `better`, `worse` or `undecided`."""
    found = _ways([result for _side, result in results], name, chosen)
    return [_row(results, name, chosen, way, schedule, last, len(found) * others) for way in found]


def _row(
    results: Sequence[tuple[str, Json]],
    name: str,
    chosen: str,
    way: str,
    schedule: Sequence[Block],
    last: bool,
    questions: int,
) -> Json:
    measured = [(side, result["groups"][name]["figures"][way][chosen]["values"]) for side, result in results]
    old, new = (
        figure([value for side, runs in measured if side == either for value in runs]) for either in (BEFORE, AFTER)
    )
    # The test asks whether after lies higher. Of what should be low, it gets the negative.
    sign = -1 if chosen in LESS else 1
    signed = [(side, [sign * value for value in runs]) for side, runs in measured]
    found = sequence.find(signed, schedule, questions, last)
    around = sorted(sign * end for end in found.interval) if found.interval else None
    scale = abs(old["median"]) or abs(new["median"]) or 1.0
    return {
        "direction": way,
        "figure": chosen,
        "before": old,
        "after": new,
        "outcome": found.outcome,
        "shift": sign * found.shift,
        "interval": around,
        "change": sign * found.shift / scale,
        # None of these figures falls below nothing, however wide the noise makes the interval.
        "between": [max(end / scale, -1.0) for end in around] if around else None,
        "chance": min(1.0, found.chance * questions),
        "drifts": found.drifts,
        "runs": found.runs,
    }


def _others(results: Sequence[tuple[str, Json]], name: str, figure_: str, number: int) -> list[Json]:
    """The rows of a figure that decides nothing: looked at once, and corrected for the number of such figures."""
    return _rows(results, name, figure_, [Block(side, 0) for side, _result in results], True, number)


def _worst(rows: Sequence[Json]) -> str:
    """Harm in one direction is not made good by the other one."""
    outcomes = {row["outcome"] for row in rows}
    return next(word for word in ("worse", "better", "undecided") if word in outcomes)


def _settled(group: Json, tolerance: float) -> bool:
    """Whether more runs would be of no use: nothing that matters can be hidden in any direction any more."""
    spans = [row["between"] for row in group["rows"] if row["figure"] == group["rows"][0]["figure"]]
    return all(span and -tolerance <= span[0] and span[1] <= tolerance for span in spans)


def _fate(back: bool, touched: bool, compared: bool) -> str:
    """What becomes of the changes of a group, in a word or two."""
    if compared or not touched:
        return ""
    return "rolled back" if back else "kept"


def _check_words(chosen: str, tolerance: float) -> None:
    if chosen not in FIGURES:
        raise ResultError(f"prove_figure: {chosen} is none of {', '.join(FIGURES)}")
    if not 0 <= tolerance < 1:
        raise ResultError(f"prove_tolerance: {tolerance:g} is no share from 0 to 1, such as 0.05 for 5 %")


def _check_alike(before: Json, after: Json) -> None:
    """ResultError where two results are about different things."""
    for key in SAME:
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


def differences(before: Json, after: Json) -> dict[str, list[tuple[str, str, str]]]:
    """The settings that are not the same in two results, by host: which, and what they were and are."""
    found = {}
    for host in before["hosts"]:
        old, new = (dict(_leaves(result["hosts"].get(host, {}))) for result in (before, after))
        rows = [
            (key, old.get(key, "none"), new.get(key, "none")) for key in {**old, **new} if old.get(key) != new.get(key)
        ]
        if rows:
            found[host] = rows
    return found


def _leaves(content: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _leaves(value, f"{path} {key}".strip())
    else:
        yield path, written(content)


def _first_and_last(results: Sequence[tuple[str, Json]]) -> dict[str, list[tuple[str, str, str]]]:
    """What differs between the first measurement before and the last one after."""
    old = next(result for side, result in results if side == BEFORE)
    new = next((result for side, result in reversed(results) if side == AFTER), None)
    return differences(old, new) if new else {}


def _why(rows: Sequence[Json], outcome: str, back: bool, tolerance: float, turns: int, failure: str) -> str:
    parts = [words(row) for row in rows]
    if outcome == "worse" and not back:
        parts.append(f"so much ({tolerance:.0%}) is tolerated")
    if outcome != "undecided" and turns < _TURNS:
        parts.append("measured in blocks, so what the network did by itself meanwhile counts as well")
    if failure:
        parts.append(f"the proof ended early: {failure}")
    return "; ".join(parts)


def words(row: Json) -> str:
    """One row in words for a person who has never heard of a test."""
    old, new = (say(row["figure"], row[side]["median"]) for side in (BEFORE, AFTER))
    what = f"{row['figure']} {row['direction']}: from {old} to {new}, "
    span = row["between"]
    size = f"{row['change']:+.1%}" + (
        f", with 99 % certainty between {span[0]:+.1%} and {span[1]:+.1%}" if span else ""
    )
    if row["outcome"] != "undecided":
        return f"{what}{row['outcome']} ({size}; {odds(row['chance'])})"
    if row["drifts"]:
        return f"{what}undecided ({size}; the network also changed by itself meanwhile, which could be the reason)"
    if not span:
        runs = min(len(row[side]["values"]) for side in (BEFORE, AFTER))
        few = f"{runs} runs are" if row["runs"] == runs else f"{row['runs']} of {runs} runs were measured in turns,"
        return f"{what}undecided ({few} too few to tell a change from chance)"
    often = "" if row["chance"] > 0.5 else ", which is too often for an answer"
    return f"{what}undecided ({size}; {odds(row['chance'])}{often})"


def odds(chance: float) -> str:
    """How often chance alone shows as much, in words."""
    if chance > 0.5:
        return "chance alone shows as much more often than not"
    number = round(1 / chance)
    return f"chance alone shows as much once in {number if number < 1e6 else 'more than a million'} times"
