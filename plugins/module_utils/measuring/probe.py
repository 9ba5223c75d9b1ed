# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a small packet takes to another host and back, while a measurement lasts: who answers, and who asks.

It is copied to the hosts beside the station and is a program of its own, so that it has a better place with the
scheduler than the programs that make the load. Sent is by the clock, not upon an answer: a probe that waits in a queue
must not keep the next one from being sent.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

# Fifty in a second of a hundred bytes each are 40 kbit/s, which no load notices. The steps differ, lest they keep
# time with something that is periodic, such as a timer of the NIC.
_INTERVAL = 0.02
_STEPS = (0.85, 1.1, 0.95, 1.15, 0.9, 1.05)
_SIZE = 64
# After the last probe, for those that stand in a deep queue.
_PATIENCE = 2.0
_HEAD = struct.Struct("!8sIId")


def main(words: Sequence[str]) -> int:
    """`answer PORT`, which goes on until it is ended, or `ask PORT LEAD SECONDS ADDRESS...`, which prints JSON."""
    # A probe that waits for the processor shows the scheduler and not the network. Not everybody may.
    with contextlib.suppress(OSError):
        os.nice(-10)
    if words[0] == "answer":
        return answer(int(words[1]))
    port, lead, seconds, *addresses = words[1:]
    time.sleep(float(lead))
    sys.stdout.write(json.dumps(ask([(address, int(port)) for address in addresses], float(seconds))))
    return 0


def answer(port: int) -> int:
    """Send back what comes."""
    with _bound(port) as listener:
        while True:
            with contextlib.suppress(OSError):
                packet, sender = listener.recvfrom(2048)
                # What is no probe gets no answer, no answer is larger than its probe, and an answer is no probe: a
                # packet with a false sender must not let two hosts answer each other for ever.
                if len(packet) == _SIZE and packet.startswith(_QUESTION):
                    listener.sendto(_ANSWERED + packet[len(_ANSWERED) :], sender)


_QUESTION, _ANSWERED = b"lnxtune?", b"lnxtune!"


def _bound(port: int) -> socket.socket:
    """For both families where the host has both."""
    both = socket.has_dualstack_ipv6()
    listener = socket.socket(socket.AF_INET6 if both else socket.AF_INET, socket.SOCK_DGRAM)
    if both:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind(("", port))
    return listener


class _Peer:
    """One host that is asked."""

    def __init__(self, address: Tuple[str, int]) -> None:
        self.sent = 0
        self.times: Dict[int, float] = {}
        self.socket: Optional[socket.socket] = None
        try:
            family, _kind, _protocol, _name, socket_address = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)[0]
            self.socket = socket.socket(family, socket.SOCK_DGRAM)
            self.socket.setblocking(False)
            self.socket.connect(socket_address)
        except OSError:
            self.close()

    def send(self, number: int) -> None:
        self.sent += 1
        if self.socket:
            # A queue that is full, or a port that was refused, is a probe without an answer.
            with contextlib.suppress(OSError):
                head = _HEAD.pack(_QUESTION, os.getpid() & 0xFFFFFFFF, number, time.monotonic())
                self.socket.send(head.ljust(_SIZE, b"\0"))

    def receive(self) -> None:
        now = time.monotonic()
        with contextlib.suppress(OSError):
            while self.socket:
                packet = self.socket.recv(2048)
                if len(packet) == _SIZE:
                    token, process, number, sent = _HEAD.unpack_from(packet)
                    if (token, process) == (_ANSWERED, os.getpid() & 0xFFFFFFFF):
                        self.times.setdefault(number, now - sent)

    def close(self) -> None:
        if self.socket:
            self.socket.close()
            self.socket = None

    def told(self) -> Dict[str, Any]:
        return {"sent": self.sent, "microseconds": sorted(round(value * 1e6) for value in self.times.values())}


def ask(addresses: Sequence[Tuple[str, int]], seconds: float) -> List[Dict[str, Any]]:
    """For each host how many probes were sent, and how long those took that came back, in microseconds."""
    peers = [_Peer(address) for address in addresses]
    begin = due = time.monotonic()
    number = 0
    while due < begin + seconds:
        _hear(peers, due)
        for peer in peers:
            peer.send(number)
        number += 1
        # Whoever did not get the processor in time leaves out what is past, rather than send it all at once.
        due = max(due + _INTERVAL * _STEPS[number % len(_STEPS)], time.monotonic())
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and any(len(peer.times) < peer.sent for peer in peers):
        _hear(peers, min(end, time.monotonic() + 0.1))
    for peer in peers:
        peer.close()
    return [peer.told() for peer in peers]


def _hear(peers: Sequence[_Peer], until: float) -> None:
    """Take what comes back until then."""
    sockets = {peer.socket: peer for peer in peers if peer.socket}
    while True:
        ready, _writable, _failed = select.select(list(sockets), [], [], max(0.0, until - time.monotonic()))
        for one in ready:
            sockets[one].receive()
        if time.monotonic() >= until:
            return


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
