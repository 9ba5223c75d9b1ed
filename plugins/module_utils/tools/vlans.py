# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/net/vlan/config: which VLANs there are, and on what they stand."""

from __future__ import annotations

import re
from typing import Iterator, Tuple

CONFIGURATION = "/proc/net/vlan/config"


def parse(text: str) -> Iterator[Tuple[str, int, str]]:
    """Each VLAN by name, with its number and the device below."""
    for match in re.finditer(r"^(\S+)\s*\|\s*(\d{1,4})\s*\|\s*(\S+)\s*$", text, re.MULTILINE):
        yield match[1], int(match[2]), match[3]
