# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic that shows what suffers: `serve PEER FAR` on the router, `send FIRST SECOND`, its two addresses, on the
switch, and `take` behind a link of small packets.

The programs of the router fetch their packets and connections twenty times a second, as busy ones do.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
import threading
import time

UDP, TCP, CLOSED, FAR = 7001, 7002, 7003, 7004


def take():
    """What many send; nobody waits for one who has been cut off in the middle."""

    def read(connection):
        with connection, contextlib.suppress(OSError):
            while connection.recv(1 << 16):
                pass

    connections = socket.create_server(("", FAR))
    while True:
        threading.Thread(target=read, args=(connections.accept()[0],), daemon=True).start()


def give(address):
    """As much as a path takes, over one connection as long as it lasts."""
    while True:
        with contextlib.suppress(OSError), socket.create_connection((address, FAR), 5) as out:
            out.settimeout(None)
            while True:
                out.sendall(bytes(1 << 14))
                time.sleep(0.2)
        time.sleep(1)


def serve(peer):
    """A program for UDP and one for TCP, and what goes out through the other NIC."""
    packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    packets.bind(("", UDP))
    packets.setblocking(False)
    connections = socket.create_server(("", TCP), backlog=512)
    connections.setblocking(False)
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        time.sleep(0.05)
        with contextlib.suppress(BlockingIOError):
            while packets.recv(2000):
                pass
        with contextlib.suppress(BlockingIOError):
            while True:
                connections.accept()[0].close()
        for packet in [bytes(200)] * 25:
            with contextlib.suppress(OSError):  # the peer has nobody on that port, and says so
                out.sendto(packet, (peer, CLOSED))


def many_packets(address):
    """Bursts of UDP: more than a small buffer holds, and few enough for a guest that is short of processor time."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        time.sleep(0.05)
        for packet in [bytes(200)] * 16:
            out.sendto(packet, (address, UDP))


def many_connections(address):
    """Bursts of connections, most of which find no place where the queue is short."""
    while True:
        opened = [socket.socket() for number in range(40)]
        for one in opened:
            one.setblocking(False)
            one.connect_ex((address, TCP))
        time.sleep(0.4)
        for one in opened:
            one.close()


def many_flows(address):
    """Flows of one packet each, which a table of connections has to hold."""
    for port in itertools.cycle(range(20000, 20400)):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.bind(("", port))
            # Shorter frames the emulated wire carries as they are, and igb counts them as errors.
            out.sendto(bytes(100), (address, CLOSED))
        time.sleep(0.01)


def main(verb, *addresses):
    if verb == "take":
        take()
    if verb == "serve":
        peer, far = addresses
        threading.Thread(target=give, args=(far,), daemon=True).start()
        serve(peer)
    first, second = addresses
    for work, address in ((many_packets, first), (many_connections, first), (many_flows, second)):
        threading.Thread(target=work, args=(address,), daemon=True).start()
    time.sleep(600)


main(*sys.argv[1:])
