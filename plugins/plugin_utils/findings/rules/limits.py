# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that have used up what they may have: open files, and places in the queue of a socket file."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import queue
from ..model import Hit, Rule
from ..view import Facts, Host

_ACCEPT = "net.core.somaxconn"


def at_the_limit(row: Facts) -> bool:
    """Whether a program may open no more than a few files, so that the next connections find it shut."""
    return 0 < row.count("most") <= row.count("open") + _SPARE


# What a program keeps open and closes again meanwhile.
_SPARE = 4


def _files(host: Host) -> Iterator[Hit]:
    rows = host.rows("limits", "open_files")
    if not rows:
        return
    told = {
        f"{row.text('program') or 'process'} {row.count('pid')}": f"{row.count('open')} of {row.count('most')} files"
        for row in rows
    }
    refused, since = host.protocol("TcpExtListenOverflows")
    if refused:
        told["accept queue overflowed"] = f"{refused} times {since}"
    yield Hit(told, severity="" if any(at_the_limit(row) for row in rows) else "note")


# A shorter queue is short on purpose.
_QUEUE = 10


def _socket_files(host: Host) -> Iterator[Hit]:
    limit, best = host.whole(_ACCEPT), queue(host)
    for row in host.rows("limits", "unix_queues"):
        most = row.count("most")
        if not row.text("path") or not row.count("waiting") >= most >= _QUEUE:
            continue
        evidence = {"socket": row.text("path"), "waiting": row.count("waiting"), "queue": most, _ACCEPT: limit}
        # The program may have asked for more, and has got what the kernel allows.
        cut = 0 < limit == most < best
        yield Hit(evidence, remedy={"tuning_host_sysctl": {_ACCEPT: {"at_least": best}}} if cut else {})


RULES = (
    Rule(
        id="open-files-short",
        severity="high",
        title="A program may open no more files, and so no more connections",
        condition="a program has all but four of the files open that it may; a note from 95 % of them on",
        explanation="Each connection is an open file, and most services begin with a limit of 1024. At the limit a "
        "program cannot accept or open connections (`Too many open files`), and the accept queue fills up behind it; "
        "no kernel parameter of the network helps.",
        action="Raise the limit of this program: `LimitNOFILE=` in its unit, `worker_rlimit_nofile` of nginx, "
        "`--ulimit nofile` of a container; and see whether it forgets to close files (`ls -l /proc/PID/fd`).",
        reference="https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html",
        host=_files,
    ),
    Rule(
        id="unix-queue-full",
        severity="medium",
        title="Programs are refused at a socket file, because its queue is full",
        condition="as many programs wait on a socket file as its queue of ten or more holds",
        explanation="Who connects to a socket file whose queue is full gets an error at once (`Resource temporarily "
        "unavailable`), such as nginx in front of PHP-FPM. The queue fills up when all workers behind it are busy, and "
        "the kernel cuts it to net.core.somaxconn.",
        action="Raise the limit and the backlog of the program (`listen.backlog` of PHP-FPM, `backlog` of others), and "
        "restart it; if the queue fills up again, it needs more or faster workers (`pm.max_children`).",
        reference="https://man7.org/linux/man-pages/man2/listen.2.html",
        host=_socket_files,
    ),
)
