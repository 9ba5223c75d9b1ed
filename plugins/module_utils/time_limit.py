# SPDX-License-Identifier: GPL-3.0-or-later
"""Bound the time of whatever waits for a command or a server."""

from __future__ import annotations

# The module signal makes enumerations first, which costs as much as all the rest.
import _signal as signal  # type: ignore[import-not-found]
import contextlib
import os
from typing import Any, Iterator, Set


class TimeIsUp(BaseException):
    """Raised in the middle of whatever waits for a command; no handler of errors on the way is to take it for one."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Have so much time. TimeIsUp ends it, and what was started in it and still runs is killed.

    It is not waited for: a process that hangs in a driver does not end.
    """
    before = _children()

    def over(_number: int, _frame: Any) -> None:
        for process in _children() - before:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        raise TimeIsUp

    previous = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _children() -> Set[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return {int(word) for word in file.read().split()}
    except OSError:
        return set()
