# SPDX-License-Identifier: GPL-3.0-or-later
"""Expand the braces of a raw word of the shell: lists and ranges of numbers."""

from __future__ import annotations

import re
from typing import List

from ..budget import MOST_WORDS, TooLarge

_MOST = 512  # numbers of one range
_BRACES = re.compile(r"(?<![$\\])\{([^{}\s'\"`]*,[^{}\s'\"`]*|-?\d{1,18}\.\.-?\d{1,18})\}")


def braces(raw: str) -> List[str]:
    """`{a,b}` and `{0..7}` outside of quotes."""
    found, rest = [""], raw
    while True:
        match = _BRACES.search(rest)
        before = rest[: match.start()] if match else rest
        if not match or rest[0] in "'\"" or before.count("'") % 2 or before.count('"') % 2:
            return [one + rest for one in found]
        parts = _parts(match[1])
        if len(found) * len(parts) > MOST_WORDS:
            raise TooLarge(f"it is too large: {raw[:40]} becomes more than {MOST_WORDS} words")
        found, rest = [one + before + part for one in found for part in parts], rest[match.end() :]


def _parts(inner: str) -> List[str]:
    """What stands between braces: words, or a range of numbers."""
    first, dots, last = inner.partition("..")
    if not dots or "," in inner:
        return inner.split(",")
    step = 1 if int(first) <= int(last) else -1
    numbers_ = range(int(first), int(last) + step, step)
    if len(numbers_) > _MOST:
        raise TooLarge(f"it is too large: {{{inner}}} has more than {_MOST} numbers")
    return [str(number) for number in numbers_]
