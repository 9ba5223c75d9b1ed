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
# The kernel keeps a neighbour that has failed for hours; one that somebody asks for fails anew within this time, in s.
_LATELY = 60


def parse(text: str) -> Dict[str, Any]:
    """The servers in the order in which glibc asks, the seconds that it waits for one, and whether it takes turns."""
    lines = [line.split() for line in text.splitlines()]
    options = " ".join(word for words in lines if words[:1] == ["options"] for word in words[1:])
    timeout = re.findall(r"(?<!\S)timeout:(\d{1,4})(?!\S)", options)
    servers = [words[1] for words in lines if words[:1] == ["nameserver"] and len(words) > 1]
    return {
        "servers": servers[:_SERVERS],
        "timeout": min(max(int(timeout[-1]), 1), _LONGEST) if timeout else _TIMEOUT,
        "rotate": "rotate" in options.split(),
    }


# Where systemd-resolved answers, and asks others itself.
STUB = "127.0.0.53"
STATISTICS = Query(("resolvectl", "statistics"))


def statistics(text: str) -> Dict[str, int]:
    """Of `resolvectl statistics` (timeouts since systemd 254): names to find, and how often nobody answered."""
    rows = {name: re.search(rf"^\s*{label}: +(\d{{1,15}})\s*$", text, re.MULTILINE) for name, label in _COUNTS}
    return {name: int(match[1]) for name, match in rows.items() if match} if all(rows.values()) else {}


_COUNTS = (("transactions", "Total Transactions"), ("timeouts", "Total Timeouts"))


def neighbour(address: str) -> Query:
    """What the kernel knows of a neighbour: `ADDRESS dev NIC used 3/60/0 probes 6 FAILED`; nothing if it is none.

    The seconds are those since it was used, since it answered, and since its state has changed.
    """
    return Query(("ip", "-s", "neighbour", "show", "to", address))


def silent(text: str) -> str:
    """The NIC at which a neighbour did not say its MAC within the last minute; empty if it did, or may do so yet.

    One that has a MAC at any NIC is none.
    """
    if re.search(r" lladdr ", text):
        return ""
    for line in text.splitlines():
        found = re.match(r"\S+ dev (\S+)", line)
        # Some versions write no space between them.
        told = re.search(r"\bused \d{1,9}/\d{1,9}/(\d{1,9}) ?probes (\d{1,9}) (FAILED|INCOMPLETE)\b", line)
        since, probes, state = (int(told[1]), int(told[2]), told[3]) if told else (0, 0, "")
        if found and ((state == "FAILED" and since <= _LATELY) or (state == "INCOMPLETE" and probes >= _UNANSWERED)):
            return found[1]
    return ""
