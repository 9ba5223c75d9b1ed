# SPDX-License-Identifier: GPL-3.0-or-later
"""Find loops, conditions and cases of the shell that stand between the lines of a guide: they hold as a whole only."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Sequence

from ..calls import sentences
from ..model import Line

_LOOP = re.compile(r"\s*(?:[$#]\s+)?(for\s+\w+\s+in\s|for\s+\(\(|while\s)")
_CHOICE = re.compile(r"\s*(?:[$#]\s+)?(?:if\s+\S.*|case\s+\S+\s+in\b.*)")
_CHOICE_ENDS = re.compile(r"\b(?:fi|esac)\b")
# A case of which the text shows neither the word that begins all cases nor the one that ends them.
_ARM = re.compile(r"\s*\(?[\w.,:*?|\"'-]+\)\s*")
_ARM_ENDS = re.compile(r"(?:.*\s)?;;\s*")
_PROMPT = re.compile(r"^\s*[$#>]\s+")
_MOST_LINES = 40


class Compound(NamedTuple):
    """What the shell reads as one, and how many lines of the text that is."""

    lines: List[Line]
    taken: int


def at(lines: Sequence[Line], index: int) -> Optional[Compound]:
    """The loop, condition or case that starts with a line."""
    text = lines[index][1]
    if _LOOP.match(text):
        return _loop(lines, index)
    if _CHOICE.fullmatch(text):
        return _choice(lines, index)
    return _arms(lines, index) if _ARM.fullmatch(text) else None


def _loop(lines: Sequence[Line], index: int) -> Optional[Compound]:
    found: List[Line] = []
    for number, text in lines[index : index + _MOST_LINES]:
        found.append((number, _PROMPT.sub("", text) if not found else text))
        if re.search(r"\bdone\b", text):
            begun = any(re.search(r"\bdo\b", one) for _number, one in found)
            return Compound(found, len(found)) if begun else None
    return None


def _choice(lines: Sequence[Line], index: int) -> Optional[Compound]:
    """What only holds under a condition: a sentence may begin with the same words, but does not parse."""
    found: List[Line] = []
    for number, text in lines[index : index + _MOST_LINES]:
        found.append((number, _PROMPT.sub("", text) if not found else text))
        if _CHOICE_ENDS.search(text) and _parses(found):
            return Compound(found, len(found))
    return None


def _arms(lines: Sequence[Line], index: int) -> Optional[Compound]:
    """Cases without their beginning, which a call of the script chooses among."""
    taken = 0
    for count, (_number, text) in enumerate(lines[index : index + _MOST_LINES], 1):
        if _ARM_ENDS.fullmatch(text):
            taken = count
        elif taken == count - 1 and text.strip() and not _ARM.fullmatch(text):
            break
    if not taken:
        return None
    found = list(lines[index : index + taken])
    found[0] = (found[0][0], f'case "$which" in {found[0][1].strip()}')
    found.append((found[-1][0], "esac"))
    return Compound(found, taken) if _parses(found) else None


def _parses(lines: Sequence[Line]) -> bool:
    return sentences.parses("\n".join(text for _number, text in lines))
