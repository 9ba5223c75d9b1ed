# SPDX-License-Identifier: GPL-3.0-or-later
"""The last stage: sockets whose queues and buffers overflow, ports that run out, memory of TCP."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import enough, much, queue
from ..model import Hit, Rule
from ..view import Facts, Host
from .limits import at_the_limit
from .losses import full_flows

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
    if stopped:
        yield Hit({**evidence, "at the limit of open files": stopped}, action=_STOPPED, severity="note")
    elif 0 < limit < best:
        yield Hit(evidence, remedy={"tuning_host_sysctl": {"net.core.somaxconn": {"at_least": best}}})
    else:
        action = "The limit is large enough: raise the backlog of the program itself, and see why it accepts so slowly."
        yield Hit(evidence, action=action, severity="" if host.number("protocols", "interval") else "note")


_STOPPED = "See the finding open-files-short first: a program that may open no more files cannot accept connections."


def _both(host: Host, name: str) -> tuple[int, str]:
    """A counter of UDP, that of IPv6 included."""
    (four, since), (six, _since) = host.protocol(f"Udp{name}"), host.protocol(f"Udp6{name}")
    return four + six, since


def _udp(host: Host) -> Iterator[Hit]:
    count, since = enough(host, *_both(host, "RcvbufErrors"))
    taken, _since = _both(host, "InDatagrams")
    if not count or count * 10_000 < taken:
        return
    best = _moment(host)
    keys = ("net.core.rmem_default", "net.core.rmem_max")
    evidence = {"UDP, receive buffer full": f"{count} beside {taken} {since}", **{key: host.whole(key) for key in keys}}
    # The losses of one socket since it was opened, not within an interval; those that are closed are told by nobody.
    told = [] if host.number("protocols", "interval") else host.rows("sockets", "lost_in")
    worst = next(iter(told), Facts({}))
    if worst.count("lost") * 2 >= count and worst.count("buffer"):
        evidence[f"lost at port {worst.count('port')}"] = f"{worst.count('lost')}, its buffer: {worst.count('buffer')}"
        if worst.count("buffer") >= best:
            waiting = {"waiting there now": worst.count("waiting")} if worst.count("waiting") else {}
            yield Hit({**evidence, **waiting}, action=_UNREAD, severity="low")
            return
        # What a program asks for is doubled, and never more than the limit; the default is taken as it is.
        if worst.count("buffer") not in (_USUAL, host.whole(keys[0]), 2 * host.whole(keys[1])):
            # A socket keeps what the limit was when it was made.
            yield Hit(evidence, action=_ITSELF, mends={"tuning_host_sysctl": {keys[1]: {"at_least": best}}})
            return
    small = {key: host.whole(key) for key in keys if 0 < host.whole(key) < best}
    desired = {key: {"at_least": best} for key in small}
    severity = "" if small or host.number("protocols", "interval") else "note"
    action = "" if small else _ENOUGH
    yield Hit(evidence, remedy={"tuning_host_sysctl": desired} if desired else {}, severity=severity, action=action)


_UNREAD = (
    "This buffer holds what the fastest link brings in 10 ms, so a larger one does not help: the program behind that "
    "port reads too slowly, or does not read at all (`ss -uanp` has its name). Mend or restart it, or stop who sends."
)
_ENOUGH = (
    "The limits are large enough: raise the buffer that the program itself asks for (SO_RCVBUF), or see why it reads "
    "so slowly (`ss -uamnp` tells which sockets have lost packets: d in skmem)."
)
# The kernel's own (SK_RMEM_MAX in include/net/sock.h), which a socket keeps when the default is raised.
_USUAL = 212992
_ITSELF = (
    "The program has asked for this buffer itself (SO_RCVBUF), and the limits would allow another: change it in its "
    "own configuration (`ss -uanp` has its name), or see why it reads so slowly. No kernel parameter changes it."
)


def _moment(host: Host) -> int:
    """What the fastest link moves while a program sleeps for 10 ms; the kernel counts its own overhead, too."""
    return 1 << (host.fastest * 1_000_000 // 8 // 100 * 2).bit_length()


def _udp_sending(host: Host) -> Iterator[Hit]:
    count, since = enough(host, *_both(host, "SndbufErrors"))
    sent, _since = _both(host, "OutDatagrams")
    if not count or not sent or count * 1000 < sent:
        return
    keys = ("net.core.wmem_default", "net.core.wmem_max")
    evidence: dict[str, object] = {"UDP, not sent for lack of room": f"{count} beside {sent} {since}"}
    # The kernel counts here what a queue below has dropped as well (udp_send_skb); both since the boot.
    total = sum(host.count("protocols", "total", f"{name}SndbufErrors") for name in ("Udp", "Udp6"))
    queues = {nic.name: nic.count("queues", "qdisc", "dropped") for nic in host.nics if nic.linked}
    queues.update({row.text("nic"): row.count("dropped") for row in host.rows("tunnels")})
    name = max(queues, key=lambda key: queues[key], default="")
    # What fq drops of one flow has a rule of its own.
    if sum(row.count("dropped") for _nic, row in full_flows(host)) * 2 >= total:
        return
    if name and queues[name] * 2 >= total:
        yield Hit({**evidence, f"dropped by the queue of {name}": queues[name]}, action=_QUEUE, severity="low")
        return
    best = _moment(host)
    desired = {key: {"at_least": best} for key in keys if 0 < host.whole(key) < best}
    evidence.update({key: host.whole(key) for key in keys})
    severity = "" if desired or host.number("protocols", "interval") else "note"
    yield Hit(evidence, remedy={"tuning_host_sysctl": desired} if desired else {}, severity=severity)


_QUEUE = (
    "The queue of the device has dropped them, not the socket: larger buffers send more into it. Let it hold more "
    "(`txqueuelen`), use more channels, or let the program send at the rate of the link."
)


def _udp_memory(host: Host) -> Iterator[Hit]:
    count, since = enough(host, *_both(host, "MemErrors"))
    taken, _since = _both(host, "InDatagrams")
    limits = host.vector("net.ipv4.udp_mem")
    if not count or count * 10_000 < taken:
        return
    evidence = {
        "UDP, lost for lack of memory": f"{count} beside {taken} {since}",
        "net.ipv4.udp_mem": host.sysctl("net.ipv4.udp_mem"),
    }
    # Up to a quarter of the memory, in pages of 4 KiB.
    most = min(limits[2] * 4, host.count("kernel", "memory_kib") // 16) if len(limits) == 3 else 0
    larger = len(limits) == 3 and most > limits[2]
    desired = {"net.ipv4.udp_mem": f"{most // 2} {most * 3 // 4} {most}"}
    mends = {"tuning_host_sysctl": desired}
    yield Hit(evidence, remedy=mends if larger else {}, mends=mends)


def _ports(host: Host) -> Iterator[Hit]:
    span = host.vector("net.ipv4.ip_local_port_range")
    known = host.number("sockets", "ports") is not None
    used = host.count("sockets", "ports") if known else _connections(host)
    # The search for a free one is long before the last one is taken: connect() passes over every second port, and
    # takes those when it has tried all others (since Linux 4.2, __inet_hash_connect in net/ipv4/inet_hashtables.c).
    room = span[1] - span[0] + 1 if len(span) == 2 else 0
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
        yield Hit(evidence, remedy=remedy, severity="" if full else "note", action="" if wider else _MORE_ADDRESSES)


_MORE_ADDRESSES = (
    "The range is wide already, and each connection to one address and port needs a port of its own: use more "
    "addresses on either side (`source` of HAProxy, `proxy_bind` of nginx, several addresses of the server), and keep "
    "connections open (keep-alive)."
)


def _connections(host: Host) -> int:
    """All connections of a host that opens about as many as it accepts: a server has many on one port."""
    own, others = host.protocol("TcpActiveOpens")[0], host.protocol("TcpPassiveOpens")[0]
    fill = (host.count("protocols", "fill", name) for name in ("tcp_inuse", "tcp_tw"))
    return sum(fill) if own and own * 2 >= others else 0


def _orphans(host: Host) -> Iterator[Hit]:
    most, now = host.whole("net.ipv4.tcp_max_orphans"), host.count("protocols", "fill", "tcp_orphan")
    if most and now >= 0.8 * most:
        # One may take 64 KiB that cannot be swapped, so all of them a quarter of the memory at most.
        room = host.count("kernel", "memory_kib") // 4 // 64
        best = min(most * 4, room) if room else most * 4
        remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_max_orphans": {"at_least": best}}} if best > most else {}
        action = "" if remedy or not room else _NO_ROOM
        yield Hit({"orphans": now, "net.ipv4.tcp_max_orphans": most}, remedy=remedy, action=action)


_NO_ROOM = (
    "The memory does not allow for more: see why peers do not answer, and let the kernel give up sooner "
    "(net.ipv4.tcp_orphan_retries, net.ipv4.tcp_fin_timeout)."
)


def _memory(host: Host) -> Iterator[Hit]:
    limits, used = host.vector("net.ipv4.tcp_mem"), host.count("protocols", "fill", "tcp_mem")
    pressed, since = host.protocol("TcpExtTCPMemoryPressures")
    if len(limits) != 3 or not (used >= limits[1] or (pressed and host.number("protocols", "interval"))):
        return
    evidence = {
        "pages in use": used,
        "net.ipv4.tcp_mem": host.sysctl("net.ipv4.tcp_mem"),
        "under pressure": f"{pressed} times {since}",
    }
    # Up to a quarter of the memory, in pages of 4 KiB.
    most = min(max(limits[2], used) * 2, host.count("kernel", "memory_kib") // 16)
    desired = f"{most // 2} {most * 3 // 4} {most}"
    remedy = {"tuning_host_sysctl": {"net.ipv4.tcp_mem": desired}} if most > limits[2] else {}
    yield Hit(evidence, remedy=remedy)


def _black_hole(host: Host) -> Iterator[Hit]:
    lost, since = host.protocol("TcpExtTCPMTUPFail")
    found: dict[str, object] = {}
    if lost >= (10 if host.number("protocols", "interval") else 100):
        found["probes of the path's MTU that were lost"] = f"{lost} {since}"
    for peer in host.rows("peers"):
        # Above 1500 it is the own network that does not carry jumbo frames, unless a connection has agreed on them.
        full = 0 < peer.count("mtu") <= 1500 or peer.flag("stuck") is True
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
        "net.core.somaxconn is below 512 for each processor",
        explanation="A connection waits in this queue until the program accepts it. When the queue is full the kernel "
        "drops the last packet of the handshake, and the client waits for seconds before it retries.",
        action="Raise the limit, and the backlog of the program as well (`listen` in nginx, `backlog` in others), "
        "because the smaller of the two counts.",
        reference=_PAGE,
        host=_listen,
        proven=True,
    ),
    Rule(
        id="udp-buffer-overflows",
        severity="medium",
        title="UDP packets are lost because the buffer of their socket is full",
        condition="at least 1000 packets, and one in 10000, found the receive buffer of their UDP socket full, and the "
        "limits are below what the fastest link brings in 10 ms, or the program has asked for the buffer itself; low "
        "where the socket that has lost most has a buffer as large as that",
        explanation="A program that does not fetch its packets in time loses them at the socket, the last stage; NIC "
        "and ring are not the cause. DNS, syslog, video and QUIC suffer.",
        action="Raise the limits, and the buffer that the program itself asks for (SO_RCVBUF).",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html",
        host=_udp,
        proven=True,
    ),
    Rule(
        id="udp-send-errors",
        severity="medium",
        title="UDP packets are not sent, because the send buffer of their socket is full",
        condition="at least 1000 packets, and one in 1000, found no room in the send buffer of their UDP socket, and "
        "the limits are below what the fastest link sends in 10 ms; low where the queue of a device has dropped them",
        explanation="A packet takes room in this buffer until the NIC has sent it. A program that does not wait, such "
        "as a DNS server or QUIC, gets an error instead, and mostly the answer is lost.",
        action="Raise the limits, and the buffer that the program itself asks for (SO_SNDBUF).",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html",
        host=_udp_sending,
        proven=True,
    ),
    Rule(
        id="udp-memory-short",
        severity="high",
        title="UDP packets are lost because all sockets together are at their memory limit",
        condition="at least 1000 packets, and one in 10000, were dropped by the limit net.ipv4.udp_mem",
        explanation="The numbers are pages for all sockets together. Large buffers of single sockets do not help, and "
        "even use them up sooner.",
        action="Raise the numbers as far as the memory allows, find the program that does not read (`ss -ump`), and "
        "lower buffers that are far larger than a burst.",
        reference=_PAGE,
        host=_udp_memory,
        proven=True,
    ),
    Rule(
        id="ephemeral-ports-short",
        severity="medium",
        title="The host runs out of ports for outgoing connections",
        condition="connections to one address and port, in use or waiting, take 80 % of the range of ports; a note for "
        "half of it, after which connect() searches long for a free one; where that is not known, all connections 90 % "
        "on a host that opens half as many as it accepts",
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
        "within an interval",
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
        "packets and none of the NIC's MTU of 1500 or less (or of more, if that connection has agreed on it), or the "
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
