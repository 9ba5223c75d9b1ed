# SPDX-License-Identifier: GPL-3.0-or-later
"""Know lines of programs in other languages: files of the kernel that they write, and what they only say."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence, Tuple

from .. import masks
from ..model import Line

_WRITES = re.compile(
    r"\b(\w+)!?\s*\(\s*(?:[\w.&]+\s*,\s*)?[\"'`](/(?:proc/sys|proc/irq|sys/class/net)/[^\"'`]+)[\"'`]"
    r"\s*,\s*(?:\[\]byte\(|b)?[\"'`]([^\"'`]*)[\"'`]"
)
# The names of functions that write; that of one that resets or asserts has `set` within another word.
_WRITING = re.compile(r"(?:\w*_)?(?:write|set|put)|\w*(?:Write|Set|Put)(?![a-z])|\w*Write[A-Z]")
_SAYS = re.compile(
    r"\s*(?:return\s+)?(?:console\.\w+|fmt\.(?:Print|Errorf|Fprint)\w*|log(?:ger|ging)?\.\w+|System\.out\.\w+|e?print(?:ln|f)?!?"
    r"|panic!?|\w+\.(?:Error|Fatal|Log|Skip)f?)\s*\("
    r"|\s*(?:(?:puts|log|warn|raise|abort|fail|notice)\s+|notify\s*\{\s*|Chef::Log\.\w+\s*\(?)['\"]"
)

# A parameter whose name the language fills in, as the title or the key of a resource.
_COMPUTED = re.compile(
    r"[\"']?((?:net|kernel|vm|fs)\.(?=[^\"']*[$#]\{)(?:[\w.*-]|[$#]\{[^}]*\})+)[\"']\s*(?:=>|=|:|\]\s*=)\s*"
    r"[\"']?([\w-]+(?:\s+\d+)*)[\"']?[\s,;})]*(?:#.*)?"
)
# An element of a table of Perl: `$settings{'net.core.rmem_max'} = 16777216 if $fast;`.
_ELEMENT = re.compile(r"\$\w+(?:->)?\{\s*[\"']?((?:net|kernel|vm|fs)(?:\.[\w-]+)+)[\"']?\s*\}\s*=\s*(\S.*?)\s*;?")


# The lines of a page whose code stood in the cells of a table, as those of gists and of repositories.
_EMPTY_CELL = re.compile(r"(.*\S)?\s*\|\s\|\s*")
_CELL = re.compile(r"\|(?:\s(.*?))?\s*\|\s*")
_FEW = 3


def without_cells(lines: Sequence[Line]) -> List[Line]:
    """The lines without the table around them, where each is a cell by itself."""
    texts = [text for _number, text in lines if text.strip()]
    if sum(_EMPTY_CELL.fullmatch(text) is not None for text in texts) >= _FEW and not any(
        text.lstrip().startswith("|") for text in texts
    ):
        found = ((number, _EMPTY_CELL.fullmatch(text), text) for number, text in lines)
        return [(number, (cell[1] or "") if cell else text) for number, cell, text in found]
    if len(texts) >= _FEW and all(_CELL.fullmatch(text) and not re.search(r"[^|\\]\|[^|]*\|", text) for text in texts):
        cells = ((number, _CELL.fullmatch(text)) for number, text in lines)
        return [(number, (cell[1] or "") if cell else "") for number, cell in cells]
    return list(lines)


def written(text: str) -> Optional[Tuple[str, str]]:
    """The file of the kernel that a line writes, and what it writes into it."""
    found = _WRITES.search(text)
    return (found[2], found[3]) if found and _WRITING.match(found[1]) else None


def computed(text: str) -> Optional[Tuple[str, str]]:
    """The parameter of a line whose name its language fills in, which is masked, and the value."""
    found = _COMPUTED.fullmatch(text.strip())
    return (re.sub(r"[$#]\{[^}]*\}", lambda match: masks.mask(match[0]), found[1]), found[2]) if found else None


def element(text: str) -> Optional[Tuple[str, str]]:
    """The parameter that a line is the element of a table for, and what it puts there."""
    found = _ELEMENT.fullmatch(text.strip())
    return (found[1], found[2]) if found else None


def says(text: str) -> bool:
    """Whether a line only prints what it holds."""
    return _SAYS.match(text) is not None
