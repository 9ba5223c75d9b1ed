# SPDX-License-Identifier: GPL-3.0-or-later
"""Touch: the only place that runs a command or opens a file; in check mode it has no way to write."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from typing import Callable, List, Optional, Sequence, Tuple

from . import files
from .schema import READ_SECONDS, WRITE_SECONDS, Action, Answer, HangsError, Poke, Query, Run, TuningError
from .time_limit import TimeIsUp, limit

Runner = Callable[[Sequence[str], str], Tuple[int, str, str]]

_LARGEST_FILE = 1 << 20
# Below /proc/sys the kernel clears as much memory as it is asked for, and gives the first piece only of some values.
_PIECE = 64 << 10

# Where one command hangs, the next ones most often do too, and all together must not hold the call up.
_SHORT = 1

# Between two commands a slow host reads and thinks.
_PAUSE = 30

# Beside the lock: the second of the uptime until which the call is at work with what, and the file that it writes.
_AT_WORK, _WRITING = "at-work", "writing"

# Tables of the kernel grow with the machine: /proc/interrupts has a column for each CPU, and 2.7 MB with 256 of them.
_LARGEST_TABLE = 64 << 20
_TABLES = "/proc/"

_PROGRAMS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def connect(runner: Runner, check_mode: bool) -> ReadOnlyHost:
    """The host, able to write only outside check mode. `runner` takes argv and stdin, gives (rc, stdout, stderr)."""
    return ReadOnlyHost(runner) if check_mode else Host(runner)


class ReadOnlyHost:
    """Reads commands, files and folders."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._hung = False

    def ask(self, query: Query) -> Answer:
        """Run a command that only reads; TuningError where it hangs."""
        try:
            short = self._hung and not query.own
            return self._run(query.argv, (), min(query.seconds, _SHORT) if short else query.seconds)
        except HangsError:
            self._hung = self._hung or not query.own
            raise

    def read(self, path: str, most: int = 0) -> Optional[str]:
        """The text of a file, `most` bytes of it, or None where it does not exist or cannot be read."""
        found = self._bytes(path, most or (_LARGEST_TABLE if path.startswith(_TABLES) else _LARGEST_FILE))
        text = None if found is None else _text(found)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text and "\r" in text else text

    def exact(self, path: str) -> Optional[str]:
        """The whole text of a file, with the ends of its lines as they are; None where `read` would give a part."""
        found = self._bytes(path, _LARGEST_FILE + 1)
        return None if found is None or len(found) > _LARGEST_FILE else _text(found)

    def _bytes(self, path: str, most: int) -> Optional[bytes]:
        try:
            # A FIFO in the place of a file must not hold us up.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            pieces, left = [b""], most
            while left > 0:
                piece = os.read(handle, min(left, _PIECE))
                if not piece:
                    break
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces)
        except OSError:
            return None
        finally:
            os.close(handle)

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

    def rights(self, path: str) -> Tuple[int, int]:
        """The mode of a file and the number of its owner; those that a new one would get where there is none."""
        try:
            found = os.stat(path)
            return stat.S_IMODE(found.st_mode), found.st_uid
        except OSError:
            return 0o644, 0

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

    def seconds(self) -> float:
        """A clock that nobody sets, to tell how long something has taken."""
        return time.monotonic()

    def uptime(self) -> int:
        """Seconds since the boot, sleep included, as a shell reads them too: in a container often since its own."""
        return int((self.read("/proc/uptime") or "0").partition(".")[0])

    def wait_for(self, path: str, text: str, seconds: float) -> bool:
        """Whether a file of the kernel holds a text, now or within some seconds."""
        return self.wait_until(lambda: (self.read(path) or "").strip() == text, seconds)

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Whether something is so, now or within some seconds."""
        self._at_work("waiting", seconds)
        begun = time.monotonic()
        end = begun + seconds
        while not happened():
            now = time.monotonic()
            if now > end:
                return False
            # A look by commands takes long on a slow host, which needs its time for what it is to be looked for.
            time.sleep(max(0.05, min(now - begun, end - now)))
            begun = time.monotonic()
        return True

    def fetch(self, url: str, seconds: float) -> str:
        """Why a URL gives no document, or nothing where it does."""
        from urllib.request import build_opener  # as dear as all the rest, and few need it

        try:
            # The limit is for the look-up of the name.
            with limit(seconds), build_opener().open(url, timeout=seconds) as answer:
                answer.read(1)
        except TimeIsUp:
            return f"no answer within {seconds:g} s"
        except (OSError, ValueError) as error:
            # urllib wraps what the network says: its error has the other one as `reason`. HTTP's own has a code beside.
            why = error if hasattr(error, "code") else getattr(error, "reason", error)
            return getattr(why, "strerror", None) or f"{why}" or type(why).__name__
        except Exception as error:  # whatever a server makes of HTTP
            return f"no HTTP: {error}"
        return ""

    def _run(self, argv: Sequence[str], lines: Sequence[str] = (), seconds: float = READ_SECONDS) -> Answer:
        self._at_work(" ".join(argv), seconds)
        try:
            with limit(seconds):
                return Answer(*self._runner(argv, "".join(f"{line}\n" for line in lines)))
        except TimeIsUp:
            raise HangsError(f"`{' '.join(argv)}` did not end within {seconds:g} s") from None
        except OSError as error:
            if error.errno == errno.ENOENT:
                package = _PACKAGES.get(argv[0], "its package")
                raise TuningError(f"the program '{argv[0]}' is not installed; install {package}") from None
            raise TuningError(f"cannot run '{argv[0]}': {error.strerror}") from None

    def _at_work(self, doing: str, seconds: float) -> None:
        """Who only reads has nothing that could be cut off."""


# Packages that have another name than their program.
_PACKAGES = {
    "setpci": "the package pciutils",
    **dict.fromkeys(("ip", "tc", "ss"), "the package iproute2 (iproute on RHEL)"),
}


def _locked(handle: int) -> bool:
    """Whether nobody else has this locked."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _left_alone(folder: str) -> bool:
    """Whether no script is at work in a folder, which need not be there."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        return _locked(handle)
    finally:
        os.close(handle)


def _spelt(words: Sequence[str]) -> str:
    """A command as it is told; where its program lies makes no difference."""
    return " ".join(" ".join([os.path.basename(words[0]), *words[1:]] if words else ()).split())


class Host(ReadOnlyHost):
    """Also changes things."""

    _lock = -1
    _notes = ""

    def hold(self, path: str, seconds: float, folder_at_work: str = "") -> str:
        """Have a lock, in whose file stands the number of this process; gives who has it, or nothing.

        A folder is locked while a script is at work in it, which may outlive the call that has started it, and so may
        a single command.
        TuningError where there cannot be a lock.
        """
        folder = os.path.dirname(path)
        try:
            files.make_folder(folder, private=True)
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
            if not stat.S_ISREG(os.fstat(self._lock).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
        except OSError as error:
            if os.geteuid() != 0 and isinstance(error, PermissionError):
                return ""  # who may not do this may not change anything either, and will be told so
            raise TuningError(f"cannot lock {path}, so nothing was changed: {error.strerror or error}") from None
        other = ""
        if not self.wait_until(lambda: _locked(self._lock), seconds):
            other = f"process {self.read(path) or 'unknown'}"
        elif not self.wait_until(lambda: _left_alone(folder_at_work), seconds):
            other = f"the script in {folder_at_work}"
        if other:
            os.close(self._lock)
            self._lock = -1
            return other
        try:
            os.ftruncate(self._lock, 0)
            os.write(self._lock, str(os.getpid()).encode())
        except OSError as error:  # such as a full disk: nobody could tell who has it
            self.let_go()
            raise TuningError(f"cannot write to {path}, so nothing was changed: {error.strerror or error}") from None
        self._notes = folder
        # One that hangs in a driver must not keep everybody else out.
        left = self._left_command()
        if left:
            self.wait_until(lambda: not self._runs(left), WRITE_SECONDS)
        self._forget_writing()
        return ""

    def _left_command(self) -> str:
        """What a call that was killed has been running, as its note tells."""
        return _spelt((self.read(f"{self._notes}/{_AT_WORK}") or "").split()[1:])

    def _runs(self, command: str) -> bool:
        """Whether there is a process of a command."""
        for number in filter(str.isdecimal, self.names("/proc")):
            words = (self.read(f"/proc/{number}/cmdline") or "").split("\0")
            if command in (_spelt(words), _spelt(words[1:])):  # a script stands behind its interpreter
                return True
        return False

    def let_go(self) -> None:
        """Give the lock back; a number in its file is that of a process that works."""
        if self._lock >= 0:
            self._note(_AT_WORK, "")
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock, self._notes = -1, ""

    def do(self, action: Action) -> str:
        """Carry out one action; returns a complaint, or nothing. Whether it took effect only reading tells."""
        if isinstance(action, Run):
            try:
                answer = self._run(action.argv, action.lines, action.seconds)
            except HangsError as error:
                return str(error)
            return answer.complaint if answer.rc or (action.refused and action.refused in answer.err) else ""
        self._at_work(str(action), WRITE_SECONDS)
        try:
            if isinstance(action, Poke):
                files.poke(action)
            else:
                self._note(_WRITING, files.part(action.path))
                files.save(action)
        except OSError as error:
            with contextlib.suppress(OSError):  # the next call tries again
                self._forget_writing()
            return f"{error.strerror or error}"
        self._note(_WRITING, "")
        return ""

    def _at_work(self, doing: str, seconds: float) -> None:
        """The guard's clock does not end a call that is at work."""
        if self._notes:
            self._note(_AT_WORK, f"{self.uptime() + int(seconds) + _PAUSE} {' '.join(doing.split())}\n")

    def _note(self, name: str, words: str) -> None:
        """Tell others, in files that a reboot takes along; without a lock there is nobody to tell."""
        if not self._notes:
            return
        with contextlib.suppress(OSError):
            if words:
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
                handle = os.open(f"{self._notes}/{name}", flags, 0o600)
                try:
                    os.write(handle, os.fsencode(words))
                finally:
                    os.close(handle)
            else:
                os.unlink(f"{self._notes}/{name}")

    def _forget_writing(self) -> None:
        """A call that was killed in the middle of a file has left a part of it."""
        files.drop_part(self.read(f"{self._notes}/{_WRITING}") or "")
        self._note(_WRITING, "")
