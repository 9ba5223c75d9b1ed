# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the parts of a text that are about a fault: those for hosts that have it, and commands that bring it about."""

from __future__ import annotations

import re

REPRODUCED = "the text gives it to reproduce a fault"
# A title whose part is for those who have the fault that it names.
TITLE = re.compile(
    r"(?:(?:common|known)\s+)?(?:problem|issue|symptom)s?\b\W*\d*\s*:.*|troubleshooting\b.*", re.IGNORECASE
)
# A title or words above such commands; what was measured is reproduced by tuning.
_REPRODUCES = re.compile(
    r"(?!.*\b(?:results?|numbers?|benchmarks?|measurements?|figures?|experiments?|performance|throughput|paper)\b)"
    r"(?:(?:(?:the\s+)?(?:steps?|commands?|how|script)|this|(?:you|it)\s+can(?:\s+be)?|i|we)\s+)*"
    r"(?:to\s+)?(?:reproduc(?:e[ds]?|er|ing)\b.{0,60}|reproduction(?:\s+steps?)?)",
    re.IGNORECASE,
)


def reproduces(words: str) -> bool:
    """Whether a title or a sentence leads to commands that only bring about what is wrong."""
    return _REPRODUCES.fullmatch(words) is not None
