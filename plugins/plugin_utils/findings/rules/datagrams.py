# SPDX-License-Identifier: GPL-3.0-or-later
"""The last stage of UDP: buffers of sockets that overflow, both ways, and the memory of all of them together."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import MINUTE, enough, seldom
from ..model import Hit, Rule
from ..view import Facts, Host
from .losses import full_flows


def _both(host: Host, name: str) -> tuple[int, str]:
    """A counter of UDP, that of IPv6 included."""
    (four, since), (six, _since) = host.protocol(f"Udp{name}"), host.protocol(f"Udp6{name}")
    return four + six, since


def _overflowed(host: Host) -> tuple[int, str]:
    """Packets that found the buffer of their socket full.

    From Linux 3.10 on wrong checksums have a counter of their own, and before 3.16 what came while the buffer was full
    is mostly counted as an error without a reason (udp_queue_rcv_skb in net/ipv4/udp.c).
    """
    count, since = host.protocol("UdpRcvbufErrors")
    if (3, 10) <= host.release < (3, 16):
        count = max(count, host.protocol("UdpInErrors")[0] - host.protocol("UdpInCsumErrors")[0])
    return count + host.protocol("Udp6RcvbufErrors")[0], since


def _udp(host: Host) -> Iterator[Hit]:
    count, since = enough(host, *_overflowed(host))
    taken, _since = _both(host, "InDatagrams")
    few = count * 10_000 < taken
    # One program may lose what is little beside the packets of all others.
    steady = host.number("kernel", "uptime") and not seldom(host, count, MINUTE)
    if not count or (few and (host.number("protocols", "interval") or not steady)):
        return
    best = _moment(host)
    keys = ("net.core.rmem_default", "net.core.rmem_max")
    evidence = {"UDP, receive buffer full": f"{count} beside {taken} {since}", **{key: host.whole(key) for key in keys}}
    # The losses of one socket since it was opened, not within an interval; those that are closed are told by nobody.
    told = host.rows("sockets", "lost_in")
    if host.number("protocols", "interval"):
        # But one whose buffer is full after it loses whatever comes.
        told = [row for row in told if 0 < row.count("buffer") <= row.count("waiting")]
    worst = next(iter(told), Facts({}))
    if worst.count("lost") * 2 >= count and worst.count("buffer"):
        evidence[f"lost at port {worst.count('port')}"] = f"{worst.count('lost')}, its buffer: {worst.count('buffer')}"
        if worst.count("buffer") >= best:
            waiting = {"waiting there now": worst.count("waiting")} if worst.count("waiting") else {}
            yield Hit({**evidence, **waiting}, action=_UNREAD, severity="note" if few else "low")
            return
        # What a program asks for is doubled, and never more than the limit; the default is taken as it is.
        if worst.count("buffer") not in (_USUAL, host.whole(keys[0]), 2 * host.whole(keys[1])):
            # A socket keeps what the limit was when it was made.
            mends = {"tuning_host_sysctl": {keys[1]: {"at_least": best}}}
            yield Hit(evidence, action=_ITSELF, severity="note" if few else "", mends=mends)
            return
    small = {key: host.whole(key) for key in keys if 0 < host.whole(key) < best}
    desired = {key: {"at_least": best} for key in small}
    severity = "" if not few and (small or host.number("protocols", "interval")) else "note"
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


RULES = (
    Rule(
        id="udp-buffer-overflows",
        severity="medium",
        title="UDP packets are lost because the buffer of their socket is full",
        condition="at least 1000 packets, and one in 10000, found the receive buffer of their UDP socket full, and "
        "the limits are below what the fastest link brings in 10 ms, or the program has asked for the buffer itself; "
        "low where the socket that has lost most has a buffer as large as that; a note where it is less than one in "
        "10000, but one a minute of uptime; under Linux 3.10 to 3.15 all errors but wrong checksums are taken for "
        "such packets",
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
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_udp_memory,
        proven=True,
    ),
)
