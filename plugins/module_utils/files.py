# SPDX-License-Identifier: GPL-3.0-or-later
"""Write files for host.py: whole or not at all, never through a link, with nothing left of a call that was killed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from .schema import Poke, Save

# The end of the name of a part of a file.
PART = ".linuxnet-tuning"


def poke(action: Poke) -> None:
    """One write system call: the kernel takes or refuses the value as a whole."""
    if action.lazy and _has(action):
        return
    handle = os.open(action.path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.write(handle, os.fsencode(action.text + "\n"))
    finally:
        os.close(handle)


def _has(action: Poke) -> bool:
    handle = os.open(action.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.fsdecode(os.read(handle, 4096)).strip() == action.text
    finally:
        os.close(handle)


def save(action: Save) -> None:
    """Replace a file so that a reader, or a power cut, sees the old or the new one and never a part."""
    folder = os.path.dirname(action.path)
    try:
        if not stat.S_ISREG(os.lstat(action.path).st_mode):
            raise OSError(errno.EINVAL, f"{action.path} is not a regular file, so it is not changed")
    except FileNotFoundError:
        if action.text is None:
            tidy(folder)
            return
    if action.text is None:
        os.unlink(action.path)
        _sync_folder(folder)
        tidy(folder)
        return
    make_folder(folder, private=action.mode & 0o077 == 0)
    temporary = part(action.path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(action.text)
            file.flush()
            _keep_labels(action.path, file.fileno())
            os.fchmod(file.fileno(), action.mode)
            os.fsync(file.fileno())
        os.rename(temporary, action.path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _keep_labels(path: str, handle: int) -> None:
    """Give the new file what its mode does not tell of a file of this user: group, access lists, SELinux's label."""
    with contextlib.suppress(FileNotFoundError):
        there = os.lstat(path)
        if there.st_uid != os.geteuid():
            return
        os.fchown(handle, -1, there.st_gid)
        # A file system without labels says so, and the kernel keeps some of them to itself.
        with contextlib.suppress(OSError):
            for name in os.listxattr(path, follow_symlinks=False):
                with contextlib.suppress(OSError):
                    os.setxattr(handle, name, os.getxattr(path, name, follow_symlinks=False))


def part(path: str) -> str:
    """A part of a file, beside it and under a name that no program reads; the next call knows where to look for it."""
    folder, name = os.path.split(path)
    return f"{folder}/.{name}{PART}"


def drop_part(path: str) -> None:
    """Remove what a call has left that was killed in the middle of a file."""
    if path.endswith(PART):
        with contextlib.suppress(OSError):
            os.unlink(path)
        tidy(os.path.dirname(path))


def tidy(folder: str) -> None:
    """Folders that this collection made go with their last file."""
    while "linuxnet-tuning" in folder:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(".") and name.endswith(PART):
                os.unlink(f"{folder}/{name}")
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def make_folder(folder: str, private: bool) -> None:
    """Make a folder with those above it. State for root only lies in real folders that nobody else can write to."""
    parent = os.path.dirname(folder)
    if private and "linuxnet-tuning" in parent:
        make_folder(parent, private)
    elif not os.path.isdir(parent):
        os.makedirs(parent, mode=0o755)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode=0o700 if private else 0o755)
    if private:
        _check_private(folder)


def _check_private(folder: str) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise OSError(errno.EPERM, f"{folder} is not a folder that only its owner can write to")


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
