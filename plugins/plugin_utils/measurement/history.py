# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the results of the same hosts side by side: each figure over time, the settings that changed, and the breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from . import breaks, verdict
from .breaks import Break
from .table import say

Json = dict[str, Any]


class Line(NamedTuple):
    """One figure in one direction: the numbers of the results that have it, its values, and its breaks."""

    direction: str
    figure: str
    positions: list[int]
    values: list[float]
    breaks: list[Break]

    @property
    def title(self) -> str:
        return f"{self.figure} {self.direction}"

    def better(self, one: Break) -> bool:
        """Whether the figure is better after a break than before it."""
        less = self.figure in verdict.LESS or self.figure == "retransmits"
        return less == (one.after < one.before)


class Series(NamedTuple):
    """Results that measured the same between the same hosts, in the order of time.

    `changes` has by number of a result what differs from the one before it: host, setting, old and new value.
    """

    name: str
    options: Json
    results: list[Json]
    changes: dict[int, list[tuple[str, str, str, str]]]
    lines: list[Line]

    @property
    def times(self) -> list[str]:
        return [str(result["ended"]) for result in self.results]

    def between(self, line: Line, one: Break) -> list[tuple[str, str, str, str]]:
        """What changed between the last value before a break and the first after it."""
        last, first = line.positions[one.position - 1], line.positions[one.position]
        return [change for number in range(last + 1, first + 1) for change in self.changes.get(number, ())]

    def reasons(self, line: Line, one: Break) -> tuple[str, str]:
        """What held back most pairs in the last result before a break, and in the first after it."""
        last, first = (_reason(self.results[line.positions[one.position - back]], self.name, line) for back in (1, 0))
        return last, first


def make(results: Iterable[Json]) -> list[Series]:
    """All series of the results, each with its breaks; together they are wrong once in a hundred times at most."""
    found: dict[Any, list[Json]] = {}
    for result in sorted(results, key=lambda result: str(result["ended"])):
        for name, group in result["groups"].items():
            found.setdefault((name, _same(result, group)), []).append(result)
    drawn = [(name, rows, list(_values(rows, name))) for (name, _same_), rows in found.items()]
    questions = sum(len(lines) for _name, _rows, lines in drawn)
    return [
        Series(
            name,
            rows[-1]["options"],
            rows,
            _changes(rows, name),
            [Line(*line, breaks.find(line[3], breaks.ERROR / questions)) for line in lines],
        )
        for name, rows, lines in drawn
    ]


def _same(result: Json, group: Json) -> str:
    """Results are comparable where this is equal."""
    options = result.get("options", {})
    return repr([group.get("topology"), group.get("hosts"), *(options.get(key) or None for key in verdict.SAME)])


def _values(results: Sequence[Json], name: str) -> Iterator[tuple[str, str, list[int], list[float]]]:
    figures = [result["groups"][name]["figures"] for result in results]
    ways = dict.fromkeys(way for one in figures for way in verdict.directions(one))
    for way in ways:
        for figure in (*verdict.FIGURES, "retransmits"):
            told = [(position, one[way].get(figure)) for position, one in enumerate(figures) if way in one]
            rows = {position: one["median"] for position, one in told if one}
            if rows:
                yield way, figure, list(rows), list(rows.values())


def _changes(results: Sequence[Json], name: str) -> dict[int, list[tuple[str, str, str, str]]]:
    hosts = results[-1]["groups"][name]["hosts"]
    found = {}
    for position, (old, new) in enumerate(zip(results, results[1:]), 1):
        told = verdict.differences(old, new)
        rows = [(host, *row) for host in hosts for row in told.get(host, ())]
        if rows:
            found[position] = rows
    return found


def _reason(result: Json, name: str, line: Line) -> str:
    pairs = result["groups"][name].get("bottlenecks", {}).get(line.direction, {})
    words = Counter(row["where"] for row in pairs.values())
    return words.most_common(1)[0][0] if words else ""


def fell(found: Sequence[Series]) -> list[tuple[Series, Line, Break]]:
    """The figures whose last break was for the worse, so that they are not what they were."""
    last = [(series, line, line.breaks[-1]) for series in found for line in series.lines if line.breaks]
    return [(series, line, one) for series, line, one in last if not line.better(one)]


def words(series: Series, line: Line, one: Break) -> str:
    """A break in a sentence."""
    old, new = say(line.figure, one.before), say(line.figure, one.after)
    size = f"{one.shift / abs(one.before):+.1%}, " if one.before else ""
    when = series.times[line.positions[one.position]][:10]
    word = "better" if line.better(one) else "worse"
    how = f"has crept, with its middle at {when}" if one.crept else f"broke, first seen on {when}"
    return f"{how}: {word}, from {old} to {new} ({size}{odds(one.chance)})"


def odds(chance: float) -> str:
    """How often chance shows a break like this anywhere in a history, in words."""
    return f"chance alone shows as much once in {round(1 / chance)} histories"


def lines(found: Sequence[Series]) -> list[str]:
    """For the terminal."""
    told: list[str] = []
    for series in found:
        times = series.times
        told += [f"{series.name} ({len(times)} results, {times[0][:10]} to {times[-1][:10]})"]
        for line in series.lines:
            for one in line.breaks:
                told.append(f"  {line.title} {words(series, line, one)}")
                told += [f"    {text}" for text in about(series, line, one)]
        steady = [line.title for line in series.lines if not line.breaks]
        told += [f"  no break: {', '.join(steady)}"] if steady else []
        told.append("")
    return told[:-1]


def about(series: Series, line: Line, one: Break) -> list[str]:
    """What came with a break: settings, and what holds the pairs back."""
    rows = series.between(line, one)
    told = [f"{host} {what}: {old} before, {new} after" for host, what, old, new in rows[:_SHOWN]]
    told += [f"and {len(rows) - _SHOWN} settings more"] if len(rows) > _SHOWN else []
    told += [] if rows else ["none of the settings that a result holds changed then"]
    before, after = series.reasons(line, one)
    return [*told, f"held back by {before} before, and {after} after"] if before != after and before and after else told


# Settings that are named with a break before the rest is a number.
_SHOWN = 5
