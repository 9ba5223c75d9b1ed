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


def _said() -> str:
    """What was said so far, a line for each host: the Python of one that lacks the code, and the host."""
    with suppress(OSError), open(_file(), encoding="utf-8") as file:
        return file.read()
    return ""


def lacks(host: str) -> Optional[str]:
    """The Python of a host if it is to be taken that it lacks the code: it was not asked yet, and most lacked it.

    Each host reads what all have said, so nothing is taken apart where few of them lacked it.
    """
    said = "\n" + _said()
    if 2 * said.count(f"\n{_HAS} ") >= said.count("\n") - 1 or f" {host}\n" in said:
        return None
    # A full disk may have cut a line.
    pythons = Counter(line.split(" ")[0] for line in said.splitlines() if " " in line)
    del pythons[_HAS]
    return pythons.most_common(1)[0][0] if pythons else None


def note(host: str, lacked: Optional[str]) -> None:
    """Keep what a host said first: its Python if it `lacked` the code; from then on it has it."""
    if f" {host}\n" not in _said():
        with suppress(OSError), open(_file(), "a", encoding="utf-8") as file:
            file.write(f"{lacked or _HAS} {host}\n")
