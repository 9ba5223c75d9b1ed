# SPDX-License-Identifier: GPL-3.0-or-later
"""Look in the system's journal for who may have changed a setting; pure, but for the one question."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.schema import Query, Reader, TuningError

# So many lines of the journal are looked through, so many are shown for one setting, and so much of each.
_LOOKED_AT, _SHOWN, _WIDTH = 5000, 3, 160
_OURS = "linuxnet-tuning"
_NAME = r"(?<![\w.-]){}(?![\w-])"


def read(host: Reader, since: float) -> list[Mapping[str, Any]]:
    """What was noted since a second of the clock, oldest first; nothing where there is no journal."""
    argv = ("journalctl", "--quiet", "--no-pager", "-o", "json", "-n", str(_LOOKED_AT), "--since", f"@{int(since)}")
    try:
        return list(_rows(host.ask(Query(argv)).out))
    except TuningError:
        return []


def _rows(text: str) -> Iterator[Mapping[str, Any]]:
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, Mapping) and isinstance(row.get("MESSAGE"), str):
            yield row


def about(rows: list[Mapping[str, Any]], where: str, setting: str) -> list[str]:
    """The last lines that name a NIC, or a kernel parameter, as `10:03:12 NetworkManager: ...`."""
    words = [setting, setting.replace(".", "/")] if where == "host" else [where]
    named = re.compile("|".join(_NAME.format(re.escape(word)) for word in words))
    found = dict.fromkeys(_line(row) for row in rows if named.search(row["MESSAGE"]) and not _is_ours(row))
    return [*found][-_SHOWN:]


def _is_ours(row: Mapping[str, Any]) -> bool:
    return any(str(row.get(key, "")).startswith(_OURS) for key in ("SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT", "UNIT"))


def _line(row: Mapping[str, Any]) -> str:
    stamp = str(row.get("__REALTIME_TIMESTAMP", ""))
    when = time.strftime("%H:%M:%S", time.localtime(int(stamp) / 1e6)) if stamp.isdecimal() else "at some time"
    message = " ".join(row["MESSAGE"].split())
    who = row.get("SYSLOG_IDENTIFIER") or row.get("_COMM") or "somebody"
    return f"{when} {who}: {message if len(message) <= _WIDTH else f'{message[:_WIDTH]} ...'}"
