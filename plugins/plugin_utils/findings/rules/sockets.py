# SPDX-License-Identifier: GPL-3.0-or-later
"""The last stage: sockets of TCP whose queues overflow, ports that run out, orphans, memory, paths that swallow."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import HOUR, much, queue, seldom, short_of_memory, stolen, throttled
from ..model import Hit, Rule
from ..view import Facts, Host
from .limits import at_the_limit

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html"


def _listen(host: Host) -> Iterator[Hit]:
    count, since = much(host, "TcpExtListenOverflows")
    opened, _since = host.protocol("TcpPassiveOpens")
    if not count or count * 10_000 < opened:
        return
    limit, best = host.whole("net.core.somaxconn"), queue(host)
    evidence: dict[str, object] = {"accept queue overflowed": f"{count} times {since}", "net.core.somaxconn": limit}
    # Who may open no more files accepts nothing, however long the queue is.
    stopped = [row.text("program") for row in host.rows("limits", "open_files") if at_the_limit(row)]
    own, late = own_backlog(host, best), bool(stolen(host)[0] or throttled(host))
    if stopped:
        yield Hit({**evidence, "at the limit of open files": stopped}, action=_STOPPED, severity="note")
    elif own and not late:
        yield Hit({**evidence, **dropped_at(own)}, action=own_words(own, best))
    elif not late and (short := short_backlogs(host)):
        # Programs may have been restarted since a limit that is large enough was set.
        past = limit >= best and not host.number("protocols", "interval")
        yield Hit({**evidence, **short}, action=SHORT, severity="note" if past else "")
    elif late and (limit >= best or not stolen(host)[0]):
        yield Hit(evidence, action=_TAKEN if stolen(host)[0] else _QUOTA, severity="note")
    elif 0 < limit < best:
        yield Hit(evidence, remedy={"tuning_host_sysctl": {"net.core.somaxconn": {"at_least": best}}})
    else:
        action = "The limit is large enough: raise the backlog of the program itself, and see why it accepts so slowly."
        yield Hit(evidence, action=action, severity="" if host.number("protocols", "interval") else "note")


def own_backlog(host: Host, best: int) -> Facts | None:
    """The port that has dropped most, if its program asks for a short queue, and not the kernel that makes it short."""
    row = next(iter(host.rows("sockets", "refused_at")), None)
    most = min(host.whole("net.core.somaxconn"), best)
    if not row or row.count("lost") < 1000 or row.count("backlog") >= most:
        return None
    # A program that runs on keeps what the limit was when it began, and that was 128 until Linux 5.4.
    return None if row.count("backlog") == 128 and host.release < (5, 4) else row


# Since this release the kernel counts for each socket what it has dropped, so that the right port is known.
_TELLS = (4, 7)


def dropped_at(row: Facts) -> dict[str, str]:
    """A port that has dropped connections, as a person reads it."""
    return {f"port {row.count('port')}": f"backlog {row.count('backlog')}, {row.count('lost')} connections dropped"}


def own_words(row: Facts, best: int) -> str:
    """What to do about a port whose program asks for too little."""
    return _OWN.format(row.count("port"), best)


def short_backlogs(host: Host) -> dict[str, str]:
    """The ports with the shortest queues, where no program has asked for as much as somaxconn allows; else nothing."""
    longest, limit = host.count("sockets", "backlogs", "longest"), host.whole("net.core.somaxconn")
    if not 0 < longest < limit or not (0, 0) < host.release < _TELLS:
        return {}
    rows = host.rows("sockets", "backlogs", "shortest")
    return {f"backlog of port {row.count('port')}": str(row.count("backlog")) for row in rows}


SHORT = (
    "No program that listens here has asked for as much as net.core.somaxconn allows, or it was raised after they had "
    "begun, so raising it more changes nothing: raise the backlog of the program whose clients come all at once "
    "(`socket.listen.backlog.size` of Kafka, `backlog` of `listen` in nginx, `tcp-backlog` of Redis), and restart it."
)
_OWN = (
    "Raise the backlog of the program at port {0}, which somaxconn does not limit: to some {1} (`backlog` of `listen` "
    "in nginx, `tcp-backlog` of Redis, `--backlog` of gunicorn, the second number of listen() in one of your own), "
    "restart it, and let it accept faster. `ss -tlnm` shows what each port has dropped (d)."
)
_TAKEN = "See the finding processor-taken-away first: while the hypervisor runs others, the program accepts nothing."
_QUOTA = "See the finding processor-quota-used-up first: while its quota is used up, the program accepts nothing."
_STOPPED = "See the finding open-files-short first: a program that may open no more files cannot accept connections."


def _ports(host: Host) -> Iterator[Hit]:
    span = host.vector("net.ipv4.ip_local_port_range")
    known = host.number("sockets", "ports") is not None
    # The search for a free one is long before the last one is taken: connect() passes over every second port, and
    # takes those when it has tried all others (since Linux 4.2, __inet_hash_connect in net/ipv4/inet_hashtables.c).
    room = span[1] - span[0] + 1 if len(span) == 2 else 0
    used, clear = (host.count("sockets", "ports"), True) if known else _connections(host, room)
    full = used >= (0.8 if known else 0.9) * room
    if room and (full or (known and used * 2 >= room and host.release >= (4, 2))):
        evidence = {
            "net.ipv4.ip_local_port_range": host.sysctl("net.ipv4.ip_local_port_range"),
            "connections in use or waiting": used,
            **({"all to": host.text("sockets", "ports_to")} if known else {}),
        }
        first = min(10240, span[0])
        desired: dict[str, object] = {}
        if span != [first, 65535]:
            desired["net.ipv4.ip_local_port_range"] = f"{first} 65535"
        if host.sysctl("net.ipv4.tcp_tw_reuse") != "1":
            desired["net.ipv4.tcp_tw_reuse"] = 1
        wider = (65536 - first) * 4 >= room * 5
        remedy = {"tuning_host_sysctl": desired} if desired and (wider or full) else {}
        # Whoever opens many connections now goes that long way each time, with a processor.
        (opened, since), seconds = host.protocol("TcpActiveOpens"), host.number("protocols", "interval")
        hurried = known and seconds is not None and opened >= _OFTEN * seconds > 0
        evidence.update({"connections opened": f"{opened} {since}"} if hurried else {})
        severity = "" if (full and clear) or hurried else "note"
        yield Hit(evidence, remedy=remedy, severity=severity, action="" if wider else _MORE_ADDRESSES)


# Connections a second: some ten thousand ports are some milliseconds for each of them.
_OFTEN = 100
_MORE_ADDRESSES = (
    "The range is wide already, and each connection to one address and port needs a port of its own: use more "
    "addresses on either side (`source` of HAProxy, `proxy_bind` of nginx, several addresses of the server), and keep "
    "connections open (keep-alive)."
)


def _connections(host: Host, room: int) -> tuple[int, bool]:
    """All connections of a host that opens about as many as it accepts: a server has many on one port.

    Where nobody knows who has opened them, those that wait, if they are just as many as there are ports; not for sure.
    """
    own, others = host.protocol("TcpActiveOpens")[0], host.protocol("TcpPassiveOpens")[0]
    used, waiting = (host.count("protocols", "fill", name) for name in ("tcp_inuse", "tcp_tw"))
    if not own and not others:
        return waiting if 0.9 * room <= waiting <= room else 0, False
    return used + waiting if own * 2 >= others else 0, True


def _crowded(host: Host) -> bool:
    """Whether as many connections belong to no program any more as may, or nearly."""
    most = host.whole("net.ipv4.tcp_max_orphans")
    return most > 0 and host.count("protocols", "fill", "tcp_orphan") >= 0.8 * most


def _orphans(host: Host) -> Iterator[Hit]:
    most, now = host.whole("net.ipv4.tcp_max_orphans"), host.count("protocols", "fill", "tcp_orphan")
    if _crowded(host):
        # One may take 64 KiB that cannot be swapped, so all of them a quarter of the memory at most.
        memory, each = host.count("kernel", "memory_kib") // 4, 64
        sockets, pages = (host.count("protocols", "fill", name) for name in ("tcp_alloc", "tcp_mem"))
        # Where that leaves no room, what sockets take now tells more; four times as much is enough for any of them.
        if most * each >= memory and now <= sockets and pages and not _pressed(host):
            each = min(each, max(4, 4 * 4 * pages // sockets))
        room = memory // each
        best = min(most * 4, room) if room else most * 4
        remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_max_orphans": {"at_least": best}}} if best > most else {}
        action = "" if remedy or not room else _NO_ROOM
        yield Hit({"orphans": now, "net.ipv4.tcp_max_orphans": most}, remedy=remedy, action=action)


_NO_ROOM = (
    "The memory does not allow for more: see why peers do not answer, and let the kernel give up sooner "
    "(net.ipv4.tcp_orphan_retries, net.ipv4.tcp_fin_timeout)."
)


def _pressed(host: Host) -> bool:
    """Whether TCP uses more memory than it may have without being told to save."""
    limits = host.vector("net.ipv4.tcp_mem")
    return not limits or host.count("protocols", "fill", "tcp_mem") >= limits[0]


def _memory(host: Host) -> Iterator[Hit]:
    limits, used = host.vector("net.ipv4.tcp_mem"), host.count("protocols", "fill", "tcp_mem")
    pressed, since = host.protocol("TcpExtTCPMemoryPressures")
    reset, _since = much(host, "TcpExtTCPAbortOnMemory")
    short, now = short_of_memory(host), bool(host.number("protocols", "interval"))
    # Orphans above their limit are reset under the same name.
    often = reset and (now or not seldom(host, reset, HOUR)) and not _crowded(host)
    if len(limits) != 3 or not (short or often):
        return
    evidence = {
        "pages in use": used,
        "net.ipv4.tcp_mem": host.sysctl("net.ipv4.tcp_mem"),
        "under pressure": f"{pressed} times {since}",
        **({"connections reset for want of memory": f"{reset} {since}"} if reset else {}),
    }
    # Up to a quarter of the memory, in pages of 4 KiB.
    most = min(max(limits[2], used) * 2, host.count("kernel", "memory_kib") // 16)
    desired = f"{most // 2} {most * 3 // 4} {most}"
    remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_mem": desired}} if most > limits[2] and short else {}
    yield Hit(evidence, remedy=remedy, action="" if short else _WAS_SHORT, severity="" if short or now else "note")


_WAS_SHORT = (
    "The kernel resets connections when TCP has used up the third number of net.ipv4.tcp_mem, or when too many of them "
    "belong to no program any more (net.ipv4.tcp_max_orphans): see in its log which it was (`out of memory -- consider "
    "tuning tcp_mem`, `too many orphaned sockets`), raise that as far as the memory allows, and see which program does "
    "not read."
)


def _black_hole(host: Host) -> Iterator[Hit]:
    lost, since = host.protocol("TcpExtTCPMTUPFail")
    found: dict[str, object] = {}
    if lost >= (10 if host.number("protocols", "interval") else 100):
        found["probes of the path's MTU that were lost"] = f"{lost} {since}"
    for peer in host.rows("peers"):
        # Above 1500 it is the own network that does not carry jumbo frames (mtu.py), unless a connection through a
        # router has agreed on them.
        routed = peer.flag("stuck") is True and peer.flag("link") is not True
        full = 0 < peer.count("mtu") <= 1500 or routed
        if peer.flag("answers") is True and peer.flag("carries") is False and full:
            found[f"no answer of {peer.count('mtu')} bytes from"] = peer.text("address")
            if peer.count("largest"):
                found["the largest packet that comes back"] = peer.count("largest")
    if found:
        probing = host.sysctl("net.ipv4.tcp_mtu_probing")
        remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_mtu_probing": 1}} if probing == "0" else {}
        helped = probing in ("1", "2")
        evidence = {**found, "net.ipv4.tcp_mtu_probing": probing}
        yield Hit(evidence, remedy=remedy, action=_FOUND if helped else "", severity="note" if helped else "")


_FOUND = (
    "TCP finds the size of this path by itself, after some seconds; for UDP and tunnels, and for TCP to begin at once, "
    "let ICMP `fragmentation needed` through the firewalls, or set the MTU, or the MSS on the router, to what passes."
)


RULES = (
    Rule(
        id="listen-overflows",
        severity="medium",
        title="Connections are refused because the accept queue is full",
        condition="the accept queue overflowed at least 1000 times, and once in 10000 connections, and "
        "net.core.somaxconn is below 512 for each processor, or the port that dropped most has a backlog below both, "
        "or all ports have one below somaxconn and the kernel, before Linux 4.7, does not tell which dropped; a note "
        "where neither is known to be too small",
        explanation="A connection waits in this queue until the program accepts it. When the queue is full the kernel "
        "drops the last packet of the handshake, and the client waits for seconds before it retries.",
        action="Raise the limit, and the backlog of the program as well (`listen` in nginx, `backlog` in others), "
        "because the smaller of the two counts.",
        reference=_PAGE,
        host=_listen,
        proven=True,
    ),
    Rule(
        id="ephemeral-ports-short",
        severity="medium",
        title="The host runs out of ports for outgoing connections",
        condition="connections to one address and port, in use or waiting, take 80 % of the range of ports, or half "
        "of it while a hundred a second are opened within an interval; a note for half of it without those, after "
        "which connect() searches long for a free one; where that is not known, all connections 90 % on a host that "
        "opens half as many as it accepts; where not even that is known, a note if those that wait are between 90 and "
        "100 % of the ports",
        explanation="A connection that has ended holds its port for a minute. When all are taken, a proxy or a load "
        "generator with many short connections to one address cannot open more.",
        action="Widen the range, reuse waiting ports, and keep connections open (keep-alive).",
        reference=_PAGE,
        host=_ports,
    ),
    Rule(
        id="tcp-orphans",
        severity="medium",
        title="Orphaned TCP connections are near their limit",
        condition="at least 80 % of net.ipv4.tcp_max_orphans are in use",
        explanation="A program has closed them, and their last packets are not acknowledged yet. Above the limit the "
        "kernel resets them, and clients lose the end of what they were sent.",
        action="Raise the limit as far as the memory allows, and find out why peers do not answer.",
        reference=_PAGE,
        host=_orphans,
    ),
    Rule(
        id="tcp-memory-pressure",
        severity="high",
        title="TCP is short of memory, and all connections slow down",
        condition="TCP uses more pages than the second number of net.ipv4.tcp_mem, or TCP was under memory pressure "
        "within an interval, or has reset at least 1000 connections for want of memory (100 within an interval), and "
        "one an hour; since the boot that is a note",
        explanation="Above the second number no window grows any more and queues are cut; above the third packets are "
        "dropped. The numbers are for all connections together.",
        action="Raise the numbers as far as the memory allows, and look for connections whose program does not read.",
        reference=_PAGE,
        host=_memory,
        proven=True,
    ),
    Rule(
        id="pmtu-blackhole",
        severity="high",
        title="A path silently drops packets of full size",
        condition="a peer of a path_check, or of a connection that sends the same again and again, answers small "
        "packets and none of the NIC's MTU of 1500 or less (or of more, if that connection has agreed on it with a "
        "peer beyond a router), or the "
        "kernel has lost at least 100 probes of a path's MTU (10 within an interval); a note where "
        "net.ipv4.tcp_mtu_probing is on",
        explanation="Somewhere on the path packets must be smaller, and the message that says so is filtered. "
        "Connections open, and hang with the first full packet.",
        action="Let TCP find the size by itself, and let ICMP `fragmentation needed` through the firewalls; else set "
        "the MTU, or the MSS on the router, to what passes.",
        reference=_PAGE,
        host=_black_hole,
    ),
)
