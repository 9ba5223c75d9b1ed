# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `journalctl`: what was noted on a host since a second of the clock."""

from __future__ import annotations

import json
from typing import Any, Iterator, List, Mapping, NamedTuple

from ..schema import Query, Reader, TuningError

# So many lines, the newest.
_MOST = 5000


class Note(NamedTuple):
    """One line: when in seconds (0 if it does not tell), who has written it, for which unit, and the words."""

    when: float
    who: str
    unit: str
    text: str


def since(host: Reader, second: float) -> List[Note]:
    """Oldest first; nothing where there is no journal."""
    argv = ("journalctl", "--quiet", "--no-pager", "-o", "json", "-n", str(_MOST), "--since", f"@{int(second)}")
    try:
        return list(parse(host.ask(Query(argv)).out))
    except TuningError:
        return []


def parse(text: str) -> Iterator[Note]:
    """A JSON object on each line; a message that is no text is a list of bytes, and left out."""
    for line in text.splitlines():
        try:
            row: Any = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, Mapping) and isinstance(row.get("MESSAGE"), str):
            stamp = str(row.get("__REALTIME_TIMESTAMP", ""))
            who = row.get("SYSLOG_IDENTIFIER") or row.get("_COMM") or "somebody"
            unit = row.get("UNIT") or row.get("_SYSTEMD_UNIT") or ""
            yield Note(int(stamp) / 1e6 if stamp.isdecimal() else 0, str(who), str(unit), row["MESSAGE"])
