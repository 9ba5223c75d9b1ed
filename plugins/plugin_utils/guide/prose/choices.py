# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the lines that a guide offers in place of others, where a script would run both: of these the first is taken."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Sequence, Set

from ..model import CONTRADICTS, Line, Setting, Sink
from . import advice, use_words, uses
from .wording import FENCE, frames

# Words right above a line: "Or, with fixed times:", "# Alternatively use cake", "For a rate, use tbf instead of fq:".
_OFFERS = re.compile(
    r"(?:or|alternatively)\b(?!\s+(?:lower|higher|less|more|later|newer|older|above|below|greater|better)\b).*"
    r"|(?:for|if|when)\b[^.]*\binstead\b[^.]*:|(?:或者?|也可以)(?!许|多|更).*"
    r"|(?:oder|alternativ|ou(?:\s+bien)?|o\s+bien|или|либо)\s.*:?",
    re.IGNORECASE,
)


_OR = rf"(?:{use_words.plain(use_words.OR)})\s*"
_BOTH_WAYS = re.compile(
    rf"\bon\s*\(\s*(?:{_OR})?off\s*\)|\boff\s*\(\s*(?:{_OR})?on\s*\)"
    rf"|\bon\s+{_OR}off\b|\boff\s+{_OR}on\b|\b(?:on/off|off/on)\b",
    re.IGNORECASE,
)
_OTHER_NUMBER = re.compile(rf"(?<=\d)\s+\(\s*{_OR}(\d[\w .]*)\)", re.IGNORECASE)
_NEAR = 5  # lines between an offer and what it stands in for
_SECTION = re.compile(r"\s*\[[\w .-]+\]\s*")


def leaves_open(text: str) -> bool:
    """Whether a line gives a switch both ways: `rx on (or off)`."""
    return _BOTH_WAYS.search(text) is not None


def other_number(text: str) -> str:
    """What stands in brackets behind a number as another one: `mtu 9000 (or 1500)`."""
    found = _OTHER_NUMBER.search(text)
    return found[1].strip() if found else ""


def second(lines: Sequence[Line]) -> Set[int]:
    """The lines above which the text says that they stand in for others."""
    offers = {index for index, (_number, text) in enumerate(lines) if _OFFERS.fullmatch(advice.words(text))}
    return {lines[index][0] for index in range(len(lines)) if offers and _lead(lines, index) in offers}


def _lead(lines: Sequence[Line], index: int) -> int:
    """Which line of words stands above a line, with nothing between but the code around it; -1 where none does."""
    fences, blank = 0, False
    for above in range(index - 1, max(index - 1 - advice.FAR, -1), -1):
        text = lines[above][1]
        fences += FENCE.match(text) is not None
        blank = blank or not text.strip()
        if fences > 1:
            return -1  # it stands in another block
        around = not text.strip() or frames(text) or _SECTION.fullmatch(text)
        if not around and not advice.is_code(text):
            # A comment between commands is for those right below it.
            return -1 if blank and not fences and text.lstrip().startswith("#") else above
    return -1


def _beside(sink: Sink, one: Setting) -> Optional[Setting]:
    """What the lines right above set of the interrupts of a NIC: times of its own, or those that the driver chooses,
    or processors, which irqbalance would choose."""
    near = [
        other for other in sink.settings if one.line - _NEAR <= other.line < one.line and other.line not in sink.instead
    ]
    if (one.family, one.key) == ("irq", "irqbalance"):
        return next((other for other in near if (other.family, other.key) == ("irq", "affinity")), None)
    if one.family != "coalesce":
        return None
    same = ((one.nic, one.match, one.family) == (other.nic, other.match, other.family) for other in near)
    return next((other for other, is_same in zip(near, same) if is_same), None)


def first(sink: Sink) -> List[Setting]:
    """The settings without those of a line that stands in for an earlier one, which it contradicts."""
    held = {one.address: one for one in reversed(sink.settings) if one.line not in sink.instead}
    losing: Dict[int, Setting] = {}
    for one in sink.settings:
        if one.line not in sink.instead:
            continue
        same = held.get(one.address)
        before = same if same and same.line < one.line else _beside(sink, one)
        if before and (before.address != one.address or before.value != one.value):
            losing[one.line] = before
            if before.address == one.address:
                sink.gives_way(one, before, "in place of which the text offers it")
    for one in sink.settings:
        if one.line in losing and one not in sink.losers:
            said = f"{one.named} goes with what the text offers in place of {sink.position(losing[one.line].line)}"
            sink.remark(one.line, CONTRADICTS, said)
    return uses.standing(sink, [one for one in sink.settings if one.line not in losing])
