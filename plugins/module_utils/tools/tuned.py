# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tuned-adm: which profile is active, whether it is still in force, and which ones there are."""

from __future__ import annotations

import re
from typing import Any, List, Sequence, Tuple

from ..schema import Query, Run

OFF = "none"

# Since tuned 2.23 profiles lie in folders of their own.
_FOLDERS = ("/etc/tuned/profiles", "/usr/lib/tuned/profiles", "/etc/tuned", "/usr/lib/tuned")


def profiles(host: Any) -> List[str]:
    """The names of all profiles; without a process, because tuned-adm takes half a second to start."""
    found = {name for folder in _FOLDERS for name in host.names(folder) if host.exists(f"{folder}/{name}/tuned.conf")}
    return sorted(found)


def active(host: Any) -> Tuple[str, str]:
    """The active profile, several joined by blanks, `none` without one; and what tuned-adm complained of."""
    answer = host.ask(Query(("tuned-adm", "active")))
    match = re.search(r"Current active profile: (.+)", answer.out)
    if match:
        return " ".join(match.group(1).split()), ""
    return (OFF, "") if "No current active profile" in answer.out else ("", answer.complaint)


def verified(host: Any) -> bool:
    """Whether the system still is as the profile has set it."""
    return bool(host.ask(Query(("tuned-adm", "verify"))).rc == 0)


def activate(names: Sequence[str]) -> Run:
    """Switch to profiles, of which a later one wins, or tuned off."""
    return Run(("tuned-adm", "off")) if list(names) == [OFF] else Run(("tuned-adm", "profile", *names))
