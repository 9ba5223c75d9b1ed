# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the parts of a text that stand in for one another by their numbers: "Option #1", "Variante B"."""

from __future__ import annotations

import re
from typing import Dict, NamedTuple, Set

from ..model import Use
from . import advice, use_words

_NUMBER = r"(?:\d{1,2}[a-z]?|[A-Ha-h]|[ivIV]{1,3}|one|two|three|four|[\u4e00\u4e8c\u4e09\u56db\u4e94])"
_TITLE = re.compile(
    rf"(?:\W|the\s)*({use_words.plain(use_words.NUMBERED)})"
    rf"(?:\s*(?:#|n\u00b0|\u2116)\s*|\s+(?:no\.?\s*)?|(?<=[\u4e00-\u9fff]))({_NUMBER})(?![\w.]*\w)",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"\s{0,3}(#{1,6}|={2,6})\s")
NO_HEADING = 7  # one more than the levels of Markdown


def level(text: str) -> int:
    """How deep a heading stands, by the signs before it."""
    marks = _LEVEL.match(text)
    return len(marks[1]) if marks else NO_HEADING


class Here(NamedTuple):
    """Where in such parts a line stands, as the last fields of Use."""

    option: int
    options: int
    title: str
    whole: int


class Parts:
    """The numbered parts of a text on the way through it."""

    def __init__(self) -> None:
        self.kind = self.title = ""
        self.level = self.option = self.options = 0
        self.numbers: Set[str] = set()

    def take(self, number: int, text: str, heading: bool) -> None:
        """A line of words, which may begin a part or end one."""
        depth = level(text)
        if self._begins(number, advice.words(text), depth):
            return
        # Bold words between parts are no heading for those with one.
        if heading and (depth < NO_HEADING or not text.lstrip().startswith("**")) and depth <= self.level:
            self.kind, self.option, self.options = "", 0, 0

    def _begins(self, number: int, words: str, level: int) -> bool:
        found = _TITLE.match(words)
        if not found:
            return False
        kind, which = found[1].lower().rstrip("s"), found[2].lower()
        if (kind, level) != (self.kind, self.level) or which in self.numbers:
            self.kind, self.level, self.options, self.numbers = kind, level, number, set()
        self.numbers.add(which)
        self.option, self.title = number, words
        return True

    def beside(self, number: int, label: str) -> Here:
        """Where a command stands, whose own line may name a part, as in a list or table."""
        alone = self._begins(number, advice.words(label), NO_HEADING)
        here = self._here()
        self.option = 0 if alone else self.option
        return here

    def of_a_file(self, number: int, block: int, title: int) -> Dict[int, Use]:
        """What to know of a line that is no command, for it may be of a file that such a part shows."""
        return {number: Use(number, "", "", block, 0, title, "", *self._here())} if self.option else {}

    def _here(self) -> Here:
        return Here(self.option, self.options, self.title, self.option if self.level < NO_HEADING else 0)
