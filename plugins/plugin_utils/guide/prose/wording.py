# SPDX-License-Identifier: GPL-3.0-or-later
"""Words by which texts say that lines are not to be taken, as pieces of the patterns of this folder; and how a line of
words is cut."""

from __future__ import annotations

import re

NOT = r"(?:do\s+not|don['\u2019]?t|never)"
# The names of what a command prints.
_SAMPLE = r"(?:(?:the|an?|sample|example|expected|typical|possible)\s+)*"
OUTPUT = rf"{_SAMPLE}(?:output|response)s?\b"
RESULT = rf"{_SAMPLE}results?\b"
FENCE = re.compile(r"\s*(?:```|~~~)")


def last_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?;])\s+", text)[-1]


def unmarked(text: str) -> str:
    """A line without the marks of a heading, list, quote or emphasis around it."""
    return re.sub(r"^[\s#>*_-]+|[\s*_]+$", "", text)
