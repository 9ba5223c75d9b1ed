# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak nft: what the rules in force do."""

from __future__ import annotations

import re
from typing import Set

from ..schema import Query

RULESET = Query(("nft", "--terse", "list", "ruleset"), 20)
# Each table up to its end, with its family.
_TABLE = re.compile(r"^table (ip|ip6|inet) .*?^\}", re.MULTILINE | re.DOTALL)
_CLAMPS = re.compile(r"maxseg size set|TCPMSS")


def clamping(text: str) -> Set[str]:
    """Of the rules: the families that have one which lowers the MSS of connections."""
    return {match[1] for match in _TABLE.finditer(text) if _CLAMPS.search(match[0])}
