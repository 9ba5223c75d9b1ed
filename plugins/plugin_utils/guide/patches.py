# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a patch as what the file is afterwards: what it takes out sets nothing."""

from __future__ import annotations

import re
from typing import Callable, List, Sequence, Tuple

from . import sentences
from .model import NO_EFFECT, Line
from .settings import Guide

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_FILE = re.compile(r"\+\+\+ (?:b/)?(\S+)")
_HEAD = re.compile(r"diff |index [\da-f]+\.\.|--- |(?:new|deleted) file mode |similarity |rename |\\ No newline")


def is_one(lines: Sequence[Line]) -> bool:
    """Whether a text is a patch."""
    return any(_HUNK.match(text) for _number, text in lines)


def read(guide: Guide, lines: Sequence[Line], form: Callable[[str, Sequence[Line]], None]) -> None:
    """Each file that a patch changes, by its path and the lines that it has afterwards."""
    files: List[Tuple[str, List[Line]]] = [("", [])]
    for number, text in lines:
        named = _FILE.match(text)
        if named or _HUNK.match(text) or _HEAD.match(text):
            files += [(f"/{named[1]}", [])] if named else []
            guide.sink.nothing(number, "a head of the patch")
        elif text.startswith("-"):
            if sentences.holds_a_setting(text[1:]):
                guide.sink.remark(number, NO_EFFECT, "the patch takes this line out")
            guide.sink.nothing(number, "the patch takes this line out")
        else:
            files[-1][1].append((number, text[1:] if text[:1] in ("+", " ") else text))
    for path, kept in files:
        if kept:
            form(path, kept)
