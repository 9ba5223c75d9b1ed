# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts of this run have the code, as those said that were asked: where most lack it, it goes to others unasked.

To be asked costs a host a command of its own. What was said stands in Ansible's temporary folder of this run, for each
host is asked in a process of its own; where that cannot be written, each host is asked.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ansible import constants

_HAS, _LACKED = "+", "-"


def _file() -> str:
    return os.path.join(constants.DEFAULT_LOCAL_TMP, "linuxnet-tuning-code")


def lines() -> list[str]:
    """What was said so far, a line for each host."""
    with suppress(OSError), open(_file(), encoding="utf-8") as file:
        return file.read().splitlines()
    return []


def lacks(host: str) -> bool:
    """Whether to take it that a host lacks the code: it was not asked yet, and most that were lacked it."""
    said = lines()
    lacked = sum(line.startswith(_LACKED) for line in said)
    return 2 * lacked > len(said) and not any(line[1:] == host for line in said)


def note(host: str, *, lacked: bool) -> None:
    """Keep what a host said first; from then on it has the code."""
    if not any(line[1:] == host for line in lines()):
        with suppress(OSError), open(_file(), "a", encoding="utf-8") as file:
            file.write(f"{_LACKED if lacked else _HAS}{host}\n")
