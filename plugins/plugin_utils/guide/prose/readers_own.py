# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a guide gives as an example and has its reader replace: "Replace eth0 with your interface"; and what the
blocks of it assign to variables of the shell, into which its reader types them one after the other."""

from __future__ import annotations

import re
from typing import Dict, Sequence

from ..calls import sentences
from ..keys.settings import Guide
from ..model import Line

_WORD = r"[`'\"\u2018\u201c*]*([\w./:@-]*\w)[`'\"\u2019\u201d*]*"
_OWN = (
    r"(?:yours?\b|(?:the|an?)\s+(?:\w+\s+){0,2}?(?:own|actual|correct|appropriate|right|real|name|interface|device|NIC)\b"
    r"|whatever\b)"
)
_REPLACED = re.compile(
    rf"\b(?:replac|substitut|adjust|chang|swapp?)(?:e|ing)?\s+(?:the\s+)?{_WORD}(?:\s+(?:here|above|below|accordingly|everywhere))?"
    rf"\s+(?:with|by|for|to)\s+{_OWN}"
    rf"|\bersetz\w*(?:\s+sie)?\s+{_WORD}\s+durch\s+(?:de[nrm]|die|das|ihre?n?|deine?n?|eure?n?)\b"
    rf"|\b(?:remplac\w+)\s+{_WORD}\s+par\s+(?:votre|vos|ton|le|la)\b"
    rf"|\b(?:reempla\w+|sustitu\w+)\s+{_WORD}\s+por\s+(?:su|tu|el|la)\b"
    rf"|\b\u0437\u0430\u043c\u0435\u043d\u0438\u0442\u0435\s+{_WORD}\s+\u043d\u0430\b"
    rf"|(?:将|把)\s*{_WORD}\s*(?:替换|更换|改)(?:为|成)(?=.{{0,4}}(?:你|您|自己|实际))",
    re.IGNORECASE,
)
# A variable of the shell that is assigned for all that follows; its value as the third group if it is plain.
_ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)=(?:([\"']?)([\w.:@-]+)\2|\S.*?)\s*;?\s*(?:#.*)?")
# A variable that a loop, a command or a condition gives other values.
_CHANGED = re.compile(r"\b(?:for|read|unset)\s+(?:-\w+\s+)*([A-Za-z_]\w*)|^\s+([A-Za-z_]\w*)=")


def note(guide: Guide, lines: Sequence[Line]) -> None:
    """Say it at the settings that hold such a name or value."""
    told: Dict[str, int] = {}
    for number, text in lines:
        for found in _REPLACED.finditer(text):
            told.setdefault(next(filter(None, found.groups())), number)
    for one in guide.sink.settings if told else ():
        for word, number in told.items():
            held = word == one.nic or re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", str(one.value))
            if number != one.line and held:
                said = f"{word} is an example, which {guide.sink.position(number)} has its reader replace"
                guide.sink.note(one.line, said)


def keep_variables(guide: Guide, lines: Sequence[Line]) -> None:
    """The lines of code that assign variables, for those that stand below them."""
    for _number, text in lines:
        command = sentences.PROMPT.sub("", text, count=1)
        command = text if command == text.lstrip() else command
        for changed in _CHANGED.finditer(command):
            guide.variables.pop(changed[1] or changed[2], None)
        # What is indented depends on a condition or belongs to a loop.
        parts = [] if command[:1].isspace() else [part.strip() for part in command.split(";")]
        for assigned in filter(None, map(_ASSIGNMENT.fullmatch, parts)):
            if assigned[3]:
                guide.variables[assigned[1]] = assigned[3]
            else:
                guide.variables.pop(assigned[1], None)


def is_at_a_prompt(text: str) -> bool:
    """Whether a line shows what is typed, behind a prompt."""
    return sentences.PROMPT.sub("", text, count=1) != text.lstrip() and re.match(r"\s*[-*\d]", text) is None
