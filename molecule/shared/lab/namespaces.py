"""Namespaces of the kernel, which Python speaks of from 3.12 on only."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEWNS = 0x00020000
NEWUSER = 0x10000000
NEWPID = 0x20000000
NEWNET = 0x40000000
_MS_REC, _MS_PRIVATE = 0x4000, 0x40000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    _check(_libc.unshare(flags), "unshare")


def new_network() -> None:
    """Leave the network namespace for an empty one."""
    unshare(NEWNET)


def private_mounts() -> None:
    """Keep mounts from now on from everybody else."""
    unshare(NEWNS)
    _check(_libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "mount --make-rprivate /")


def mount(source: str, target: str, kind: str, options: str = "") -> None:
    """Mount a file system; the folder is made where it is not there."""
    Path(target).mkdir(parents=True, exist_ok=True)
    words = [word.encode() for word in (source, target, kind)]
    _check(_libc.mount(*words, 0, options.encode()), f"mount {target}")


def enter(path: str) -> None:
    """Be in the network namespace of this path from now on."""
    there = os.open(path, os.O_RDONLY)
    try:
        _check(_libc.setns(there, NEWNET), f"setns {path}")
    finally:
        os.close(there)


@contextmanager
def inside(path: str) -> Iterator[None]:
    """Be in the network namespace of this path for a while."""
    here, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(path, os.O_RDONLY)
    try:
        _check(_libc.setns(there, NEWNET), f"setns {path}")
        yield
        _check(_libc.setns(here, NEWNET), "setns")
    finally:
        os.close(here)
        os.close(there)
