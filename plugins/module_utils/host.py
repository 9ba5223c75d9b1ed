# SPDX-License-Identifier: GPL-3.0-or-later
"""Touch: the only place that runs a command or opens a file; in check mode it has no way to write."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from typing import Callable, List, Optional, Sequence, Tuple

from .schema import Action, Answer, Poke, Query, Run, Save, TuningError

Runner = Callable[[Sequence[str], str], Tuple[int, str, str]]

_LARGEST_FILE = 1 << 20
_PROGRAMS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin")


def connect(runner: Runner, check_mode: bool) -> ReadOnlyHost:
    """The host, able to write only outside check mode. `runner` takes argv and stdin, gives (rc, stdout, stderr)."""
    return ReadOnlyHost(runner) if check_mode else Host(runner)


class ReadOnlyHost:
    """Reads commands, files and folders."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def ask(self, query: Query) -> Answer:
        """Run a command that only reads."""
        return self._run(query.argv)

    def read(self, path: str, most: int = _LARGEST_FILE) -> Optional[str]:
        """The text of a file, `most` bytes of it, or None where it does not exist or cannot be read."""
        try:
            # A FIFO in the place of a file must not hold us up.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(handle, encoding="utf-8", errors="replace") as file:
                return file.read(most)
        except OSError:
            return None

    def names(self, path: str) -> List[str]:
        """The sorted names in a folder; empty where there is none."""
        try:
            return sorted(os.listdir(path))
        except OSError:
            return []

    def target(self, path: str) -> str:
        """The last part of what a link points to, which is how sysfs names drivers and buses; empty if none."""
        try:
            return os.path.basename(os.readlink(path))
        except OSError:
            return ""

    def plain(self, path: str) -> bool:
        """Whether there is a regular file, no link, or nothing at all."""
        try:
            return stat.S_ISREG(os.lstat(path).st_mode)
        except OSError:
            return True

    def writable(self, path: str) -> bool:
        """Whether the kernel offers a file for writing; root may open others too, in vain."""
        try:
            return bool(os.stat(path).st_mode & stat.S_IWUSR)
        except OSError:
            return True

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(path)

    def program(self, name: str) -> str:
        """The whole path of a program, or its name where it is not in the usual folders."""
        found = (f"{folder}/{name}" for folder in _PROGRAMS if os.path.exists(f"{folder}/{name}"))
        return next(found, name)

    def clock(self) -> str:
        """The time, in the form of ISO 8601."""
        return time.strftime("%Y-%m-%d %H:%M:%S %Z")

    def uptime(self) -> int:
        """Seconds since the boot, by the clock that systemd's timers use."""
        return int(time.clock_gettime(time.CLOCK_MONOTONIC))

    def wait_for(self, path: str, text: str, seconds: float) -> bool:
        """Whether a file of the kernel holds a text, now or within some seconds."""
        return self.wait_until(lambda: (self.read(path) or "").strip() == text, seconds)

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Whether something is so, now or within some seconds."""
        end = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def _run(self, argv: Sequence[str], lines: Sequence[str] = ()) -> Answer:
        try:
            return Answer(*self._runner(argv, "".join(f"{line}\n" for line in lines)))
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise TuningError(f"the program '{argv[0]}' is not installed; install its package") from None
            raise TuningError(f"cannot run '{argv[0]}': {error.strerror}") from None


class Host(ReadOnlyHost):
    """Also changes things."""

    _lock = -1

    def hold(self, path: str, seconds: float) -> str:
        """Have a lock, in whose file stands the number of this process; gives who has it, or nothing."""
        try:
            _make_folder(os.path.dirname(path), private=True)
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except PermissionError:
            return ""  # who may not do this may not change anything either, and will be told so
        except OSError as error:
            return f"{path}: {error.strerror or error}"
        if not self.wait_until(self._locked, seconds):
            os.close(self._lock)
            self._lock = -1
            return f"process {self.read(path) or 'unknown'}"
        os.ftruncate(self._lock, 0)
        os.write(self._lock, str(os.getpid()).encode())
        return ""

    def let_go(self) -> None:
        """Give the lock back; a number in its file is that of a process that works."""
        if self._lock >= 0:
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = -1

    def _locked(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def do(self, action: Action) -> str:
        """Carry out one action; returns a complaint, or nothing. Whether it took effect only reading tells."""
        if isinstance(action, Run):
            answer = self._run(action.argv, action.lines)
            return answer.complaint if answer.rc else ""
        try:
            if isinstance(action, Poke):
                _poke(action)
            else:
                _save(action)
        except OSError as error:
            return f"{error.strerror or error}"
        return ""


def _poke(action: Poke) -> None:
    """One write system call: the kernel takes or refuses the value as a whole."""
    handle = os.open(action.path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.write(handle, (action.text + "\n").encode())
    finally:
        os.close(handle)


def _save(action: Save) -> None:
    """Replace a file so that a reader, or a power cut, sees the old or the new one and never a part."""
    folder, name = os.path.split(action.path)
    try:
        if not stat.S_ISREG(os.lstat(action.path).st_mode):
            raise OSError(errno.EINVAL, f"{action.path} is not a regular file, so it is left alone")
    except FileNotFoundError:
        if action.text is None:
            return
    if action.text is None:
        os.unlink(action.path)
        _sync_folder(folder)
        _tidy(folder)
        return
    _make_folder(folder, private=action.mode & 0o077 == 0)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(action.text)
            file.flush()
            os.fchmod(file.fileno(), action.mode)
            os.fsync(file.fileno())
        os.rename(temporary, action.path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _tidy(folder: str) -> None:
    """Folders that this collection made go with their last file."""
    while "linuxnet-tuning" in folder:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _make_folder(folder: str, private: bool) -> None:
    """Make a folder with those above it. State for root only lies in real folders that nobody else can write to."""
    parent = os.path.dirname(folder)
    if private and "linuxnet-tuning" in parent:
        _make_folder(parent, private)
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
