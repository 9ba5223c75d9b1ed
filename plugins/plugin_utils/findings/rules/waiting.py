# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that wait: before they are accepted, after they have ended, and for a program that does not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import much, queue, short_of_memory
from ..model import Hit, Rule
from ..view import Facts, Host
from .sockets import SHORT, dropped_at, own_backlog, own_words, short_backlogs

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html"
_SYN, _ACCEPT = "net.ipv4.tcp_max_syn_backlog", "net.core.somaxconn"
_WAIT, _BUFFERS = "net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_rmem"
_COOKIES = ("TcpExtTCPReqQFullDoCookies", "TcpExtSyncookiesSent")
# What the kernel keeps of a connection that has ended, in bytes, and the part of the memory for all of them.
_ENTRY, _PART = 256, 64


def _syn(host: Host) -> Iterator[Hit]:
    dropped, since = much(host, "TcpExtTCPReqQFullDrop")
    # A kernel counts why, and how many cookies it sent; with tcp_syncookies 2 it sends one to everybody.
    always = host.sysctl("net.ipv4.tcp_syncookies") == "2"
    cookies = 0 if always else max(much(host, name)[0] for name in _COOKIES)
    opened, _since = host.protocol("TcpPassiveOpens")
    if not dropped and (not cookies or cookies * 10_000 < opened):
        return
    best = queue(host)
    # Since Linux 4.3 the queue of a socket is as long as its backlog, which somaxconn limits; the other key counts only
    # where cookies are off (tcp_conn_request in net/ipv4/tcp_input.c).
    old = (0, 0) < host.release < (4, 3)
    keys = (_SYN,) if dropped and not cookies else (_SYN, _ACCEPT) if old else (_ACCEPT,)
    desired: dict[str, Any] = {key: {"at_least": best} for key in keys if 0 < host.whole(key) < best}
    if dropped and host.sysctl("net.ipv4.tcp_syncookies") == "0":
        desired["net.ipv4.tcp_syncookies"] = 1
    # Whoever only asks, such as a flood, does not send the cookie back.
    attack = not dropped and 0 <= _back(host) * _PARTS < cookies
    evidence = {
        **({"SYN queue full, dropped": f"{dropped} {since}"} if dropped else {}),
        **({"SYN queue full, answered with cookies": f"{cookies} {since}"} if cookies else {}),
        **{key: host.whole(key) for key in keys},
        "net.ipv4.tcp_syncookies": host.sysctl("net.ipv4.tcp_syncookies"),
    }
    if attack:
        seconds = host.number("protocols", "interval")
        flood = seconds is not None and cookies >= _FLOOD * seconds > 0
        evidence["cookies that came back"] = _back(host)
        yield Hit(evidence, action=_FLOODED if flood else _ATTACK, severity="" if flood else "note")
    elif keys != (_SYN,) and (own := own_backlog(host, best)):
        yield Hit({**evidence, **dropped_at(own)}, action=own_words(own, best))
    elif keys != (_SYN,) and (short := short_backlogs(host)):
        past = not desired and not host.number("protocols", "interval")
        yield Hit({**evidence, **short}, action=SHORT, severity="note" if past else "")
    elif desired:
        yield Hit(evidence, remedy={"tuning_host_sysctl": desired})
    elif cookies:
        action = "The limits are large enough: raise the backlog of the program itself, or see whether it is an attack."
        yield Hit(evidence, action=action, severity="" if host.number("protocols", "interval") else "note")


def _back(host: Host) -> int:
    """How many cookies came back with the last packet of a handshake; -1 where the kernel does not tell."""
    name = "TcpExtSyncookiesRecv"
    return host.protocol(name)[0] if host.number("protocols", "total", name) is not None else -1


# Of the cookies sent to clients most come back.
_PARTS = 4
# Requests in a second that nobody means, within an interval: no scan of ports is as fast.
_FLOOD = 1000
_FLOODED = (
    "This is a flood: hardly anybody who was answered goes on. Cookies keep the service alive, and no queue would be "
    "long enough, but each answer takes time of the processors and goes to addresses that are mostly forged. Let the "
    "provider or a firewall in front filter it; here drop the networks that it comes from (`ss -tn state syn-recv`), "
    "or let SYNPROXY of netfilter answer before the sockets, and lower net.ipv4.tcp_synack_retries until it is over."
)
_ATTACK = (
    "Few of those who were answered went on, as in a scan or an attack (SYN flood): cookies are the right answer, and "
    "a longer queue would only hold more of it. See who asks (`ss -tn state syn-recv`)."
)


def _ended(host: Host) -> Iterator[Hit]:
    count, since = much(host, "TcpExtTCPTimeWaitOverflow")
    most = host.whole(_WAIT)
    if count and most:
        memory = host.count("kernel", "memory_kib") * 1024
        room, twice = memory // _PART // _ENTRY, 1 << (most * 2 - 1).bit_length()
        best = min(max(twice, _own_limit(memory)), room) if room else most * 2
        mends = {"tuning_host_sysctl": {_WAIT: {"at_least": best}}}
        evidence = {"no room for connections that ended": f"{count} {since}", _WAIT: most}
        yield Hit(evidence, remedy=mends if best > most else {}, mends=mends)


def _own_limit(memory: int) -> int:
    """What the kernel begins with, which nobody has to be below: half of its hash table of connections (tcp_init)."""
    return min(1 << 19, 1 << (max(memory // _EACH_LIST, 2) - 1).bit_length()) // 2


# Memory for which that table gets one entry.
_EACH_LIST = 1 << 17


def _unread(host: Host) -> Iterator[Hit]:
    """Packets that had arrived and were thrown away again, or copied together, because the socket had no room."""
    # The backlog takes what arrives while the program holds the socket, up to the size of both buffers.
    names = ("TcpExtRcvPruned", "TcpExtTCPRcvQDrop", "TcpExtTCPBacklogDrop")
    count, since = sum(much(host, name)[0] for name in names), host.protocol(names[0])[1]
    full, _since = much(host, "TcpExtPruneCalled")
    taken, _since = host.protocol("TcpInSegs")
    limits = host.vector(_BUFFERS)
    filled = {"sockets that were full": f"{full} times {since}"} if full else {}
    if len(limits) != 3:
        return
    if count and count * 10_000 >= taken:
        yield _no_room(host, {"thrown away in a socket that was full": f"{count} of {taken} {since}", **filled})
    elif limits[2] >= _OWN_BUFFER:
        yield from _slow_reader(host, limits, taken)
    elif full and full * 10_000 >= taken:
        yield _no_room(host, filled)._replace(severity="note")


def _no_room(host: Host, evidence: dict[str, Any]) -> Hit:
    """Larger buffers: as much again, up to what the fastest link brings in a tenth of a second."""
    if short_of_memory(host):
        return Hit(evidence, severity="note", action=_NO_MEMORY)
    limits = host.vector(_BUFFERS)
    most = 1 << (host.fastest * 1_000_000 // 8 // 10).bit_length()
    best = min(limits[2] * 2, most)
    mends = {"tuning_host_sysctl": {_BUFFERS: {"at_least": [limits[0], limits[1], best]}}}
    remedy = mends if best > limits[2] else {}
    return Hit({**evidence, _BUFFERS: host.sysctl(_BUFFERS)}, remedy=remedy, mends=mends)


def _slow_reader(host: Host, limits: list[int], taken: int) -> Iterator[Hit]:
    """Sockets with large buffers that are full all the same, as their program does not read."""
    times, since = host.protocol("TcpExtPruneCalled")
    full, _since = much(host, "TcpExtPruneCalled")
    collapsed, _since = much(host, "TcpExtTCPRcvCollapsed")
    # Whole queues, of which somebody has made longer ones than the kernel's own, are copied all the time.
    copied = limits[2] > 2 * _OWN_BUFFER and collapsed * 1000 >= taken > 0
    if not copied and not (full and full * 10_000 >= taken):
        return
    evidence = {"sockets that were full": f"{times} times {since}", _BUFFERS: host.sysctl(_BUFFERS)}
    evidence.update({"packets copied together to make room": f"{collapsed} {since}"} if collapsed else {})
    if copied and host.number("protocols", "interval"):
        lower = {"tuning_host_sysctl": {_BUFFERS: _shorter(host, limits)}}
        yield Hit(evidence, remedy=lower, severity="low", action=_COPIES)
    else:
        yield Hit(evidence, severity="note", action=_SLOW_READER)


def _shorter(host: Host, limits: list[int]) -> str:
    """The buffers with a largest size that the fastest link fills within the longest round trip, twice for overhead."""
    trip = host.number("sockets", "rtt_ms") or 0
    best = max(_COPIED, min(limits[2] // 2, 1 << int(host.fastest * 125 * trip * 2).bit_length()))
    return f"{limits[0]} {min(limits[1], best)} {best}"


def _left_open(host: Host) -> Iterator[Hit]:
    row = Facts(host.at("sockets", "left_open"))
    waiting, every = row.count("count"), row.count("of")
    if waiting >= 1000 and waiting * 2 > every:
        yield Hit({"connections in CLOSE-WAIT": f"{waiting} of {every}", "port": row.text("port")})


_RETRIES = "net.ipv4.tcp_retries2"
# By docs.kernel.org a hypothetical 100 seconds and more, the least that RFC 1122 asks for; 15 are a quarter of an hour.
_FEWER = 8
_SEVERAL = 3


def _silent(host: Host) -> Iterator[Hit]:
    retries = host.whole(_RETRIES)
    # Who answers small packets is not gone, and pmtu-blackhole tells why he hears nothing.
    swallowed = tuple(
        f"{peer.text('address')} port "
        for peer in host.rows("peers")
        if peer.flag("answers") and not peer.flag("carries")
    )
    for row in host.rows("sockets", "silent"):
        if row.text("peer").startswith(swallowed):
            continue
        evidence = {
            "peer": row.text("peer"),
            "connections that wait for it": row.count("connections"),
            "no answer for": f"{row.count('seconds')} s",
            _RETRIES: retries,
        }
        lower = retries > _FEWER
        # One connection alone may have lost its peer on the way, as a laptop's does.
        several = row.count("connections") >= _SEVERAL
        remedy = {"tuning_host_sysctl": {_RETRIES: _FEWER}} if lower else {}
        yield Hit(evidence, remedy=remedy, severity="" if lower and several else "note")


# The kernel's own; a socket that has as much and is full has a program that does not read.
_OWN_BUFFER = 6291456
# What a processor copies together within some milliseconds.
_COPIED = 4194304
_COPIES = (
    "Lower the third number of tcp_rmem: the kernel copies a whole queue together each time it is full, and the longer "
    "it may be the longer that holds a processor in softirq, so that all else it serves waits for tens of milliseconds "
    "(`perf top` shows tcp_collapse). Then find the program that does not read (`ss -tmp`). Where uploads over long "
    "paths need such buffers, set them for these routes or programs only."
)
_NO_MEMORY = (
    "See the finding tcp-memory-pressure first: the kernel cuts all queues while TCP has no memory left, and larger "
    "buffers would only take more of it."
)
_SLOW_READER = (
    "Find the program that does not read (`ss -tmp`): nothing is lost, and a larger buffer only holds more of what "
    "waits. If processors spend their time in softirq, lower the third number of tcp_rmem, for the kernel copies the "
    "whole queue together each time it is full."
)

RULES = (
    Rule(
        id="syn-queue-overflows",
        severity="medium",
        title="More connections begin at once than the SYN queue holds",
        condition="at least 1000 requests (100 within an interval) were dropped because the queue was full, or "
        "answered with cookies and one in 10000 connections, and its limits are below 512 for each processor, or "
        "cookies are off; a note where neither is so, or where not one in four of the cookies came back and they are "
        "fewer than 1000 a second within an interval",
        explanation="A request waits in this queue for the last packet of the handshake. If the queue is full, the "
        "request is dropped, or answered with a cookie, which loses window scaling if timestamps are off.",
        action="Raise the limits, the backlog of the program as well, and keep cookies on. If the addresses are "
        "unknown, it is an attack.",
        reference=_PAGE,
        host=_syn,
        proven=True,
    ),
    Rule(
        id="peer-silent",
        severity="medium",
        title="Connections wait for a peer that does not answer any more",
        condition="three connections or more to one port of a peer have sent the same five times or more, and none has "
        "heard anything for a minute; a note for fewer that this host has opened, and where net.ipv4.tcp_retries2 is 8 "
        "or less",
        explanation="A peer that dies without a word, or a firewall that forgets a connection, is noticed only when "
        "TCP gives up, by default after a quarter of an hour. Until then pools hold dead connections, and a failover "
        "is not seen.",
        action="Let programs give up sooner (TCP_USER_TIMEOUT: `tcp_user_timeout` of libpq, PgBouncer and others, "
        "keepalive of gRPC), or lower net.ipv4.tcp_retries2 to 8, some 100 seconds, for all; and see what has become "
        "of the peer.",
        reference=_PAGE,
        host=_silent,
    ),
    Rule(
        id="sockets-not-closed",
        severity="medium",
        title="A program does not close connections that its peers have closed",
        condition="at least 1000 connections of one port, and more than half of all it has, are in CLOSE-WAIT",
        explanation="Such a connection waits for the program alone, and for ever. It holds a file descriptor, so that "
        "after some time the program can accept no more; no kernel parameter ends it.",
        action="Find the program (`ss -tnp state close-wait`), restart it, and mend how it handles ended connections, "
        "mostly an error path without close() or a pool that does not check its connections.",
        reference="https://man7.org/linux/man-pages/man7/tcp.7.html",
        host=_left_open,
    ),
    Rule(
        id="time-wait-overflow",
        severity="low",
        title="The table of ended connections (TIME_WAIT) is full",
        condition="at least 1000 connections (100 within an interval) could not wait after their end, because "
        "net.ipv4.tcp_max_tw_buckets was reached",
        explanation="A connection that has ended waits for a minute, so that late packets are not taken for those of "
        "a new one. Without an entry in the table it is forgotten at once, and the other end may be reset.",
        action="Raise the limit as far as the memory allows, and keep connections open (keep-alive).",
        reference=_PAGE,
        host=_ended,
        proven=True,
    ),
    Rule(
        id="tcp-receive-pruned",
        severity="medium",
        title="TCP discards received data, because the socket buffer is full",
        condition="at least 1000 packets (100 within an interval), and one in 10000, were discarded in a socket whose "
        "buffer was full; a note where sockets were full as often and nothing is known to be lost, which is no reason "
        "for larger buffers from the kernel's own size on, and while TCP is short of memory; low where one packet in "
        "1000 was copied together within an interval, and buffers may have more than twice that size",
        explanation="The peer has to retransmit them. The program reads too slowly, or the buffer does not hold a "
        "burst of small packets, which have much overhead.",
        action="Raise the third number of tcp_rmem, and find the program that does not read (`ss -tmp`).",
        reference=_PAGE,
        host=_unread,
        proven=True,
    ),
)
