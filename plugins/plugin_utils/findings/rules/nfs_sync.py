# SPDX-License-Identifier: GPL-3.0-or-later
"""NFS mounts that wait for the server at each write or each look: for its disks, or for what it says of a file."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _waits(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("nfs") if row.text("options", "sync") == "on"]
    if rows:
        yield Hit({row.text("at") or row.text("device"): f"sync, from {row.text('from')}" for row in rows})


def _looks(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("nfs") if row.text("options", "noac") == "on"]
    if rows:
        yield Hit({row.text("at") or row.text("device"): f"noac, from {row.text('from')}" for row in rows})


RULES = (
    Rule(
        id="nfs-mounted-noac",
        severity="note",
        title="A mount over NFS keeps nothing that it was told of files",
        condition="a mount over NFS has the option noac",
        explanation="The client asks the server for the attributes of a file each time a program looks, and writes "
        "wait for the disks as with sync. Programs with many small files, such as web servers and builds, then take "
        "ten times as long.",
        action="Take `noac` out of the options of the mount, unless programs on several clients must see each change "
        "at once (some databases and clusters ask for it); `actimeo=1` is a compromise.",
        reference="https://man7.org/linux/man-pages/man5/nfs.5.html",
        host=_looks,
    ),
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
