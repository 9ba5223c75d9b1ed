"""Plays a long line of the lab: delays, slows down, queues and loses what comes to a guest, between two ports.

The kernel's netem does the same, but not every kernel has it, and autotune must not find it on a host.
"""

from __future__ import annotations

import argparse
import random
import select
import socket
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "molecule/shared/lab"))
import namespaces

ETH_P_ALL, SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 3, 263, 15, 23
# Before each frame there is what it still lacks: its checksum, and how it is to be cut.
HEADER, LONGEST = 10, 1 << 17
# Between two frames there are preamble, checksum and gap; a frame that is cut later has so much in each.
OVERHEAD, PAYLOAD = 24, 1448


def port(name: str) -> socket.socket:
    subprocess.run(["ip", "link", "set", name, "nomaster", "promisc", "on"], check=True)
    found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    found.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    found.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    found.bind((name, 0))
    return found


def carry(near: socket.socket, far: socket.socket, words: argparse.Namespace) -> None:
    """What comes from the far port arrives late at the near one; the way back is short."""
    waiting: deque[tuple[float, bytes]] = deque()
    free = 0.0
    while True:
        left = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        ready = select.select([near, far], [], [], left)[0]
        now = time.monotonic()
        if near in ready:
            send(far, near.recv(LONGEST))
        if far in ready:
            frame = far.recv(LONGEST)
            size = len(frame) - HEADER
            packets = -(-size // PAYLOAD)
            begin = max(now, free)
            queued = words.rate and (begin - now) * words.rate / 8 > words.limit
            if not queued and random.random() >= packets * words.loss / 100:
                free = begin + 8 * (size + packets * OVERHEAD) / words.rate if words.rate else now
                waiting.append((free + words.delay / 1000, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            send(near, waiting.popleft()[1])


def send(to: socket.socket, frame: bytes) -> None:
    try:
        to.send(frame)
    except OSError as error:  # the port is going down
        print(f"a frame of {len(frame)} bytes is lost: {error}", file=sys.stderr)


def main() -> None:
    """Take both ports from the switch, and carry until the kill."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("switch", type=int, help="the process that holds the namespace of the switch")
    parser.add_argument("near", help="the port of the guest that everything reaches late")
    parser.add_argument("far", help="the port of the other guest")
    parser.add_argument("--delay", type=float, default=0, help="milliseconds")
    parser.add_argument("--rate", type=float, default=0, help="bits a second; no limit by default")
    parser.add_argument("--limit", type=int, default=150_000, help="bytes that may wait for the rate")
    parser.add_argument("--loss", type=float, default=0, help="of a hundred packets")
    words = parser.parse_args()
    namespaces.enter(f"/proc/{words.switch}/ns/net")
    near, far = port(words.near), port(words.far)
    print("carrying", flush=True)
    carry(near, far, words)


if __name__ == "__main__":
    main()
