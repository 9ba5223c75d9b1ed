# SPDX-License-Identifier: GPL-3.0-or-later
"""Read files of sections and keys (NetworkManager, systemd, TuneD), each entry with its line."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

from ..keys.settings import Guide
from ..model import Line


class Entry(NamedTuple):
    """A key of a section; `whole` is the line as it stands."""

    section: str
    key: str
    value: str
    line: int
    whole: str


def sections(guide: Guide, lines: Sequence[Line]) -> List[Entry]:
    """The entries of a file, lines that go on put together; headings and comments set nothing."""
    found: List[Entry] = []
    section, held, start = "", "", 0
    for number, text in lines:
        plain = text.strip()
        if held:
            guide.sink.nothing(number, "goes on from the line before")
            guide.sink.goes_on(number, start)
            plain, number, held = held + " " + plain, start, ""
        elif not plain or plain[0] in "#;":
            guide.sink.nothing(number, "a comment")
            continue
        if plain.endswith("\\"):
            held, start = plain[:-1].rstrip(), number
            continue
        if plain.startswith("[") and plain.endswith("]"):
            section = plain[1:-1].strip()
            guide.sink.nothing(number, "a heading")
            continue
        key, _equals, value = plain.partition("=")
        found.append(Entry(section, key.strip(), value.strip(), number, plain))
    return found
