"""Prints what ten clients receive when the link of one is ten times slower and the switch pauses the whole port.

The switch is a program between two network namespaces, so that it needs neither a lab nor a card. It plays what matters
of IEEE 802.3x: a small buffer for each port, and one pause for the port of the sender as soon as any of them is full.
The sender is the kernel: TCP, the root qdisc mq, and the qdiscs below it, shaped by the very lines that the collection
hands to tc. `--check` ends with 1 unless the port collapses without rates and every client gets its share with them.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import tc

NIC, ROOM, NETWORK, SERVER = "server0", "room0", "10.99.0", 254
QUEUES = 16
PORT = 5201
# Between two frames there are preamble, checksum and gap; a full frame carries 1448 bytes of a TCP stream.
OVERHEAD, FRAME, PAYLOAD = 24, 1538, 1448
# Bytes in the buffer of one port above which the switch pauses, and below which it lets go.
XOFF, XON = 36000, 24000
# What a busy machine may keep this program waiting is no fault of the wires.
LATE = 0.05
# CUBIC has filled the buffers by then.
WARM_UP = 10.0

AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_MULTI_QUEUE = 0x400454CA, 0x0002, 0x1000, 0x0100
CLONE_NEWNET, PR_SET_PDEATHSIG = 0x40000000, 1
LIBC = ctypes.CDLL(None, use_errno=True)


class Port:
    """A port of the switch: what waits there, with the time at which each frame has left."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.waiting: deque[tuple[float, bytes]] = deque()
        self.bytes = 0
        self.free = 0.0

    def take(self, frame: bytes, since: float) -> None:
        """Put a frame into the buffer that came at this time or later."""
        self.free = max(self.free, since) + (len(frame) + OVERHEAD) * 8 / self.rate
        self.waiting.append((self.free, frame))
        self.bytes += len(frame)


class Switch:
    """Carries frames from the queues of the sender to the clients, and the answers back."""

    def __init__(self, queues: list[int], room: int, links: list[float]) -> None:
        self.queues, self.room = queues, room
        self.ports = [Port(rate) for rate in links]
        # As fast as all clients together would be if no link had fallen back.
        self.wire, self.wire_free, self.turn = len(links) * max(links), 0.0, 0
        self.paused, self.pauses, self.resumed = False, 0, 0.0

    def run(self, until: float) -> None:
        """Switch frames until a time."""
        while (now := time.monotonic()) < until:
            self._deliver(now)
            self._pause(now)
            soon = [port.waiting[0][0] for port in self.ports if port.waiting] + [until]
            sources = [self.room]
            if not self.paused and self.wire_free <= now:
                sources += self.queues
            elif not self.paused:
                soon.append(self.wire_free)
            ready = select.select(sources, [], [], max(0.0, min(soon) - time.monotonic()))[0]
            if self.room in ready:
                self._answer()
            self._admit([queue for queue in ready if queue != self.room])

    def _deliver(self, now: float) -> None:
        for port in self.ports:
            while port.waiting and port.waiting[0][0] <= now:
                frame = port.waiting.popleft()[1]
                port.bytes -= len(frame)
                os.write(self.room, frame)

    def _pause(self, now: float) -> None:
        fullest = max(port.bytes for port in self.ports)
        if not self.paused and fullest > XOFF:
            self.paused, self.pauses = True, self.pauses + 1
        elif self.paused and fullest < XON:
            self.paused, self.resumed = False, now

    def _admit(self, ready: list[int]) -> None:
        """Take one frame from each queue that has one, in turn, as a NIC does."""
        self.turn += 1
        for step in range(len(ready)):
            frame = os.read(ready[(self.turn + step) % len(ready)], 65536)
            now = time.monotonic()
            since = max(now - LATE, self.resumed)
            self.wire_free = max(self.wire_free, since) + (len(frame) + OVERHEAD) * 8 / self.wire
            client = frame[33] - 1
            if frame[12:14] == b"\x08\x00" and client < len(self.ports):
                self.ports[client].take(frame, since)

    def _answer(self) -> None:
        """The kernel sends a flow through the queue that its answers came from, which maps clients to queues."""
        while True:
            try:
                frame = os.read(self.room, 65536)
            except BlockingIOError:
                return
            if frame[12:14] == b"\x08\x00":
                os.write(self.queues[frame[29]], frame)


def tap(name: str, queues: int) -> list[int]:
    """The ends of a new NIC, one for each queue."""
    found = []
    flags = IFF_TAP | IFF_NO_PI | (IFF_MULTI_QUEUE if queues > 1 else 0)
    for _queue in range(queues):
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
        found.append(end)
    return found


def shell(script: str) -> None:
    """Run commands of which each must work."""
    subprocess.run(["sh", "-ec", script], check=True)


def own_network() -> None:
    """Leave the network of the machine."""
    if LIBC.unshare(CLONE_NEWNET):
        raise SystemExit(f"no network namespace of one's own: {os.strerror(ctypes.get_errno())}; run this as root")


def child(work, *words) -> int:
    """Run something in a process that ends with this one."""
    process = os.fork()
    if process == 0:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            work(*words)
        finally:
            os._exit(0)
    return process


def classroom(clients: int, mine: socket.socket) -> None:
    """Be all the clients: receive, and tell after the time given how much each has received since the warm-up."""
    own_network()
    ends = tap(ROOM, 1)
    addresses = "".join(f"ip address add {NETWORK}.{k}/24 dev {ROOM}\n" for k in range(1, clients + 1))
    shell(
        f"ip link set lo up\nip link set {ROOM} address 02:00:00:00:00:02 up\n{addresses}"
        f"ip neighbor add {NETWORK}.{SERVER} lladdr 02:00:00:00:00:01 dev {ROOM} nud permanent"
    )
    counts = [0] * clients
    listeners = [socket.create_server((f"{NETWORK}.{k}", PORT)) for k in range(1, clients + 1)]
    for index, listener in enumerate(listeners):
        threading.Thread(target=receive, args=(listener, counts, index), daemon=True).start()
    socket.send_fds(mine, [b"ready"], ends)
    seconds = float(mine.recv(100))
    time.sleep(WARM_UP)
    before, start = list(counts), time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - start
    mine.sendall(json.dumps([(now - then) * 8 / passed for now, then in zip(counts, before, strict=True)]).encode())


def receive(listener: socket.socket, counts: list[int], index: int) -> None:
    connection = listener.accept()[0]
    while data := connection.recv(65536):
        counts[index] += len(data)


def send(client: int, congestion: str) -> None:
    """Send to a client until it is gone."""
    connection = socket.socket()
    # The machine's own choice would make the figures of two machines differ.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    connection.connect((f"{NETWORK}.{client}", PORT))
    with suppress(OSError):
        while True:
            connection.sendall(bytes(65536))


def serve(clients: int, congestion: str) -> None:
    """Send to all clients at once, begun 0.1 s apart."""
    for client in range(1, clients + 1):
        threading.Thread(target=send, args=(client, congestion), daemon=True).start()
        time.sleep(0.1)
    time.sleep(3600)


def measure(links: list[float], seconds: float, congestion: str, *, rated: bool) -> tuple[list[float], int]:
    """The share of its own link that each client gets, and how often the switch has paused the port."""
    own_network()
    clients = len(links)
    ours, theirs = socket.socketpair()
    processes = [child(classroom, clients, theirs)]
    _word, ends, _flags, _address = socket.recv_fds(ours, 100, 1)
    queues = tap(NIC, QUEUES)
    neighbours = "".join(
        f"ip neighbor add {NETWORK}.{k} lladdr 02:00:00:00:00:02 dev {NIC} nud permanent\n"
        for k in range(1, clients + 1)
    )
    shell(
        f"ip link set lo up\nip link set {NIC} address 02:00:00:00:00:01 txqueuelen 100 up\n"
        f"ip address add {NETWORK}.{SERVER}/24 dev {NIC}\n{neighbours}tc qdisc replace dev {NIC} root handle 1: mq"
    )
    if rated:
        lines = [tc.shape(NIC, "1:", k, round(rate * 0.98 / 1000)) for k, rate in enumerate(links, 1)]
        subprocess.run(["tc", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    processes.append(child(serve, clients, congestion))
    ours.sendall(str(seconds).encode())
    switch = Switch(queues, ends[0], links)
    switch.run(time.monotonic() + WARM_UP + seconds + 0.5)
    received = json.loads(ours.recv(10000))
    for process in reversed(processes):
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    return [rate * FRAME / PAYLOAD / link for rate, link in zip(received, links, strict=True)], switch.pauses


def apart(links: list[float], seconds: float, congestion: str, *, rated: bool) -> tuple[list[float], int]:
    """measure() in a process of its own, whose end is the end of all that it has made."""
    reader, writer = os.pipe()

    def work() -> None:
        os.write(writer, json.dumps(measure(links, seconds, congestion, rated=rated)).encode())

    process = child(work)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(process, 0)
    if not text:
        raise SystemExit("the measurement has failed")
    shares, pauses = json.loads(text)
    return shares, pauses


def main() -> int:
    """Measure a queue for each client, with rates and without; and without by BBR, where the kernel has it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--link", type=float, default=5, help="Mbit/s of a client's link; the slow one has a tenth")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--check", action="store_true", help="end with 1 where the figures are not as promised")
    words = parser.parse_args()
    links = [words.link * 1e6] * (words.clients - 1) + [words.link * 1e5]
    slow = words.link / 10
    print(f"{words.clients} clients of {words.link:g} Mbit/s, the last one of {slow:g}; share of its own link\n")
    print("TCP    rates  least  most  slow client  sum   pauses")
    print("-----  -----  -----  ----  -----------  ----  ------")
    found = {}
    for congestion, rated in (("cubic", False), ("cubic", True), ("bbr", False)):
        if congestion not in Path(AVAILABLE).read_text().split():
            continue
        shares, pauses = apart(links, words.seconds, congestion, rated=rated)
        total = sum(share * link for share, link in zip(shares, links, strict=True)) / sum(links)
        found[congestion, rated] = (min(shares), total)
        print(
            f"{congestion:5}  {'yes' if rated else 'no':5}  {min(shares[:-1]):5.2f}  {max(shares[:-1]):4.2f}"
            f"  {shares[-1]:11.2f}  {total:4.2f}  {pauses:6}",
            flush=True,
        )
    if not words.check:
        return 0
    collapsed = found["cubic", False][1] < 0.5
    shared = min(found["cubic", True]) >= 0.95
    print(f"\nwithout rates all come down: {collapsed}; with rates each gets its share: {shared}")
    return 0 if collapsed and shared else 1


if __name__ == "__main__":
    sys.exit(main())
