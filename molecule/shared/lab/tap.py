"""Tap devices as network back ends: for a virtio NIC with more than one queue, and for a wire to a container.

A tap lives in a network namespace of its own, or in that of the switch between containers, so the host's network never
sees it. Nobody but QEMU holds its descriptors: when QEMU ends, the tap is gone, and with it a namespace of its own.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Callable

import namespaces
from common import LabError

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
IFF_VNET_HDR = 0x4000
IFF_MULTI_QUEUE = 0x0100
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
NAME = "tap0"


def open_queues(count: int) -> list[int]:
    """Descriptors of the queues of a new tap device, one for each queue."""
    return _ask_child(lambda: _alone(count), count)


def open_port(switch: int, name: str, link: str) -> list[int]:
    """The descriptor of a new tap device `name`, a port of the bridge `link` in the namespace of this process."""
    return _ask_child(lambda: _port(switch, name, link), 1)


def _ask_child(make: Callable[[], list[int]], count: int) -> list[int]:
    """What only a child can make, because it has to enter a namespace for that."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = os.fork()
        if child == 0:
            os._exit(_hand_over(theirs, make))
        theirs.close()
        message, descriptors, _flags, _address = socket.recv_fds(ours, 1024, count)
        os.waitpid(child, 0)
    if len(descriptors) != count:
        reason = message.decode(errors="replace") or "no answer"
        raise LabError(f"cannot make a tap device with {count} queues: {reason}")
    return list(descriptors)


def _hand_over(answer: socket.socket, make: Callable[[], list[int]]) -> int:
    """Runs in the child."""
    try:
        socket.send_fds(answer, [b"ok"], make())
    except (OSError, subprocess.SubprocessError) as error:
        answer.sendall(str(error).encode())
        return 1
    return 0


def _alone(count: int) -> list[int]:
    """In a new namespace; nobody is at its other end."""
    namespaces.unshare(namespaces.NEWNET if os.geteuid() == 0 else namespaces.NEWUSER | namespaces.NEWNET)
    queues = [_open(NAME, IFF_VNET_HDR | IFF_MULTI_QUEUE) for _queue in range(count)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", NAME.encode(), IFF_UP))
    return queues


def _port(switch: int, name: str, link: str) -> list[int]:
    """In the namespace of the switch. Without offloads, as on a wire between two machines, so one state fits both."""
    namespaces.enter(f"/proc/{switch}/ns/net")
    queue = _open(name)
    subprocess.run(["ip", "link", "set", name, "mtu", "9600", "master", link, "up"], check=True)
    return [queue]


def _open(name: str, flags: int = 0) -> int:
    queue = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(queue, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI | flags))
    return queue
