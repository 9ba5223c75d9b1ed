# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tuned-adm: which profile is active, whether it is still in force, and which ones there are."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from ..schema import Query, Reader, Run
from .sysctl import lines

OFF = "none"

# It is a Python program that asks a service over the bus, and that one runs scripts.
_SECONDS = 60

# Since tuned 2.23 profiles lie in folders of their own.
_FOLDERS = ("/etc/tuned/profiles", "/usr/lib/tuned/profiles", "/etc/tuned", "/usr/lib/tuned")


def profiles(host: Reader) -> List[str]:
    """The names of all profiles; without a process, because tuned-adm takes half a second to start."""
    found = {name for folder in _FOLDERS for name in host.names(folder) if host.exists(f"{folder}/{name}/tuned.conf")}
    return sorted(found)


def active(host: Reader) -> Tuple[str, str]:
    """The active profile, several joined by blanks, `none` without one; and what tuned-adm complained of."""
    answer = host.ask(Query(("tuned-adm", "active"), _SECONDS))
    match = re.search(r"Current active profile: (.+)", answer.out)
    if match:
        return " ".join(match.group(1).split()), ""
    return (OFF, "") if "No current active profile" in answer.out else ("", answer.complaint)


def sysctl(host: Reader, names: Sequence[str], depth: int = 8) -> Dict[str, str]:
    """The kernel parameters that profiles set, those that they include first; expressions of tuned stay as they are."""
    values: Dict[str, str] = {}
    for name in names:
        paths = [f"{folder}/{name}/tuned.conf" for folder in _FOLDERS]
        text = next((text for text in map(host.read, paths) if text is not None), "")
        sections = dict(re.findall(r"^\[([^\]\n]+)\]\n((?:(?!\[).*\n?)*)", text, re.MULTILINE))
        above = re.search(r"^include\s*=\s*(.+)$", sections.get("main", ""), re.MULTILINE)
        if above and depth:
            values.update(sysctl(host, re.split(r"[,\s]+", above[1].strip()), depth - 1))
        # A value such as `>2048`, from a line `key => 2048`, means at least; the sign stays.
        values.update({line.key: line.value.strip('"') for line in lines(sections.get("sysctl", ""))})
    return values


def verified(host: Reader) -> bool:
    """Whether the system still is as the profile has set it."""
    return bool(host.ask(Query(("tuned-adm", "verify"), _SECONDS)).rc == 0)


def activate(names: Sequence[str]) -> Run:
    """Switch to profiles, of which a later one wins, or tuned off."""
    return Run(("tuned-adm", "off") if list(names) == [OFF] else ("tuned-adm", "profile", *names), seconds=_SECONDS)
