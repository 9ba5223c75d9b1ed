# SPDX-License-Identifier: GPL-3.0-or-later
"""NFS: how far mounts read ahead, how much they ask for at once, by which protocol; and threads of a server."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..harm import enough, much
from ..model import Hit, Rule
from ..view import Facts, Host

_PAGE = "https://man7.org/linux/man-pages/man5/nfs.5.html"
# Since 2.6 a request may have 1 MiB; what somebody has written down before that is 32 KiB at most. With as little as
# the second all that a mount is used for waits.
_SMALL, _TINY = 32768, 8192


def _name(row: Facts) -> str:
    return row.text("at") or row.text("device")


# What the kernel takes since Linux 5.4, in KiB; and what a request has where the mount does not tell.
_KERNEL_AHEAD, _REQUEST = 128, 1024


def _best_ahead(host: Host, row: Facts) -> int:
    """KiB to read ahead: two requests, but no more than the link brings within 10 ms, as a power of two."""
    word = row.text("options", "rsize")
    request = int(word) // 1024 if re.fullmatch(r"\d{4,8}", word) else _REQUEST
    return 1 << max(_KERNEL_AHEAD, min(2 * request, _brings(host, 10))).bit_length() - 1


def _brings(host: Host, milliseconds: int) -> int:
    """KiB that the fastest link brings within some time."""
    return host.fastest * 1000 * milliseconds // 8 // 1024


def _read_ahead(host: Host) -> Iterator[Hit]:
    rows = [row for row in host.rows("nfs") if 0 < row.count("read_ahead_kb") <= _KERNEL_AHEAD]
    best = max((_best_ahead(host, row) for row in rows), default=0)
    if best > _KERNEL_AHEAD and host.release >= (5, 4):
        slow = {_name(row): f"{row.count('read_ahead_kb')} KiB" for row in rows}
        yield Hit({**slow, "kernel": host.text("kernel", "release")}, action=_AHEAD.format(best, _KEEP))


_AHEAD = (
    "Set {0} KiB for each mount: `echo {0} > /sys/class/bdi/DEVICE/read_ahead_kb`, and permanently {1}. Measure it: "
    "much more helps a single stream over a long way, and slows down many streams."
)
_KEEP = "with nfsrahead in /etc/nfs.conf or with a udev rule"


def _too_far(host: Host) -> Iterator[Hit]:
    """Each read that is not the next one of a file waits until the link has brought what nobody asked for."""
    for row in host.rows("nfs"):
        ahead, best = row.count("read_ahead_kb"), _best_ahead(host, row)
        if ahead > best and ahead >= _brings(host, 1000):
            evidence = {_name(row): f"{ahead} KiB", "fastest link": f"{host.fastest}Mb/s"}
            yield Hit(evidence, action=_LESS_AHEAD.format(best, _KEEP))


_LESS_AHEAD = "Set {0} KiB: `echo {0} > /sys/class/bdi/DEVICE/read_ahead_kb`, and permanently {1}."


def _datagrams(host: Host) -> Iterator[Hit]:
    mounts = {
        _name(row): row.text("from") for row in host.rows("nfs") if row.text("options", "proto") in ("udp", "udp6")
    }
    if mounts and host.fastest >= 1000:
        failed, since = host.protocol("IpReasmFails")
        lost = {"fragments that came to nothing": f"{failed} {since}"} if failed else {}
        yield Hit({**{f"proto=udp at {at}": origin for at, origin in mounts.items()}, **lost})


def _requests(host: Host) -> Iterator[Hit]:
    small, used = {}, {}
    for row in host.rows("nfs"):
        sizes = {key: row.text("options", key) for key in ("rsize", "wsize")}
        numbers = {key: int(word) for key, word in sizes.items() if re.fullmatch(r"\d{1,8}", word)}
        if row.text("options", "proto").startswith("tcp") and numbers and min(numbers.values()) <= _SMALL:
            small[_name(row)] = ", ".join(f"{key}={size}" for key, size in numbers.items())
            if min(numbers.values()) <= _TINY and row.count("calls") >= _MANY_CALLS:
                used[f"calls of {_name(row)}"] = row.count("calls")
    if small and host.fastest >= 1000:
        yield Hit({**small, **used}, action=_ROOT if list(small) == ["/"] else "", severity="low" if used else "")


_ROOT = (
    "The kernel mounts its root file system with 4096 unless told otherwise: write `rsize=1048576,wsize=1048576` among "
    "the options of `nfsroot=` in its command line."
)


def _threads(host: Host) -> Iterator[Hit]:
    threads, cpus = host.count("protocols", "fill", "nfsd_threads"), host.count("kernel", "cpu_count")
    (queued, since), (found, _since) = host.protocol("nfsd_enqueued"), host.protocol("nfsd_woken")
    # Until Linux 4.13 a request is put into the queue only where no thread is idle, and more arrive than are; later
    # each of them is, also those for which an idle one is found.
    arrived, _since = host.protocol("nfsd_arrived")
    either = arrived * 20 > queued * 21
    every = arrived if either else queued
    waited, _since = enough(host, queued if either else queued - found, since)
    full, _since = much(host, "nfsd_full")
    now = host.number("protocols", "interval")
    late = waited * (2 if now else 4) >= every if waited else False
    if not late and not full:
        return
    best = _plenty(host)
    evidence = {
        "nfsd threads": threads,
        **({"no thread was free": f"{waited} of {every} times {since}"} if late else {}),
        **({"all threads were busy": f"{full} times {since}"} if full else {}),
    }
    idle = bool(cpus) and threads >= 8 * cpus
    action = _ENOUGH_THREADS if idle else _MORE_THREADS.format(best)
    # Whoever has twice as many processors has not chosen so few threads.
    few = late and 0 < threads * 2 <= cpus
    yield Hit(evidence, action=action, severity="" if now and late and not idle else "low" if few else "note")


def _plenty(host: Host) -> int:
    """Threads for a server whose own are all busy."""
    threads, cpus = host.count("protocols", "fill", "nfsd_threads"), host.count("kernel", "cpu_count")
    return 1 << max(4 * cpus, 2 * threads, _FEW_THREADS * 2).bit_length() - 1


# What nfs-utils starts where nobody has asked for more.
_FEW_THREADS = 8
_MORE_THREADS = (
    "Use {0} threads: `threads={0}` below [nfsd] in /etc/nfs.conf (RPCNFSDCOUNT in older files), and `rpc.nfsd {0}` at "
    "once; then see whether the disks keep up (`iostat -x 1`), for more threads do not make them faster."
)
_ENOUGH_THREADS = (
    "There are many threads for these processors: see what they wait for, mostly the disks (`iostat -x 1`), instead of "
    "adding more."
)


def _again(host: Host) -> Iterator[Hit]:
    again, since = much(host, "nfs_again")
    calls, _since = host.protocol("nfs_calls")
    if not again or again * 1000 < calls:
        return
    hasty = {}
    for row in host.rows("nfs"):
        word = row.text("options", "timeo")
        if row.text("options", "proto").startswith("tcp") and re.fullmatch(r"\d{1,6}", word) and int(word) < _HASTY:
            hasty[f"timeo at {_name(row)}"] = f"{int(word) / 10:g} s"
    evidence = {"calls sent again": f"{again} of {calls} {since}", **hasty}
    harm = host.number("protocols", "interval") or again * 100 >= calls
    yield Hit(evidence, action=_PATIENCE if hasty else "", severity="" if harm else "note")


# Tenths of a second; TCP itself sends again what was lost, so nfs(5) waits 60 seconds there.
_HASTY = 100
_PATIENCE = (
    "Take timeo out of the options of these mounts: over TCP it is 600 (a minute), and whoever asks again sooner gives "
    "a busy server the same work twice."
)


# The number of calls over one connection: since Linux 3.1 it grows from the first to the second.
_SLOTS, _MOST_SLOTS = "sunrpc.tcp_slot_table_entries", "sunrpc.tcp_max_slot_table_entries"
# So many calls are no burst, so many ms a person feels, and so many slots servers of NFS take of one connection.
_MANY_CALLS, _CALLS_NOW, _FELT_MS, _TAKEN = 100_000, 1000, 10.0, 128


def _slots(host: Host) -> Iterator[Hit]:
    key = _MOST_SLOTS if host.whole(_MOST_SLOTS) else _SLOTS
    slots = host.whole(key)
    for row in host.rows("nfs"):
        now = row.number("interval")
        told = Facts(row.at("growth")) if now else row
        queued, answered = told.number("queue_ms") or 0, told.number("answer_ms") or 0
        least = _CALLS_NOW if now else _MANY_CALLS
        if told.count("calls") < least or queued < _FELT_MS or queued < 2 * answered or not slots:
            continue
        # UDP and RDMA have slots of their own, whose number these parameters do not limit.
        if row.text("options", "proto").startswith(("udp", "rdma")):
            continue
        # From NFS 4.1 on the server says how many calls it takes at once.
        agreed = row.text("options", "vers") in ("4.1", "4.2")
        evidence = {
            "mount": _name(row),
            "a call waits to be sent": f"{queued:g} ms" + (f" in {now:g} s" if now else ""),
            "the server answers after": f"{answered:g} ms",
            **({} if agreed else {key: slots}),
        }
        few = slots < _TAKEN and not agreed
        several = row.text("options", "nconnect") not in ("", "1")
        action = _SEVERAL if several else _NCONNECT
        # What a mount has counted, it has since it began.
        mends = {"tuning_host_sysctl": {key: {"at_least": _TAKEN}}}
        # One outage of the server is enough for such an average since the mount, and many calls at once for one within
        # an interval, unless there are few slots.
        hit = Hit(evidence, mends={} if agreed else mends, severity="low" if now and few else "note")
        yield hit._replace(remedy=mends) if few else hit._replace(action=action)


_NCONNECT = (
    "One connection carries no more calls at once (NFS 4.1 agrees with the server on `max_session_slots`): mount with "
    "`nconnect=4` or more, and see whether the server or the link is busy."
)

_SEVERAL = "The mount has several connections already: see whether the server or the link is busy, or was away."


def _connections(host: Host) -> Iterator[Hit]:
    threads, held = (host.count("protocols", "fill", f"nfsd_{name}") for name in ("threads", "connections"))
    limit = host.count("protocols", "fill", "nfsd_max_connections")
    # svc_check_conn_limits() in net/sunrpc/svc_xprt.c, up to the commit that ended it.
    most = limit or (threads + 3) * 20
    if threads and held * 10 >= most * 9 and (0, 0) < host.release < (6, 14):
        # The other finding advises a number as well.
        busy = _plenty(host) if any(_threads(host)) else 0
        best = max(busy, 1 << max((held * 2 // 20 - 3).bit_length(), threads.bit_length()))
        why = "max_connections" if limit else "most for so many threads"
        shown = {"connections to port 2049": held, "nfsd threads": threads, why: most}
        yield Hit(shown, action=_RAISE if limit else _ROOM.format(best))


_ROOM = (
    "Use {0} threads: `threads={0}` below [nfsd] in /etc/nfs.conf (RPCNFSDCOUNT in older files), and `rpc.nfsd {0}` at "
    "once; or write a limit of its own into /proc/fs/nfsd/max_connections before the server starts, or use Linux 6.14."
)

_RAISE = "Write a higher number into /proc/fs/nfsd/max_connections before the server starts, or 0 to go by its threads."


RULES = (
    Rule(
        id="nfs-calls-sent-again",
        severity="medium",
        title="A client of NFS sends its calls again",
        condition="at least 1000 calls (100 within an interval), and one in 1000, were sent again; since the boot it "
        "is a note up to one in a hundred",
        explanation="The server did not answer in time, over TCP as a rule within a minute. It is overloaded or was "
        "away, a path or its MTU loses whole segments, or the mount is impatient.",
        action="See the server first: its threads, disks and network (an audit of it shows them); then the path "
        "between them, with packets as large as the MTU.",
        reference="https://github.com/ltsp/ltsp/issues/27",
        host=_again,
        proven=True,
    ),
    Rule(
        id="nfsd-connections-full",
        severity="medium",
        title="The NFS server has hardly room for more connections",
        condition="an NFS server before Linux 6.14 has 90 % of the connections that it takes: what stands in "
        "max_connections, else 20 for each of its threads and three more",
        explanation="Above that it closes a connection whenever a new one comes (`nfsd: too many open connections` in "
        "the kernel's log), and clients connect and repeat their calls in turn. With nconnect each client has several.",
        action="Start more threads.",
        reference="https://github.com/BiBiServ/bibigrid/issues/695",
        host=_connections,
    ),
    Rule(
        id="nfs-calls-wait",
        severity="low",
        title="Calls of NFS wait for a place before they are sent",
        condition="of at least 1000 calls of a mount over TCP within an interval each waited 10 ms or more before it "
        "was sent, on average, and twice as long as for the server's answer, and there are fewer than 128 slots; a "
        "note where there are more, and of 100000 calls since the mount",
        explanation="A connection has a number of slots, and each call takes one until it is answered. Old kernels and "
        "guides have 16 or fewer, so that a fast server is idle while calls wait on the client.",
        action="Raise the number of slots, and mount again, for a mount keeps the number that it began with.",
        reference="https://docs.netapp.com/us-en/ontap-apps-dbs/mysql/mysql-slot-tables.html",
        host=_slots,
    ),
    Rule(
        id="nfs-readahead",
        severity="note",
        title="NFS reads only a little ahead",
        condition="a mount over NFS has a read-ahead of 128 KiB or less, on Linux 5.4 or later, and two of its "
        "requests, and what the fastest link brings within 10 ms, are more",
        explanation="Until Linux 5.3 it was 15 times the size of a read, and since then it is 128 KiB. A single "
        "stream then waits for round trips all the time.",
        action="Let it read one or two requests ahead, and measure.",
        reference="https://man7.org/linux/man-pages/man5/nfsrahead.5.html",
        host=_read_ahead,
    ),
    Rule(
        id="nfs-reads-too-far",
        severity="low",
        title="NFS reads further ahead than a slow link can carry",
        condition="the read-ahead of a mount over NFS takes the fastest link of the host a second or more",
        explanation="Kernels before Linux 5.4 read 15 requests ahead, with the usual 1 MiB each. At 100 Mb/s a program "
        "that starts waits more than a second for data that nobody needs, again and again.",
        action="Let it read less ahead.",
        reference="https://github.com/ltsp/ltsp/issues/27",
        host=_too_far,
    ),
    Rule(
        id="nfs-over-udp",
        severity="medium",
        title="NFS over UDP on a link of 1 Gb/s or more",
        condition="a mount over NFS uses UDP, and a link of the host has 1000 Mb/s or more",
        explanation="Each request is cut into fragments, and one lost fragment costs all of them and a second. At 1 "
        "Gb/s their numbers begin anew within the time in which fragments wait, so parts of different requests may be "
        "put together, and data is damaged without a word.",
        action="Mount with proto=tcp, which nfs(5) asks for at this speed; many kernels since Linux 5.6 have no UDP "
        "for it.",
        reference="https://github.com/LibreELEC/LibreELEC.tv/issues/7670",
        host=_datagrams,
    ),
    Rule(
        id="nfs-small-requests",
        severity="note",
        title="NFS asks for little at once",
        condition="a mount over NFS by TCP has an rsize or wsize of 32768 or less, and a link of the host has 1000 "
        "Mb/s or more; low with 8192 or less, where the mount has made 100000 calls",
        explanation="Client and server agree on up to 1 MiB, unless somebody has written less into the mount's "
        "options. Each request costs a round trip and processor time on both sides.",
        action="Take rsize and wsize out of the options of the mount (fstab, autofs), and see what the server allows.",
        reference=_PAGE,
        host=_requests,
    ),
    Rule(
        id="nfsd-threads-busy",
        severity="medium",
        title="Requests wait, because all threads of the NFS server are busy",
        condition="within an interval no idle thread was found for at least 100 requests to nfsd, and for half of all; "
        "since the boot 1000 and a quarter, which is low with half as many threads as processors or fewer, and else a "
        "note; a note as well where on kernels before 2.6.30 all threads were busy 1000 times, and with eight threads "
        "for each processor",
        explanation="Each thread serves one request, and waits while the disk does. With the usual eight, a few "
        "clients that read at random make all others wait, and network and processors look idle.",
        action="Start more threads.",
        reference="https://docs.kernel.org/filesystems/nfs/knfsd-stats.html",
        host=_threads,
    ),
)
