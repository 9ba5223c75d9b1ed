"""Holds the namespace that is the switch between containers; its bridges come on standard input, for ip -batch."""

from __future__ import annotations

import signal
import subprocess
import sys


def main() -> None:
    """Make the bridges, and stay until the kill."""
    subprocess.run(["ip", "-batch", "-"], stdin=sys.stdin, check=True)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
