# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that leaves this program: words for a shell, and what a person or another program reads."""

from __future__ import annotations

import re
import shlex
from typing import Any, Mapping


def quote(word: str) -> str:
    """A word as a shell reads it back. All text that a shell will ever see is made of such words."""
    return shlex.quote(word)


def printable(found: Any) -> Any:
    """Text, and whatever holds text, so that it can be written as UTF-8: bytes that are none, which the names of NICs
    and the words of tools may have, are spelled out."""
    if isinstance(found, str):
        return found if found.isascii() else re.sub("[\ud800-\udfff]", _spelled, found)
    if isinstance(found, Mapping):
        return {printable(key): printable(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [printable(value) for value in found]
    return found


def _spelled(match: Any) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
