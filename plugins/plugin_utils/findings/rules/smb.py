# SPDX-License-Identifier: GPL-3.0-or-later
"""SMB: mounts by the first version of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _first(host: Host) -> Iterator[Hit]:
    mounts = {
        f"vers=1.0 at {row.text('at')}": f"{row.text('from')}, rsize {row.text('options', 'rsize') or 'not told'}"
        for row in host.rows("smb")
        if row.text("options", "vers") == "1.0"
    }
    if mounts:
        yield Hit(mounts)


RULES = (
    Rule(
        id="smb-first-version",
        severity="low",
        title="A share is mounted by version 1 of SMB",
        condition="a mount of the type cifs has vers=1.0",
        explanation="Version 1 reads at most 64 KiB at once and keeps few requests on their way, so a path of some "
        "milliseconds or a fast link stays idle. It has no encryption either, and Linux warns of it at each mount.",
        action="Take `vers=1.0` out of the options of the mount (fstab, autofs), so that both ends choose the newest "
        "version; if the mount then fails, switch SMB 2 or 3 on at the server.",
        reference="https://github.com/lmakarov/boot2docker-vagrant/issues/66",
        host=_first,
    ),
)
