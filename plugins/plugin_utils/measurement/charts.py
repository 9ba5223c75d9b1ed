# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the charts of a report as SVG that stands in the page; colours are those of the page, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import page
from .figures import Figure
from .table import rate, say

_WIDTH, _LABEL, _VALUE = 760, 190, 110
_PLOT = _WIDTH - _LABEL - _VALUE
_ROW, _BAR = 30, 10

CSS = """
svg.chart { display: block; width: 100%; max-width: 48rem; height: auto; margin: .5rem 0 1rem; font-size: 12px; }
svg.chart text { fill: currentColor; } svg.chart .line { stroke: var(--line); } svg.chart .soft { fill: var(--soft); }
svg.chart .before { fill: var(--note); } svg.chart .now { fill: var(--way); }
svg.chart .whisker { stroke: currentColor; }
"""


class Row(NamedTuple):
    """One line of a chart: what was measured, and before the change if there was one."""

    label: str
    now: Figure
    before: Figure | None = None


def bars(title: str, rows: Sequence[Row]) -> page.Html:
    """Throughput, a bar for each row with the spread of the runs as a whisker; before and after one below the other."""
    most = max((figure["most"] for row in rows for figure in _both(row)), default=0) or 1
    parts = []
    for number, row in enumerate(rows):
        top = number * _ROW + 4
        figures = _both(row)
        parts.append(_text(_LABEL - 8, top + _ROW / 2, row.label, "end"))
        for place, figure in enumerate(figures):
            thick = _BAR if len(figures) > 1 else 2 * _BAR - 4
            y = top + 3 + place * (thick + 1)
            kind = "before" if len(figures) > 1 and place == 0 else "now"
            parts += _bar(figure, most, y, thick, kind)
        values = " > ".join(rate(figure["median"]) for figure in figures)
        parts.append(_text(_LABEL + _PLOT + 8, top + _ROW / 2, rate(figures[-1]["median"]), "start", values))
    return _svg(title, len(rows) * _ROW + 8, parts)


def _both(row: Row) -> list[Figure]:
    return [row.before, row.now] if row.before else [row.now]


def _bar(figure: Figure, most: float, y: float, thick: float, kind: str) -> list[page.Html]:
    """The median as a bar, from the least to the most as a line."""
    length, least, end = (_PLOT * figure[key] / most for key in ("median", "least", "most"))
    middle = y + thick / 2
    median = page.tag("rect", x=_LABEL, y=y, width=f"{length:.1f}", height=thick, rx=2, class_=kind)
    line = page.tag(
        "line", x1=f"{_LABEL + least:.1f}", x2=f"{_LABEL + end:.1f}", y1=middle, y2=middle, class_="whisker"
    )
    return [median, line]


def dots(title: str, name: str, rows: Sequence[Row]) -> page.Html:
    """The distribution: each run is a dot, so that one can see whether a difference is more than chance."""
    lines = [
        (f"{row.label}{when}", figure, kind)
        for row in rows
        for when, figure, kind in (
            [(" before", row.before, "before"), (" after", row.now, "now")] if row.before else [("", row.now, "now")]
        )
    ]
    most = max((figure["most"] for _label, figure, _kind in lines), default=0) or 1
    parts = []
    for number, (label, figure, kind) in enumerate(lines):
        y = number * 22 + 15
        parts.append(_text(_LABEL - 8, y, label, "end"))
        parts.append(page.tag("line", x1=_LABEL, x2=_LABEL + _PLOT, y1=y, y2=y, class_="line"))
        for value in figure["values"]:
            place = f"{_LABEL + _PLOT * value / most:.1f}"
            parts.append(page.tag("circle", page.tag("title", say(name, value)), cx=place, cy=y, r=5, class_=kind))
        parts.append(_text(_LABEL + _PLOT + 12, y, say(name, figure["median"]), "start"))
    return _svg(title, len(lines) * 22 + 10, parts)


def columns(title: str, numbers: Sequence[int]) -> page.Html:
    """Bytes by transmit queue, a column for each."""
    most, height = max(numbers, default=0) or 1, 90
    width = min(28.0, (_WIDTH - 20) / max(len(numbers), 1))
    parts = []
    for queue, number in enumerate(numbers):
        tall = height * number / most
        about = page.tag("title", f"queue {queue}: {number} bytes")
        x = f"{10 + queue * width:.1f}"
        parts.append(
            page.tag(
                "rect",
                about,
                x=x,
                y=f"{height - tall:.1f}",
                width=f"{width - 2:.1f}",
                height=f"{tall:.1f}",
                class_="now",
            )
        )
        if width > 14 or queue % 8 == 0:
            parts.append(_text(10 + queue * width + width / 2 - 1, height + 10, str(queue), "middle"))
    parts.append(page.tag("line", x1=10, x2=_WIDTH - 10, y1=height, y2=height, class_="line"))
    return _svg(title, height + 22, parts)


def _text(x: float, y: float, text: str, anchor: str, about: str = "") -> page.Html:
    children = [page.tag("title", about), text] if about else [text]
    words = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text_anchor": anchor, "dominant_baseline": "middle"}
    return page.tag("text", *children, **words)


def _svg(title: str, height: float, parts: Sequence[page.Html]) -> page.Html:
    box = f"0 0 {_WIDTH} {height:.0f}"
    return page.tag("svg", page.tag("title", title), *parts, class_="chart", viewBox=box, role="img")
