# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the charts of a report as SVG that stands in the page; colours are those of the page, light or dark.

Lengths across are shares of the width, text and lines have their own size: a phone draws the chart anew instead of
shrinking it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from math import floor, log10
from typing import NamedTuple

from .. import page
from .figures import Figure
from .table import say, unit

# The plot takes this share of the width; what is right of it are the values.
_PLOT = 74.0
_TEXT, _BAR, _GAP, _AXIS = 18, 12, 14, 34

CSS = """
svg.chart { display: block; width: 100%; max-width: 48rem; margin: .3rem 0 .2rem; font-size: 13px; overflow: visible; }
svg.chart text { fill: currentColor; }
svg.chart text.axis { fill: var(--soft); }
svg.chart .line { stroke: var(--line); }
svg.chart .before { fill: var(--note); }
svg.chart .now { fill: var(--way); }
svg.chart .halo { stroke: var(--ground); stroke-width: 5; }
svg.chart .whisker { stroke: currentColor; stroke-width: 2; }
svg.chart .course { stroke: var(--way); stroke-width: 1.5; opacity: .5; }
svg.chart .changed { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 3 3; }
svg.chart .broke { stroke: var(--high); stroke-width: 4; opacity: .7; }
svg.chart .broke.good { stroke: var(--good); }
.key { display: flex; gap: .2rem 1.2rem; flex-wrap: wrap; font-size: .85rem; color: var(--soft); }
.key span::before {
  content: ""; display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .4rem;
  background: var(--way); vertical-align: -.1rem;
}
.key .before::before { background: var(--note); }
@media print {
  main { zoom: .7; }
  h4 { margin: .5rem 0 0; }
  #settings, #options { display: none; }
  svg.chart { break-inside: avoid; max-width: none; }
  .tiles { grid-template-columns: repeat(6, 1fr); }
  h2 { margin-top: 1rem; }
  h3 { margin-top: .8rem; }
  header { padding: 0 0 .3rem; }
  * { print-color-adjust: exact; }
}
"""


class Row(NamedTuple):
    """One line of a chart: what was measured, and before the change if there was one."""

    label: str
    now: Figure
    before: Figure | None = None

    @property
    def parts(self) -> list[tuple[str, Figure]]:
        """What to draw, with the class that it is drawn in."""
        return [*([("before", self.before)] if self.before else []), ("now", self.now)]


def bars(title: str, name: str, rows: Sequence[Row]) -> page.Html:
    """A bar for each row, from the least to the most run as a whisker; before above after, with the value of each."""
    scale = _Scale(name, [figure["most"] for row in rows for _kind, figure in row.parts])
    parts: list[page.Html] = []
    y = 0.0
    for row in rows:
        parts.append(_text("0", y + _TEXT / 2 + 2, row.label))
        y += _TEXT
        for kind, figure in row.parts:
            middle = y + _BAR / 2
            parts.append(page.tag("rect", x=0, y=y, width=scale.at(figure["median"]), height=_BAR, rx=2, class_=kind))
            parts += _whisker(scale.at(figure["least"]), scale.at(figure["most"]), middle)
            parts.append(_text(f"{_PLOT + 1.5}%", middle + 1, say(name, figure["median"])))
            y += _BAR + 3
        y += _GAP - 3
    return _chart(title, scale, y, parts)


def dots(title: str, name: str, row: Row) -> page.Html:
    """The distribution: each run is a dot, so that one can see whether a difference is more than chance."""
    scale = _Scale(name, [figure["most"] for _kind, figure in row.parts])
    parts: list[page.Html] = []
    y = 0.0
    for kind, figure in row.parts:
        middle = y + _TEXT / 2
        parts.append(page.tag("line", x1=0, x2=f"{_PLOT}%", y1=middle, y2=middle, class_="line"))
        for value in figure["values"]:
            about = page.tag("title", say(name, value))
            parts.append(page.tag("circle", about, cx=scale.at(value), cy=middle, r=5, class_=kind, fill_opacity=0.7))
        parts.append(_text(f"{_PLOT + 1.5}%", middle + 1, say(name, figure["median"])))
        y += _TEXT + 4
    return _chart(title, scale, y, parts)


def columns(title: str, numbers: Sequence[int]) -> page.Html:
    """Bytes by transmit queue, a column for each."""
    scale = _Scale("bytes", numbers)
    tall, left = 110, 16.0
    wide = (100 - left) / max(len(numbers), 1)
    parts = []
    for tick in scale.ticks:
        y = tall - tall * tick / scale.most + 8
        parts.append(page.tag("line", x1=f"{left}%", x2="100%", y1=y, y2=y, class_="line"))
        parts.append(_text(f"{left - 1.5}%", y, scale.label(tick), "end", "axis"))
    every = max(1, len(numbers) // 8)
    for queue, number in enumerate(numbers):
        x, high = left + queue * wide, tall * number / scale.most
        about = page.tag("title", f"queue {queue}: {number} bytes")
        box = {"x": f"{x + wide * 0.1:.2f}%", "width": f"{wide * 0.8:.2f}%", "y": f"{tall - high + 8:.1f}"}
        parts.append(page.tag("rect", about, **box, height=f"{high:.1f}", class_="now"))
        if queue % every == 0:
            parts.append(_text(f"{x + wide / 2:.2f}%", tall + 20, str(queue), "middle", "axis"))
    parts.append(_text("100%", tall + 36, "transmit queue", "end", "axis"))
    parts.append(_text("0", tall + 36, scale.unit, "start", "axis"))
    return _svg(title, tall + 46, parts)


def course(
    title: str,
    name: str,
    times: Sequence[str],
    values: Sequence[float],
    changed: Sequence[int],
    marks: Mapping[int, str],
) -> page.Html:
    """A figure over time: a dot for each result, a thin line where settings changed, a thick one where it broke."""
    scale = _Scale(name, values)
    tall, left, right = 130, 14.0, 98.0
    moments = [_moment(time) for time in times]
    span = (moments[-1] - moments[0]) or 1.0
    xs = [left + 2 + (right - left - 2) * (moment - moments[0]) / span for moment in moments]
    ys = [tall + 8 - tall * value / scale.most for value in values]
    parts: list[page.Html] = []
    for tick in scale.ticks:
        y = tall - tall * tick / scale.most + 8
        parts.append(page.tag("line", x1=f"{left}%", x2="100%", y1=y, y2=y, class_="line"))
        parts.append(_text(f"{left - 1.5}%", y, scale.label(tick), "end", "axis"))
    for index in changed:
        x = f"{(xs[index - 1] + xs[index]) / 2:.2f}%"
        about = page.tag("title", f"settings changed before {times[index]}")
        parts.append(page.tag("line", about, x1=x, x2=x, y1=8, y2=tall + 14, class_="changed"))
    for index, tone in marks.items():
        x = f"{(xs[index - 1] + xs[index]) / 2:.2f}%"
        parts.append(page.tag("line", x1=x, x2=x, y1=2, y2=tall + 8, class_=f"broke {tone}"))
    for one in range(len(values) - 1):
        across = {"x1": f"{xs[one]:.2f}%", "x2": f"{xs[one + 1]:.2f}%"}
        parts.append(page.tag("line", **across, y1=f"{ys[one]:.1f}", y2=f"{ys[one + 1]:.1f}", class_="course"))
    for right_of, up, time, value in zip(xs, ys, times, values, strict=True):
        about = page.tag("title", f"{time}: {say(name, value)}")
        parts.append(page.tag("circle", about, cx=f"{right_of:.2f}%", cy=f"{up:.1f}", r=3.5, class_="now"))
    parts.append(_text(f"{xs[0]:.2f}%", tall + 24, times[0][:10], "start", "axis"))
    if len(times) > 1:
        parts.append(_text(f"{right}%", tall + 24, times[-1][:10], "end", "axis"))
    parts.append(_text("0", tall + 24, scale.unit, "start", "axis"))
    return _svg(title, tall + 36, parts)


def _moment(time: str) -> float:
    """Seconds, of a time as results have it."""
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


class _Scale:
    """From nothing to a round number above all values, in one unit."""

    def __init__(self, name: str, values: Sequence[float]) -> None:
        top = max([1.0] if name == "fairness" else values, default=0) or 1.0
        self.unit, self.size = unit(name, top)
        self.step = _round(top / 4)
        count = next(number for number in range(1, 12) if number * self.step >= top * 0.999)
        self.most = self.step * count
        self.ticks = [self.step * number for number in range(count + 1)]

    def at(self, value: float) -> str:
        return f"{_PLOT * value / self.most:.2f}%"

    def label(self, tick: float) -> str:
        return f"{tick / self.size:g}"


def _round(rough: float) -> float:
    """The next number that is 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)


def _whisker(one: str, other: str, y: float) -> Iterator[page.Html]:
    for kind in ("halo", "whisker"):
        yield page.tag("line", x1=one, x2=other, y1=y, y2=y, class_=kind)
        for end in (one, other):
            yield page.tag("line", x1=end, x2=end, y1=y - 5, y2=y + 5, class_=kind)


def _chart(title: str, scale: _Scale, y: float, parts: Sequence[page.Html]) -> page.Html:
    """The plot on its axis, which has ticks in round numbers and the unit."""
    axis = []
    for index, tick in enumerate(scale.ticks):
        x = scale.at(tick)
        axis.append(page.tag("line", x1=x, x2=x, y1=0, y2=y + 4, class_="line"))
        axis.append(_text(x, y + 14, scale.label(tick), "middle" if index else "start", "axis"))
    axis.append(_text("100%", y + 14, scale.unit, "end", "axis"))
    return _svg(title, y + _AXIS - 8, [*axis, *parts])


def _text(x: str, y: float, text: str, anchor: str = "start", kind: str | None = None) -> page.Html:
    return page.tag("text", text, x=x, y=f"{y:.1f}", text_anchor=anchor, dominant_baseline="middle", class_=kind)


def _svg(title: str, height: float, parts: Sequence[page.Html]) -> page.Html:
    return page.tag("svg", page.tag("title", title), *parts, class_="chart", height=f"{height:.0f}", role="img")
