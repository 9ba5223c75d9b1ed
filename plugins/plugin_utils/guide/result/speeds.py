# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the speeds that ethtool sets by hand and gives up again, for a later call only turns on autonegotiation."""

from __future__ import annotations

import re
from typing import List, Sequence

from ..model import CONTRADICTS, Line, Setting, Sink

_TURNS_ON = re.compile(r"\bautoneg\s+on\b")


def standing(sink: Sink, settings: Sequence[Setting], lines: Sequence[Line]) -> List[Setting]:
    """The settings without speeds and duplex modes that do not outlast the text."""
    ours = [one for one in settings if one.family == "speed"]
    given = {(one.nic, one.match, one.line) for one in ours if one.key in ("speed", "duplex")}
    calls = {number for number, text in lines if _TURNS_ON.search(text)}
    turned_on = [
        one
        for one in ours
        if one.key == "autoneg" and one.line in calls and (one.nic, one.match, one.line) not in given
    ]
    kept: List[Setting] = []
    for one in settings:
        later = [
            other for other in turned_on if (other.nic, other.match) == (one.nic, one.match) and other.line > one.line
        ]
        if one.family == "speed" and one.key in ("speed", "duplex") and later:
            text = f"{one.named} does not last: {sink.position(later[0].line)} turns on autoneg for all speeds"
            sink.remark(one.line, CONTRADICTS, text)
            sink.losers.append(one)
        else:
            kept.append(one)
    return kept
