# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak the files of /proc/PID: how busy a process is, where it may run, and how many files it may open."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

ROOT = "/proc"
# The kernel tells processor time in these, whatever its own clock.
_TICKS = 100
_KERNEL = 0x00200000  # PF_KTHREAD


class Process(NamedTuple):
    """One process or thread: seconds of processor time, second of the uptime at which it began, processor it ran on."""

    name: str
    kernel: bool
    seconds: float
    began: float
    processor: int


def parse(text: str) -> Optional[Process]:
    """A line of `stat`; None if it is none. The name stands in parentheses, and may hold any of them itself."""
    name, found, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    if not found or len(fields) < 37 or not all(re.fullmatch(r"-?\d+", field) for field in fields[1:37]):
        return None
    number = [0, *map(int, fields[1:])]
    return Process(
        name=name,
        kernel=bool(number[6] & _KERNEL),
        seconds=(number[11] + number[12]) / _TICKS,
        began=number[19] / _TICKS,
        processor=number[36],
    )


def allowed(text: str) -> str:
    """The processors of `status` on which it may run, as a list such as 0-3."""
    match = re.search(r"^Cpus_allowed_list:\s*([\d,-]+)$", text, re.MULTILINE)
    return match[1] if match else ""


def files_size(text: str) -> int:
    """The places of `status` in the table of open files, which are no fewer than there are files; 0 if unknown."""
    match = re.search(r"^FDSize:\s*(\d{1,9})$", text, re.MULTILINE)
    return int(match[1]) if match else 0


def files_limit(text: str) -> int:
    """How many files it may open, by `limits`; 0 if that is unknown or without a limit."""
    match = re.search(r"^Max open files\s+(\d{1,9})\s", text, re.MULTILINE)
    return int(match[1]) if match else 0
