# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that have something to send and may not: the window of the peer is full, or the own buffer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import cut_short
from ..model import Hit, Rule
from ..view import Facts, Host

_OUT_OF_SCALE = 65535


def _of(host: Host, by: str) -> Iterator[tuple[Facts, dict[str, Any]]]:
    for row in host.rows("sockets", "held_back"):
        if row.text("by") == by and row.count("busy"):
            trip = row.number("rtt_ms") or 0
            share = 100 * row.count("seconds") // row.count("busy")
            evidence: dict[str, Any] = {"to": row.text("peer"), "held back": f"{share} % of {row.count('busy')} s"}
            if trip:
                evidence["round trip"] = f"{trip:g} ms"
            yield row, evidence


def _windows(host: Host) -> Iterator[Hit]:
    for row, evidence in _of(host, "peer"):
        window, trip = row.count("window"), row.number("rtt_ms") or 0
        if window:
            evidence["window of the peer"] = f"{window} bytes"
            evidence["so at most"] = f"{window * 8 / 1000 / trip:.3g} Mbit/s" if trip else ""
        unscaled = not row.count("scale") and 0 < window <= _OUT_OF_SCALE
        action = (_COOKIES if cut_short(host) else _UNSCALED) if unscaled else _PEER
        yield Hit({name: value for name, value in evidence.items() if value}, action=action)


_PEER = (
    "At the peer: see what its program waits for, mostly a disk or processor, let it set no SO_RCVBUF, and raise the "
    "third number of net.ipv4.tcp_rmem above speed times round trip."
)
_UNSCALED = (
    "The peer does not scale its window, so that it is never above 64 KiB: switch net.ipv4.tcp_window_scaling on there "
    "(and here), let no firewall remove TCP options, and let its program set no small SO_RCVBUF."
)
_COOKIES = (
    "The window is not scaled, and this host has lost that itself: see the finding tcp-timestamps-off first, for "
    "connections come by SYN cookies here, which cannot keep it while timestamps are off."
)


def _buffers(host: Host) -> Iterator[Hit]:
    limits = host.vector("net.ipv4.tcp_wmem")
    for row, evidence in _of(host, "buffer"):
        # What the link holds within the round trip, twice, for the kernel counts its overhead as well.
        best = int(host.fastest * 125 * (row.number("rtt_ms") or 0) * 2)
        low = len(limits) == 3 and best > limits[2]
        evidence["net.ipv4.tcp_wmem"] = host.sysctl("net.ipv4.tcp_wmem")
        flight = row.count("in_flight")
        # The kernel would have let it grow; half of a buffer is its own overhead.
        fixed = len(limits) == 3 and 0 < flight * 4 < limits[2]
        if fixed:
            evidence["sent and not confirmed"] = f"{flight} bytes"
        lasting = row.count("seconds") * 10 >= row.count("busy") * 9 and row.count("busy") >= _LASTING
        yield Hit(evidence, action=_RAISE if low and not fixed else "", severity="low" if fixed and lasting else "")


# Seconds in which more was to be sent than a buffer allowed that the program has set itself.
_LASTING = 600
_RAISE = (
    "Raise the third number of tcp_wmem, see `tcp-buffers-small`; if the program sets SO_SNDBUF itself, let it leave "
    "that to the kernel, which then makes the buffer as large as it may be."
)


def _held(host: Host) -> Iterator[Hit]:
    yield from _windows(host)
    yield from _buffers(host)


RULES = (
    Rule(
        id="connection-held-back",
        severity="note",
        title="A connection has something to send and may not",
        condition="a connection that was busy for a minute or more could not send for half of that time, because the "
        "window of the peer was full, or its own send buffer; low where that buffer was full for nine tenths of ten "
        "minutes or more and holds less than a quarter of what tcp_wmem allows, so that the program has set it",
        explanation="The window is what the peer still has room for, and is full if its program reads slowly or its "
        "buffer is smaller than the path. What was sent stays in the own buffer until it is confirmed, a round trip "
        "later; one that a program has set by SO_SNDBUF never grows, whatever tcp_wmem allows.",
        action="Let the program leave the size to the kernel (such as `socket.send.buffer.bytes=-1` in Kafka, no "
        "`SO_SNDBUF` in `socket options` of Samba), or set it above speed times round trip.",
        reference="https://man7.org/linux/man-pages/man8/ss.8.html",
        host=_held,
    ),
)
