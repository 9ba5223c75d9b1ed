# SPDX-License-Identifier: GPL-3.0-or-later
"""NFS mounts that wait for the server's disks at each write."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _waits(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("nfs") if row.text("options", "sync") == "on"]
    if rows:
        yield Hit({row.text("at") or row.text("device"): f"sync, from {row.text('from')}" for row in rows})


RULES = (
    Rule(
        id="nfs-mounted-sync",
        severity="note",
        title="Each write to a mount over NFS waits for the server's disks",
        condition="a mount over NFS has the option sync",
        explanation="The client collects nothing, and sends each write of a program alone, for which the server's "
        "disks have to be ready before the next one. Copies and backups then run at some MB/s, whatever the link.",
        action="Take `sync` out of the options of the mount (fstab, autofs), unless a program there must not lose what "
        "it has written last: closing a file, and fsync, wait for the disks in any case. The option of the same name "
        "of the server (/etc/exports) is another one, and may stay.",
        reference="https://man7.org/linux/man-pages/man5/nfs.5.html",
        host=_waits,
    ),
)
