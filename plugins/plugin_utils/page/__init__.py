# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a page that stands on its own: one file without any external part, for screen, phone and paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent

# Nothing may be fetched, whatever a host has put into a name: what is inside the file is all there is.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_VOID = ("input", "meta", "link", "br")


class Html(str):
    """Text that is markup already; any other text is escaped where it enters the page."""

    __slots__ = ()


class Section(NamedTuple):
    """A part of the page with an anchor; `lead` stands below its heading.

    Only `listed` ones are linked at the top. On paper those of a `screen` are left out, unless the reader has searched.
    """

    anchor: str
    title: str
    body: Html
    lead: str = ""
    listed: bool = True
    screen: bool = False


def tag(element: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. `class_` is the attribute class, `data_tone` is data-tone; True is a bare attribute, None is none."""
    words = [element]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = key.rstrip("_").replace("_", "-")
        words.append(label if value is True else f'{label}="{escape(str(value))}"')
    start = f"<{' '.join(words)}>"
    return Html(start if element in _VOID else f"{start}{join(children)}</{element}>")


def join(parts: Iterable[Any]) -> Html:
    """Parts one after the other; what is no markup is escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(str(part)) for part in parts))


def badge(text: str, tone: str = "") -> Html:
    """A small coloured label; tones are those of the severities, `good`, and none."""
    return tag("span", text, class_="badge", data_tone=tone or None)


def tiles(items: Iterable[tuple[str, Any, str]]) -> Html:
    """The few numbers that matter most: (label, value, tone)."""
    return tag(
        "dl",
        *(tag("div", tag("dt", label), tag("dd", value), data_tone=tone or None) for label, value, tone in items),
        class_="tiles",
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]], numeric: Sequence[int] = (), paper: int = 0) -> Html:
    """A table; columns whose numbers stand in `numeric` are right-aligned. On a phone each row becomes a block.

    On paper it has `paper` rows at most, and says how many there are more; 0 is all.
    """
    aligned = ["number" if index in numeric else None for index in range(len(headings))]

    def line(number: int, cells: Sequence[Any]) -> Html:
        return tag(
            "tr",
            *(tag("td", cell, class_=aligned[index], data_label=headings[index]) for index, cell in enumerate(cells)),
            class_="screen" if 0 < paper <= number else None,
        )

    head = tag("tr", *(tag("th", text, scope="col", class_=where) for text, where in zip(headings, aligned)))
    lines = [line(number, cells) for number, cells in enumerate(rows)]
    more = tag("p", f"and {len(lines) - paper} more", class_="paper") if 0 < paper < len(lines) else ""
    return join((tag("table", tag("thead", head), tag("tbody", *lines)), more))


def facts(pairs: Iterable[tuple[str, Any]]) -> Html:
    """Names with their values, as a list of definitions."""
    return tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in pairs), class_="facts")


def code(text: str, copy: bool = True) -> Html:
    """Preformatted text, with a button that copies it."""
    button = tag("button", "Copy", type="button", class_="copy") if copy else Html("")
    return tag("div", button, tag("pre", tag("code", text), tabindex=0), class_="code")


def details(summary: Any, *body: Any, open_: bool = False, **attributes: Any) -> Html:
    """A part that opens on demand; on paper it is always open."""
    return tag("details", tag("summary", summary), *body, open=open_, **attributes)


def fold(summary: Any, *items: Html) -> Html:
    """Items behind one line, which a search opens."""
    return details(summary, *items, data_group=True, data_fold=True)


def item(*body: Any, tone: str = "", **attributes: Any) -> Html:
    """Something that the search looks at; the choice of tones looks at `tone`."""
    return tag("div", *body, data_item=True, data_tone=tone or None, **attributes)


def group(*body: Any, **attributes: Any) -> Html:
    """Items that belong together: it disappears when the search leaves none of them."""
    return tag("div", *body, data_group=True, **attributes)


def finder(tones: Iterable[tuple[str, int]], placeholder: str) -> Html:
    """The search, and one switch for each tone with the number of its items."""
    switches = [
        tag(
            "label",
            tag("input", type="checkbox", checked=True, value=tone, data_tone_switch=True),
            tag("span", f"{tone} {count}"),
            data_tone=tone,
        )
        for tone, count in tones
    ]
    field = tag("input", type="search", placeholder=placeholder, aria_label=placeholder, data_search=True)
    left = tag("output", "", data_left=True, aria_live="polite")
    parts = (field, tag("div", *switches, class_="switches"), left)
    return tag("form", *parts, role="search", class_="finder", data_finder=True)


def document(title: str, lead: str, sections: Sequence[Section], finder_: Html | None = None) -> str:
    """The whole page: title, one sentence on what it shows, links to its sections, the search, the sections."""
    ways = [tag("a", section.title, href=f"#{section.anchor}") for section in sections if section.listed]
    top = tag("header", tag("h1", title), tag("p", lead, class_="lead"), tag("nav", *ways, aria_label="Sections"))
    parts = [
        tag(
            "section",
            tag("h2", section.title),
            tag("p", section.lead, class_="lead") if section.lead else "",
            section.body,
            id=section.anchor,
            class_="screen" if section.screen else None,
        )
        for section in sections
    ]
    head = join(
        (
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("link", rel="icon", href="data:,"),
            tag("title", title),
            tag("style", Html(_own("page.css"))),
        )
    )
    body = join((top, finder_ or "", tag("main", *parts), tag("script", Html(_own("page.js")))))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


@cache
def _own(name: str) -> str:
    """A file beside this one, which holds neither a closing script nor a closing style tag."""
    return (_FOLDER / name).read_text(encoding="utf-8")
