# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the history of a group as a page that stands on its own: each figure over time, changes of settings, breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import page
from . import charts, history
from .history import Line, Series
from .table import say, written

_MEANING = (
    "A break is marked where the results before it and after it differ more than chance alone would show anywhere: of "
    "a hundred pages without any change, one at most has a mark. A slow drift and a network that stays good or bad for "
    "days are changes too, and the settings beside a break are those that changed at the same time, which need not be "
    "the reason."
)


def write(found: Sequence[Series]) -> str:
    """The HTML of the whole page."""
    sections = [_fallen(found), *(_series(series, number) for number, series in enumerate(found, 1))]
    count = sum(len(series.results) for series in found)
    return page.document("Network measurements over time", f"{count} results of {len(found)} series.", sections)


def _fallen(found: Sequence[Series]) -> page.Section:
    """All breaks, those that are for the worse and last first."""
    fell = history.fell(found)
    rows = []
    for series in found:
        for line in series.lines:
            for one in line.breaks:
                tone = "good" if line.better(one) else "high"
                word = page.badge("better" if line.better(one) else "worse", tone)
                about = page.join(page.tag("div", text) for text in history.about(series, line, one))
                order = (series, line, one) not in fell, -one.position
                rows.append((order, (word, series.name, line.title, history.words(series, line, one), about)))
    rows.sort(key=lambda row: row[0])
    heads = ("break", "group", "figure", "what happened", "what changed at the same time")
    body = page.table(heads, [row for _order, row in rows]) if rows else page.tag("p", "No figure has a break.")
    style = page.tag("style", page.Html(charts.CSS))
    return page.Section("breaks", "Breaks", page.join((style, body, page.tag("p", _MEANING, class_="soft"))))


def _series(series: Series, number: int) -> page.Section:
    parts: list[page.Html] = []
    for line in series.lines:
        parts.append(page.tag("h3", line.title.capitalize()))
        parts += _line(series, line)
    times = series.times
    lead = f"{len(times)} results from {times[0][:10]} to {times[-1][:10]}."
    parts.append(page.tag("h3", "Changes of settings"))
    parts.append(_changes(series))
    options = page.facts((key, written(value)) for key, value in series.options.items() if value not in (None, "", {}))
    parts.append(page.details("How it was measured", options))
    return page.Section(f"series{number}", series.name, page.join(parts), lead)


def _line(series: Series, line: Line) -> Iterator[page.Html]:
    times = [series.times[position] for position in line.positions]
    changed = [
        position
        for position, number in enumerate(line.positions)
        if position and _since(series, line, position, number)
    ]
    marks = {one.position: "good" if line.better(one) else "high" for one in line.breaks}
    for one in line.breaks:
        yield page.tag("p", page.badge("better" if line.better(one) else "worse", marks[one.position]), " ",
                       history.words(series, line, one))  # fmt: skip
    yield charts.course(line.title, line.figure, times, line.values, changed, marks)
    rows = [
        (
            time,
            say(line.figure, value),
            "; ".join(_since(series, line, position, number)),
            "break" * (position in marks),
        )
        for position, (time, value, number) in enumerate(zip(times, line.values, line.positions, strict=True))
    ]
    heads = ("ended", line.figure, "settings that changed since the one before", "break")
    yield page.details("The data of this chart", page.table(heads, rows, numeric=(1,)), class_="screen")


def _since(series: Series, line: Line, position: int, number: int) -> list[str]:
    """What changed since the value before this one."""
    first = line.positions[position - 1] + 1 if position else number
    rows = [change for one in range(first, number + 1) for change in series.changes.get(one, ())] if position else []
    return [f"{host} {what}: {old} to {new}" for host, what, old, new in rows]


def _changes(series: Series) -> page.Html:
    rows = [(series.times[position], *row) for position, found in sorted(series.changes.items()) for row in found]
    if not rows:
        return page.tag("p", "None of the settings that a result holds has changed.")
    table = page.table(("before the result of", "host", "setting", "before", "after"), rows)
    return page.details(f"{len(rows)} changes", table)
