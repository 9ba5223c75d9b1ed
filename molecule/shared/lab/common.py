"""What every part of the lab shares: where its state lies, how it speaks, and how it starts a program."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linuxnet-tuning"
IMAGES = CACHE / "image"
STATES = CACHE / "saved"
LAB = Path(os.environ.get("LAB") or CACHE / "lab")  # another one runs beside it
LAB_LOCK = LAB.with_name(LAB.name + ".lock")  # the folder itself comes and goes
CACHE_LOCK = CACHE / "lock"
KEY = CACHE / "ssh" / "id_ed25519"
WIRES = LAB / "wires"  # the switch between containers, where there are some
SSH_CONFIG = LAB / "ssh_config"
INVENTORY = LAB / "inventory.json"

_STARTED = time.monotonic()


class LabError(Exception):
    """Something went wrong that the reader can do something about; the text says what."""


def say(text: str) -> None:
    """Print one line of progress, with the seconds since the program started."""
    print(f"[{time.monotonic() - _STARTED:5.1f} s] {text}", flush=True)


def run(argv: Sequence[str | Path], *, stdin: str | None = None, log: Path | None = None) -> str:
    """Run a program to its end and return what it printed; a failure shows the end of its output."""
    words = [str(word) for word in argv]
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # mmdebstrap, when it fails, hangs up on its whole process group
        )
    except FileNotFoundError as missing:
        raise LabError(f"{words[0]} is not installed; run '{sys.argv[0]} install' first") from missing
    try:
        output, _none = process.communicate(stdin)
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()  # it clears up
        raise
    where = _keep(log, output)
    if process.returncode:
        raise LabError(f"{words[0]} ended with {process.returncode}:\n{tail(output)}{where}")
    return output


def _keep(log: Path | None, output: str) -> str:
    """Where the whole output was kept; a full disk may be why the program failed, and hides no reason."""
    try:
        if log:
            log.write_text(output)
            return f"\nthe whole output: {log}"
    except OSError as error:
        return f"\nthe whole output could not be kept: {error}"
    return ""


def running_commands() -> list[str]:
    """The command lines of all processes of this machine that may be read."""
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(path.read_bytes().decode(errors="replace"))
        except OSError:  # it has ended
            continue
    return commands


def tail(text: str, lines: int = 25) -> str:
    """The last lines of a text, indented so that they stand out from our own."""
    return "\n".join("    " + line.rstrip() for line in text.splitlines()[-lines:])


@contextmanager
def locked(path: Path = LAB_LOCK) -> Iterator[None]:
    """Let only one lab command at a time change the lab, or the cache that all labs share; a second one waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another lab command is at work; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
