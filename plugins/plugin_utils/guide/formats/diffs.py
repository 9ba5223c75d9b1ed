# SPDX-License-Identifier: GPL-3.0-or-later
"""Read changes of files, as diff writes them: what they add and leave is read, what they take out sets nothing."""

from __future__ import annotations

import re
from typing import Callable, List, Sequence

from ..calls import sentences
from ..keys.settings import Guide
from ..model import NO_EFFECT, Line

GONE = "the change takes it out"
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HEAD = re.compile(
    r"diff |index [0-9a-f]+\.\.|(?:new|deleted) file mode|old mode|new mode|similarity|rename "
    r"|--- \S|\+\+\+ \S|@@"
)
_PATH = re.compile(r"\+\+\+ (?:b/)?([^\s]+)")
_PARAMETER = re.compile(r"-[\s\"'-]*(?:net|kernel|vm|fs)\.[\w.]+[\"']?\s*[=:]")
_TAKEN_OUT, _ADDED = re.compile(r"-\s*(?:net|kernel|vm|fs)\."), re.compile(r"\+\s*(?:net|kernel|vm|fs)\.")


def begins(lines: Sequence[Line], index: int) -> bool:
    """Whether a change begins with a line: with its hunk, the names of its file, or a parameter in place of another."""
    text, after = lines[index][1], lines[index + 1][1] if index + 1 < len(lines) else ""
    named = text.startswith("--- ") and after.startswith("+++ ")
    return bool(_HUNK.match(text) or text.startswith("diff --git ") or named) or bool(
        _TAKEN_OUT.match(text) and _ADDED.match(after)
    )


def is_one(lines: Sequence[Line]) -> bool:
    """Whether a change stands in a text."""
    return any(begins(lines, index) for index in range(len(lines)))


def block(lines: Sequence[Line], index: int) -> int:
    """How many lines belong to the change that begins with a line; none where none does."""
    if not begins(lines, index):
        return 0
    end = index + 1
    while end < len(lines) and (lines[end][1][:1] in ("+", "-", " ", "\t", "\\") or _HEAD.match(lines[end][1])):
        end += 1
    return end - index


def read(guide: Guide, lines: Sequence[Line], form: Callable[[Sequence[Line]], None]) -> None:
    """One change of one or more files; `form` reads what has no path."""
    path = ""
    held: List[Line] = []
    for number, text in lines:
        named = _PATH.match(text)
        if _HEAD.match(text):
            if named or text.startswith("diff "):
                _file(guide, path, held, form)
                path, held = (f"/{named[1].lstrip('/')}" if named else ""), []
            guide.sink.nothing(number, "tells which file is changed, and where")
        elif text[:1] == "-":
            if _PARAMETER.match(text) or sentences.holds_a_setting(text[1:].strip()):
                guide.sink.remark(number, NO_EFFECT, GONE)
            guide.sink.nothing(number, GONE)
        else:
            held.append((number, text[1:] if text[:1] in ("+", " ") else text))
    _file(guide, path, held, form)


def _file(guide: Guide, path: str, lines: Sequence[Line], form: Callable[[Sequence[Line]], None]) -> None:
    if path and lines:
        guide.read_file(path, lines)
    elif lines:
        form(lines)
    for number, _text in lines:
        guide.sink.nothing(number, "part of a change that sets nothing")
