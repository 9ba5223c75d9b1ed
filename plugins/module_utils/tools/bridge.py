# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak bridge: which VLANs the ports of a bridge belong to."""

from __future__ import annotations

import re

from ..schema import Query


def vlans_of(port: str) -> Query:
    """The VLANs of a port, in ranges, which are a few lines where single ones are thousands."""
    return Query(("bridge", "-c", "vlan", "show", "dev", port))


def count(text: str) -> int:
    """How many VLANs are in the answer, whose lines have one each or a range such as 2-4094, and flags behind it."""
    found = 0
    for line in text.splitlines():
        match = re.match(r"(?:\S+)?\s+(\d{1,4})(?:-(\d{1,4}))?(?:\s|$)", line)
        if match:
            found += int(match[2] or match[1]) - int(match[1]) + 1
    return found
