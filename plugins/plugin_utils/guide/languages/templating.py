# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the comments of a template, and which of its lines stand below which of its conditions (Jinja, Go, ERB, EPP,
Terraform)."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from .. import masks
from ..model import Branch, Cases, Line, Sink
from . import groups

# A line that holds nothing but a word of the template's own language.
_CONTROL = re.compile(
    r"\s*(?:\{%[-+]?\s*(?P<jinja>.*?)\s*[-+]?%\}|\{\{-?\s*(?P<go>.*?)\s*-?\}\}|<%-?\s*(?P<erb>.*?)\s*-?%>"
    r"|%\{~?\s*(?P<terraform>.*?)\s*~?\})\s*"
)
_OPENS = re.compile(r"(if|unless)\b\s*(.*?)\s*\{?")
_GOES_ON = re.compile(r"\}?\s*(?:else\s+if|elseif|elsif|elif)\b\s*(.*?)\s*\{?")
_ELSE = re.compile(r"\}?\s*else\s*\{?")
_ENDS = re.compile(r"end(?:if|for|unless)?|\}")
# A comment, over several lines perhaps; `${#words[@]}` of a shell is none.
_COMMENT = re.compile(r"(?<!\$)\{#.*?#\}|<%#.*?%>|\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
# `{% set ring = 4096 %}`, and where that is put in.
_ASSIGNS = re.compile(r"\{%[-+]?\s*set\s+([A-Za-z_]\w*)\s*=\s*(\"[^\"{}]*\"|'[^'{}]*'|\d+)\s*[-+]?%\}")
_NAMES = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}")
# What a loop or a block holds ends with the same word as a condition.
_HOLDS = re.compile(r"(?:for|range|with|define|block)\b.*|.*(?:\bdo(?:\s*\|.*\|)?|\|[^|]*\|\s*\{)")


class _Open(NamedTuple):
    """A condition or a loop whose end has not come yet; a loop has no conditions."""

    group: int
    conditions: Tuple[str, ...]


def without_comments(sink: Sink, lines: Sequence[Line]) -> List[Line]:
    """The lines without what the template's own language has as comments, which nobody but its authors sees."""
    text = "\n".join(line for _number, line in lines)
    bare = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    if bare == text:
        return list(lines)
    found = [(number, line.rstrip()) for (number, _line), line in zip(lines, bare.split("\n"))]
    for (number, before), (_number, after) in zip(lines, found):
        if before.strip() and not after.strip():
            sink.nothing(number, "a comment")
    return found


def filled_in(lines: Sequence[Line], cases_of: Cases) -> List[Line]:
    """The lines with the words that the template itself gives its names, where it gives each of them once."""
    found: Dict[str, List[str]] = {}
    for number, text in lines:
        for name, value in _ASSIGNS.findall(text):
            found.setdefault(name, []).append("" if number in cases_of else value)
    whole = "\n".join(text for _number, text in lines)
    words = {
        name: values[0][1:-1] if values[0][0] in "\"'" else values[0]
        for name, values in found.items()
        if len(values) == 1
        and values[0]
        and not re.search(rf"\{{%-?\s*(?:set|for)\s+{name}\b(?!\s*=\s*[\"'\d])", whole)
    }
    return [(number, _NAMES.sub(lambda match: words.get(match[1], match[0]), text)) for number, text in lines]


def cases(sink: Sink, lines: Sequence[Line]) -> Cases:
    """By line, the cases of conditions that it stands in and when these hold; nothing where the words do not match."""
    found: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
    opened: List[_Open] = []
    for number, text in lines:
        word = _control(text)
        if word is None:
            inside = [one for one in opened if one.conditions]
            if inside:
                branch: Branch = tuple((one.group, len(one.conditions), "if") for one in inside)
                for one in inside:
                    branch += groups.of_words(sink, "template", _when(one))
                found[number] = branch, tuple(map(_when, inside))
        elif not _takes(sink, opened, word):
            return {}
    return {} if opened else found


def _control(text: str) -> Optional[str]:
    match = _CONTROL.fullmatch(masks.shown(text)) if masks.CONTROL.search(text) else None
    return next((part for part in match.groups() if part is not None), "") if match else None


def _takes(sink: Sink, opened: List[_Open], word: str) -> bool:
    """Take a word of the template's language into account; False for an end without a beginning."""
    begins, goes_on = _OPENS.fullmatch(word), _GOES_ON.fullmatch(word)
    if begins:
        sink.groups += 1
        opened.append(_Open(sink.groups, (f"{'not ' if begins[1] == 'unless' else ''}{begins[2]}",)))
    elif goes_on or _ELSE.fullmatch(word):
        if not opened:
            return False
        opened[-1] = opened[-1]._replace(conditions=(*opened[-1].conditions, goes_on[1] if goes_on else ""))
    elif _ENDS.fullmatch(word):
        if not opened:
            return False
        opened.pop()
    elif _HOLDS.fullmatch(word):
        opened.append(_Open(0, ()))
    return True


def _when(one: _Open) -> str:
    """When the last case of a condition holds."""
    last = one.conditions[-1]
    return f"only where {last}" if last else f"only where not {' or '.join(filter(None, one.conditions))}"
