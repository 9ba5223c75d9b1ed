# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the parts of a guide whose headings say when to do what stands in them: `### When to Disable Offloading`."""

from __future__ import annotations

import re
from typing import Dict, Sequence, Tuple

from ..model import Branch, Cases, Line
from .wording import FENCE

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*?)\s*#*\s*")
_WHEN = re.compile(
    r"(?:\d+(?:\.\d+)*\.?\s+)?(?:when\s+(?:to|should|you|do|not)|wann|cu\u00e1ndo|quand)\b.*", re.IGNORECASE
)


def noted(lines: Sequence[Line], cases: Cases) -> Dict[int, Tuple[Branch, Tuple[str, ...]]]:
    """By the lines below such headings, what to note of what they set, beside what is noted of them anyway."""
    found: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
    level, said, inside = 0, "", False
    for number, text in lines:
        inside = inside is not (FENCE.match(text) is not None)
        heading = None if inside else _HEADING.fullmatch(text)
        if heading and (not level or len(heading[1]) <= level):
            when = _WHEN.fullmatch(heading[2])
            level, said = (len(heading[1]), f"line {number} says when: {heading[2]}") if when else (0, "")
        elif said:
            branch, before = cases.get(number, ((), ()))
            found[number] = branch, (*before, said)
    return found
