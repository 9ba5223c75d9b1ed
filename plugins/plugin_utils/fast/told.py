# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts of this run have the code, as those said that were asked: where most lack it, it goes to others unasked.

To be asked costs a host a command of its own. What was said stands in Ansible's temporary folder of this run, for each
host is asked in a process of its own; where that cannot be written, each host is asked.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from typing import Optional

from ansible import constants

# Which Python a host has that has the code; one that lacks it may be too old to say.
_HAS = "-"


def _file() -> str:
    return os.path.join(constants.DEFAULT_LOCAL_TMP, "linuxnet-tuning-code")


def lines() -> list[list[str]]:
    """What was said so far, a line for each host: the Python of one that lacks the code, and the host."""
    with suppress(OSError), open(_file(), encoding="utf-8") as file:
        # A full disk may have cut one.
        return [line.split(" ", 1) for line in file.read().splitlines() if " " in line]
    return []


def lacks(host: str) -> Optional[str]:
    """The Python of a host if it is to be taken that it lacks the code: it was not asked yet, and most lacked it."""
    said = lines()
    pythons = Counter(python for python, _host in said if python != _HAS)
    if 2 * sum(pythons.values()) <= len(said) or any(other == host for _python, other in said):
        return None
    return pythons.most_common(1)[0][0]


def note(host: str, lacked: Optional[str]) -> None:
    """Keep what a host said first: its Python if it `lacked` the code; from then on it has it."""
    if not any(other == host for _python, other in lines()):
        with suppress(OSError), open(_file(), "a", encoding="utf-8") as file:
            file.write(f"{lacked or _HAS} {host}\n")
