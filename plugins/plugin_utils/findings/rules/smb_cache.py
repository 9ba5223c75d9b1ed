# SPDX-License-Identifier: GPL-3.0-or-later
"""SMB: mounts that keep nothing of what they have read."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _uncached(host: Host) -> Iterator[Hit]:
    mounts = {
        f"cache=none at {row.text('at')}": row.text("from")
        for row in host.rows("smb")
        if row.text("options", "cache") == "none"
    }
    if mounts:
        yield Hit(mounts)


RULES = (
    Rule(
        id="smb-mounted-without-cache",
        severity="note",
        title="A share is mounted without a cache",
        condition="a mount of the type cifs has cache=none",
        explanation="Each read and write of a program then goes to the server by itself, however small it is, and "
        "nothing is read ahead. Programs that read in small pieces get some MB/s on any link.",
        action="Take `cache=none` (in old guides `directio`, `forcedirectio`) out of the options of the mount, unless "
        "several clients write to the same file; `cache=strict` is the default, and safe.",
        reference="https://man7.org/linux/man-pages/man8/mount.cifs.8.html",
        host=_uncached,
    ),
)
