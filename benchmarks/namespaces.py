"""The kernel calls behind a host made of namespaces, and the containment of a whole run."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

# Python has os.unshare and os.setns from 3.12 on, and mount not at all; the C library has them everywhere.
LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
ALL_BUT_PID = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET

READ_ONLY = 0x1
REMOUNT = 0x20
BIND = 0x1000
RECURSIVE_PRIVATE = 0x4000 | 0x40000
DETACH = 0x2
PR_SET_PDEATHSIG = 1


def _check(result: int, what: str) -> None:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} ({what})")


def unshare(flags: int) -> None:
    _check(LIBC.unshare(flags), "unshare")


def mount(source: str, target: Path | str, kind: str = "", flags: int = 0, options: str = "") -> None:
    result = LIBC.mount(
        source.encode(),
        os.fsencode(target),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _check(result, f"mount {source} on {target}")


def bind(path: Path, *, read_only: bool) -> None:
    """Give a folder a mount of its own, so that it alone is writable or not."""
    mount(str(path), path, flags=BIND)
    mount("", path, flags=REMOUNT | BIND | (READ_ONLY if read_only else 0))


def change_root(root: Path) -> None:
    """Make root the root, and take every mount of the machine out of reach."""
    os.chdir(root)
    # Stacks the old root on the new one and takes it off again: no folder is needed to put it in.
    _check(LIBC.pivot_root(b".", b"."), "pivot_root")
    _check(LIBC.umount2(b".", DETACH), "umount2")
    os.chdir("/")


def fork_with_own_pids() -> int:
    """Fork a child that is pid 1 of a new pid namespace; returns as os.fork does."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        unshare(CLONE_NEWPID)
        child = os.fork()
        if child:
            # Only the next child would go to the new namespace; every further one needs a namespace of its own.
            _check(LIBC.setns(own, CLONE_NEWPID), "setns")
    finally:
        os.close(own)
    return child


def contain(mount_point: Path, main: Callable[[], int]) -> int:
    """Run main as pid 1 of new namespaces, on a tmpfs at mount_point.

    However main ends, the kernel then ends every process it started, and drops the mounts and
    networks that only they held; there is no cleaning up that could be missed.
    """
    child = fork_with_own_pids()
    if child == 0:
        _become_first_process(mount_point, main)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _become_first_process(mount_point: Path, main: Callable[[], int]) -> None:
    status = 1
    try:
        LIBC.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        # Control-C goes to the parent alone, which ends this process and thereby the namespaces.
        os.setsid()
        unshare(ALL_BUT_PID)
        mount("", "/", flags=RECURSIVE_PRIVATE)
        mount("proc", "/proc", "proc")
        mount("tmpfs", mount_point, "tmpfs", options="mode=0755")
        status = main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Not exit: the cleaning up that the parent has registered is the parent's.
        os._exit(status)
