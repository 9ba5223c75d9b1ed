"""Multi-queue network back ends: only a tap device gives a virtio NIC more than one queue.

The tap lives in a network namespace without any other interface, so the host's network never sees
it. Nobody but QEMU holds its descriptors: when QEMU ends, the tap and the namespace are gone.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct

import namespaces
from common import LabError

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
IFF_VNET_HDR = 0x4000
IFF_MULTI_QUEUE = 0x0100
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
NAME = b"tap0"


def open_queues(count: int) -> list[int]:
    """Descriptors of the queues of a new tap device, one for each queue."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = os.fork()
        if child == 0:
            os._exit(_make_tap(theirs, count))
        theirs.close()
        message, descriptors, _flags, _address = socket.recv_fds(ours, 1024, count)
        os.waitpid(child, 0)
    if len(descriptors) != count:
        reason = message.decode(errors="replace") or "no answer"
        raise LabError(f"cannot make a tap device with {count} queues in a namespace of its own: {reason}")
    return list(descriptors)


def _make_tap(answer: socket.socket, count: int) -> int:
    """Runs in the child, which alone enters the new namespace, and hands the queues back."""
    try:
        namespaces.unshare(namespaces.NEWNET if os.geteuid() == 0 else namespaces.NEWUSER | namespaces.NEWNET)
        queues = [_open_queue() for _queue in range(count)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", NAME, IFF_UP))
        socket.send_fds(answer, [b"ok"], queues)
    except OSError as error:
        answer.sendall(str(error).encode())
        return 1
    return 0


def _open_queue() -> int:
    queue = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_MULTI_QUEUE
    fcntl.ioctl(queue, TUNSETIFF, struct.pack("16sH22x", NAME, flags))
    return queue
