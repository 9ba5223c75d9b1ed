# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak the kernel's two ways to write a set of CPUs: lists such as 0-3,8 and masks such as 00000001,0000000f."""

from __future__ import annotations

import re
from typing import Iterable, List, Sequence, Tuple

NONE = "none"

# What a kernel can have at most; a range beyond it is a typing error that must not cost memory.
_MOST = 8192


def parse_list(text: str) -> Tuple[int, ...]:
    """The CPUs of a list, in the order in which they are written; ValueError says what is wrong."""
    found: List[int] = []
    for part in text.strip().split(",") if text.strip() not in ("", NONE) else ():
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last >= _MOST:
            raise ValueError(f"'{part}' is no CPU and no range of CPUs")
        found += range(first, last + 1)
    return tuple(found)


def format_list(cpus: Iterable[int]) -> str:
    """The same as the kernel writes it, or `none`."""
    runs: List[List[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs) or NONE


def parse_mask(text: str) -> Tuple[int, ...]:
    """The CPUs of a mask in groups of 32 bits; ValueError if it is none."""
    bits = int("".join(group.rjust(8, "0") for group in text.strip().split(",")), 16)
    return tuple(cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1)


def format_mask(cpus: Iterable[int]) -> str:
    """A mask that the kernel takes; it wants a comma between every 32 bits."""
    bits = sum(1 << cpu for cpu in set(cpus))
    groups: List[str] = []
    while bits or not groups:
        groups.append(f"{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(reversed(groups))


def deal(cpus: Sequence[int], count: int) -> Tuple[str, ...]:
    """One CPU for each of `count` receivers, round robin."""
    return tuple(str(cpus[index % len(cpus)]) for index in range(count)) if cpus else (NONE,) * count
