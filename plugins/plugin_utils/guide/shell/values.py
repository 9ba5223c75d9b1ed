# SPDX-License-Identifier: GPL-3.0-or-later
"""What a shell takes of a value: one word of an array, a text without its beginning or end, what stands in brackets;
and what `read` gives a variable."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import List, Optional, Sequence

from . import interrupts


def element(value: List[str], number: Optional[int]) -> Optional[str]:
    """One word of an array; of interrupts, or of files of the kernel, it stands for the one or all of them."""
    if interrupts.is_list(value):
        return f"{value[0]}#{'*' if number is None else number}"
    if interrupts.are_several(value):
        return None
    if len(value) == 1 and value[0][:1] == "/" and "*" in value[0]:
        return value[0] if number is None else None
    return value[number] if number is not None and 0 <= number < len(value) else None


def changed(value: str, sign: str, pattern: str) -> Optional[str]:
    """What `${x#...}`, `${x%...}`, `${x,,}` and `${x^^}` make of a value."""
    if sign[0] in "#%":
        return _strip(value, pattern, len(sign) == 2, front=sign[0] == "#")
    return value.lower() if sign[0] == "," else value.upper()


def replaced(value: str, old: str, new: str, everywhere: bool) -> Optional[str]:
    """`${x/old/new}`; None where the old text is a pattern."""
    if any(char in old for char in "*?["):
        return None
    return value.replace(old, new) if everywhere else value.replace(old, new, 1)


def part(value: str, first: int, count: Optional[int]) -> str:
    """`${x:first:count}`; what stands for all NICs stays so."""
    if value.startswith("*"):
        return value
    return value[first:] if count is None else value[first : first + count]


def _strip(value: str, pattern: str, longest: bool, front: bool) -> Optional[str]:
    """`${x##*/}` and its like; a NIC that stands for all of them (`/sys/class/net/*`) keeps its star."""
    cuts = range(len(value) + 1) if front != longest else range(len(value), -1, -1)
    for cut in cuts:
        piece, rest = (value[:cut], value[cut:]) if front else (value[cut:], value[:cut])
        if fnmatchcase(piece, pattern):
            return rest
    return value


def closing(raw: str, index: int, opening: str, closing: str) -> int:
    """Where a substitution ends."""
    other = closing[0]
    depth = len(closing)
    while index < len(raw):
        char = raw[index]
        if char == "\\":
            index += 1
        elif char == "'" and opening != "{":
            end = raw.find("'", index + 1)
            index = end if end > 0 else index
        elif char == opening:
            depth += 1
        elif char == other:
            depth -= 1
            if not depth:
                return index + 1
        index += 1
    return len(raw)


def reads_document(words: Sequence[str]) -> str:
    """The variable into which `read -r -d '' NAME` takes a whole text; empty for another command."""
    whole = words[0] == "read" and any(
        re.fullmatch(r"-\w*d", word) and after == "" for word, after in zip(words, words[1:])
    )
    names = [word for word in words[1:] if word and word[0] != "-"]
    return names[0] if whole and len(names) == 1 else ""


def reads_array(words: Sequence[str]) -> bool:
    """Whether `read -a NAME` takes the words of a line into an array."""
    return words[0] == "read" and any(re.fullmatch(r"-[a-z]*a", word) for word in words)
