# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the files that other programs are set by: how ours begin, and which of several folders counts."""

from __future__ import annotations

from typing import Dict, Sequence

from ..schema import Reader

HEADER = "# Written by the Ansible collection linuxnet.tuning: changes by hand will be lost."


def in_order(host: Reader, folders: Sequence[str], ending: str, beyond: str = "") -> Dict[str, str]:
    """The path of each file by its name, in the order of the names; of equal names the first folder wins.

    With `beyond` they are those that are read after a file of this name.
    """
    first: Dict[str, str] = {}
    for folder in folders:
        for entry in host.names(folder):
            if entry.endswith(ending) and entry > beyond:
                first.setdefault(entry, f"{folder}/{entry}")
    return dict(sorted(first.items()))
