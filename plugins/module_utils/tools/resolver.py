# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak resolv.conf: whom glibc asks for names and how long it waits; and what the kernel knows of a neighbour."""

from __future__ import annotations

import re
from typing import Any, Dict

from ..schema import Query

CONFIGURATION = "/etc/resolv.conf"
# What glibc heeds (resolv.h): servers, and the seconds that it waits for the answer of one.
_SERVERS, _TIMEOUT, _LONGEST = 3, 5, 30
# The kernel begins to count at three (ucast_solicit) and asks once a second, so that two were not answered.
_UNANSWERED = 5


def parse(text: str) -> Dict[str, Any]:
    """The servers in the order in which glibc asks, the seconds that it waits for one, and whether it takes turns."""
    lines = [line.split() for line in text.splitlines()]
    options = " ".join(word for words in lines if words[:1] == ["options"] for word in words[1:])
    timeout = re.findall(r"(?<!\S)timeout:(\d{1,4})(?!\S)", options)
    servers = [words[1] for words in lines if words[:1] == ["nameserver"] and len(words) > 1]
    return {
        "servers": servers[:_SERVERS],
        "timeout": min(int(timeout[-1]), _LONGEST) if timeout else _TIMEOUT,
        "rotate": "rotate" in options.split(),
    }


def neighbour(address: str) -> Query:
    """What the kernel knows of a neighbour: `ADDRESS dev NIC used 3/60/0 probes 6 FAILED`; nothing if it is none."""
    return Query(("ip", "-s", "neighbour", "show", "to", address))


def silent(text: str) -> str:
    """The NIC at which a neighbour has not said its MAC for two seconds or more; empty if it has, or has not yet."""
    for line in text.splitlines():
        found = re.match(r"\S+ dev (\S+)", line)
        probes = re.search(r"probes (\d{1,9})\b", line)
        state = (line.split() or [""])[-1]
        if found and (state == "FAILED" or (state == "INCOMPLETE" and probes and int(probes[1]) >= _UNANSWERED)):
            return found[1]
    return ""
