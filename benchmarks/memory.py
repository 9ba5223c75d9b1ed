"""Measures how much memory a program and all that it starts take at most, what they share counted once."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

# Often enough for runs of some seconds, and seldom enough not to be what is measured.
INTERVAL = 0.2


class Peak:
    """Watches a process and its descendants as long as the context lasts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(INTERVAL):
            self.bytes = max(self.bytes, sum(proportional(one) for one in family(self.process.pid)))


def family(first: int) -> Iterator[int]:
    """A process and its descendants, threads' children included."""
    waiting = [first]
    while waiting:
        process = waiting.pop()
        yield process
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                waiting += map(int, children.read_text().split())
            except OSError:
                continue  # it has ended


def proportional(process: int) -> int:
    """The memory of a process; a page that several share counts as its part for each, so that sums are right."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
