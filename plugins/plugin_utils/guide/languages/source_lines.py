# SPDX-License-Identifier: GPL-3.0-or-later
"""Know lines of programs in other languages: files of the kernel that they write, and what they only say."""

from __future__ import annotations

import re
from typing import Optional, Tuple

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


def written(text: str) -> Optional[Tuple[str, str]]:
    """The file of the kernel that a line writes, and what it writes into it."""
    found = _WRITES.search(text)
    return (found[2], found[3]) if found and _WRITING.match(found[1]) else None


def says(text: str) -> bool:
    """Whether a line only prints what it holds."""
    return _SAYS.match(text) is not None
