# SPDX-License-Identifier: GPL-3.0-or-later
"""Read how long programs have waited for what is short (PSI of Linux 4.20 and later)."""

from __future__ import annotations

import re

MEMORY = "/proc/pressure/memory"


def full(text: str) -> float:
    """The percent of the last five minutes in which all programs waited at once; 0 where nobody tells."""
    match = re.search(r"^full .*\bavg300=(\d{1,3}\.\d{1,2})\b", text, re.MULTILINE)
    return float(match[1]) if match else 0.0
