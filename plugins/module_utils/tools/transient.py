# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak systemd: transient units that end by themselves and clean up behind them, and the state of units."""

from __future__ import annotations

import re
from typing import List, Sequence

from ..schema import Query, Reader, Run


def service(unit: str, about: str, seconds: int, argv: Sequence[str], afterwards: Sequence[str], netns: str) -> Run:
    """Start a service now. Whatever ends it (itself, the time limit, somebody's `stop`), `afterwards` is run."""
    # The limit for stopping is one for cleaning up too; a host that is slow must not be cut off in the middle of it.
    words = ["systemd-run", "--quiet", "--collect", f"--unit={unit}", f"--description={about}"]
    words += [f"--property=RuntimeMaxSec={seconds}", "--property=TimeoutStopSec=120"]
    words += [f"--property=ExecStopPost={' '.join(afterwards)}"]
    words += [f"--property=NetworkNamespacePath={netns}"] if netns else []
    return Run((*words, *argv))


def version(host: Reader) -> int:
    """The version of systemd; 0 where it does not tell."""
    match = re.match(r"systemd (\d+)", host.ask(Query(("systemctl", "--version"))).out)
    return int(match.group(1)) if match else 0


def stop(unit: str) -> Run:
    """Stop a unit and wait until it has cleaned up."""
    return Run(("systemctl", "stop", unit), seconds=150)


def active(host: Reader, unit: str) -> bool:
    """Whether a unit runs, or is on its way to an end."""
    answer = host.ask(Query(("systemctl", "is-active", unit)))
    return answer.out.strip() in ("active", "activating", "deactivating", "reloading")


def stopped_meanwhile(unit: str) -> List[List[str]]:
    """The commands that stop a unit, and start it again."""
    return [["systemctl", "stop", unit], ["systemctl", "--no-block", "start", unit]]
