# SPDX-License-Identifier: GPL-3.0-or-later
"""Mend scripts of which a text shows a part only: what ends without a beginning, and what begins without an end."""

from __future__ import annotations

import re
from typing import Iterator, List, Sequence, Set, Tuple

from ..model import Line

_ENDS = {"if": "fi", "for": "done", "while": "done", "until": "done", "select": "done", "case": "esac", "{": "}"}
# Words of the shell's own where a command may begin.
_WORD = re.compile(
    r"(?:^\s*|[;&|]\s*|\b(?:then|do|else)\s+|\{\s+|\)\s*)(if|for|while|until|select|case|fi|done|esac|else|elif"
    r"|then|do|\{|\})"
    r"(?=[\s;&|><)]|$)"
)
_FUNCTION = re.compile(r"\s*(?:function\s+[\w-]+(?:\s*\(\))?|[\w-]+\s*\(\))\s*\{\s*$")
_DOCUMENT = re.compile(r"<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:^|\s)#.*")
# A line that holds no more than the end or the middle of a construct, or its beginning.
_ALONE = re.compile(r"\s*(?:fi|done|esac|\}|else|then|do)[\s;)]*(?:[12&]?>+\s*\S+\s*)*(?:\|\|\s*true\s*)?$")
_BEGINS = re.compile(r"\s*(?:(?:el)?if\b.*|for\b.*|while\b.*|until\b.*|case\b.*\bin|.*\{)\s*(?:;?\s*(?:then|do))?\s*$")

_MOST_LINES = 1000


def mended(lines: Sequence[Line]) -> Iterator[Tuple[List[Line], Set[int]]]:
    """Ways to read the lines without the words that have lost their other half, and the lines that held these."""
    lost, opened = _lost(lines)
    begun = list(lines)
    if any(re.match(r"\s*esac\b", lines[index][1]) for index in lost):
        # The cases are known all the same, but for the first, whose word may stand before the text.
        first = "" if re.match(r"\s*\(?[\w\"'|*-]+\)", begun[0][1]) else "lost) "
        begun[0] = (begun[0][0], f'case "$1" in {first}{begun[0][1]}')
        lost = {index for index in lost if not re.match(r"\s*esac\b", lines[index][1])}
    closed = [(lines[-1][0], _ENDS[word]) for word, _index in reversed(opened)]
    for without in (lost, lost | {index for _word, index in opened}):
        gone = {lines[k][0] for k in without if _ALONE.match(lines[k][1]) or _BEGINS.match(lines[k][1])}
        ends = closed if without is lost else []
        yield [*((number, "" if number in gone else text) for number, text in begun), *ends], gone


def _lost(lines: Sequence[Line]) -> Tuple[Set[int], List[Tuple[str, int]]]:
    """By index, the lines with ends that nothing begins, and what begins with no end."""
    opened: List[Tuple[str, int]] = []
    lost: Set[int] = set()
    for index, text in _outside_documents(lines):
        bare = _QUOTED.sub(" ", text)
        words = ["{"] if _FUNCTION.match(bare) else [match[1] for match in _WORD.finditer(bare)]
        for word in words:
            if word in _ENDS:
                opened.append((word, index))
            elif word in ("else", "elif", "then", "do"):
                if not opened or not _goes_on(opened[-1][0], word):
                    lost.add(index)
            elif opened and _ENDS[opened[-1][0]] == word:
                opened.pop()
            else:
                lost.add(index)
    return lost, opened


def _goes_on(word: str, following: str) -> bool:
    return following == "do" if word in ("for", "while", "until", "select") else word == "if" and following != "do"


def _outside_documents(lines: Sequence[Line]) -> List[Tuple[int, str]]:
    """The lines by index, without those of here documents."""
    found: List[Tuple[int, str]] = []
    index = 0
    while index < len(lines):
        found.append((index, lines[index][1]))
        index += document(lines, index) + 1
    return found


def document(lines: Sequence[Line], index: int) -> int:
    """How many lines below are of a here document that a line begins, with its last one; none where it has no end."""
    opened = _DOCUMENT.search(lines[index][1])
    if not opened:
        return 0
    below = range(index + 1, min(len(lines), index + _MOST_LINES))
    return next((k - index for k in below if lines[k][1].strip() == opened[2]), 0)
