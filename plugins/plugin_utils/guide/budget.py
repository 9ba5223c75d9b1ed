# SPDX-License-Identifier: GPL-3.0-or-later
"""Bound what one text may cost: damaged texts, and texts made for it, grow without end when they are expanded."""

from __future__ import annotations

from typing import Sequence

from .model import Line, Sink

MOST_WORDS = 4096  # that one word may become
MOST_CHARACTERS = 1 << 17  # of one value
MOST_LEVELS = 40  # of brackets, conditions and loops within each other
MOST_SUBSTITUTIONS = 6  # within each other
_MOST_COST = 300_000
_OF_A_SUBSTITUTION = 20


class TooLarge(Exception):
    """What is too large or too deep to be read; the text of it says which, and `path` the file, if it is one."""

    def __init__(self, said: str, path: str = "") -> None:
        super().__init__(said)
        self.path = path


class Budget:
    """What the words of one text have cost so far, and how deep its substitutions are at the moment."""

    def __init__(self) -> None:
        self.cost = 0
        self.level = 0

    def take(self, words: Sequence[str]) -> None:
        """Count the words that have been expanded; TooLarge once it is too much."""
        self.cost += 1 + len(words)
        if len(words) > MOST_WORDS or sum(map(len, words)) > MOST_CHARACTERS:
            raise TooLarge(f"it is too large: one word becomes more than {MOST_WORDS} words, or a very long one")
        self._check()

    def __enter__(self) -> None:
        """One more substitution within others; TooLarge where it is too deep."""
        self.cost += _OF_A_SUBSTITUTION
        self._check()
        if self.level >= MOST_SUBSTITUTIONS:
            raise TooLarge(f"it is too deep: more than {MOST_SUBSTITUTIONS} substitutions within each other")
        self.level += 1

    def __exit__(self, *_error: object) -> None:
        self.level -= 1

    def _check(self) -> None:
        if self.cost > _MOST_COST:
            raise TooLarge("it is too large: the text before it and itself have become too many words to read on")


def refuse(sink: Sink, lines: Sequence[Line], said: str) -> None:
    """Say of each line but comments that it is not read, so that none vanishes."""
    for number, text in lines:
        if text.strip() and text.strip()[0] not in "#;":
            sink.unknown(number, said)
