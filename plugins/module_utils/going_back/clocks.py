# SPDX-License-Identifier: GPL-3.0-or-later
"""Two services that wait for a second of the uptime: one for all that is not confirmed, one for temporary changes."""

from __future__ import annotations

from typing import Iterable, List, NamedTuple, Sequence

from ..host import Host
from ..schema import Action, Query, Run
from ..tools import systemd
from . import stack
from .stack import Layer

# Where systemd has the units that systemd-run has made.
_TRANSIENT = "/run/systemd/transient"


class Clock(NamedTuple):
    """A service that waits for a second of the uptime, and then has the script take layers away."""

    unit: str
    word: str


REVERT = Clock("linuxnet-tuning-revert", "wait")
WINDOW = Clock("linuxnet-tuning-window", "window")


def runs(host: Host, clock: Clock, there: Sequence[Layer]) -> bool:
    """Whether a clock has other layers to wait for, and does: it sees by itself what is new in the table."""
    if not any(layer.waits if clock is REVERT else layer.end for layer in there):
        return False
    return host.ask(Query(("systemctl", "is-active", f"{clock.unit}.service"))).out.strip() == "active"


def start(clock: Clock, end: int) -> List[Run]:
    """Start a clock. It is a service that waits and no timer: those stand still while the machine sleeps, start
    anew with each daemon-reload or jump with the time of day, and in a container begin to count somewhere else. One
    that is killed, such as by a kernel without memory, begins again."""
    again = "--property=Restart=on-failure"
    options = ("--quiet", "--collect", again, f"--unit={clock.unit}", "--description=Revert a network tuning")
    return [*stop(clock), Run(("systemd-run", *options, "/bin/sh", stack.RUN, clock.word, str(end)))]


def stop(clock: Clock) -> List[Run]:
    """The clock may not run, or may have failed long ago; neither keeps a new one from starting."""
    return [Run(("systemctl", verb, f"{clock.unit}.service")) for verb in ("stop", "reset-failed")]


def stops(action: Action) -> bool:
    return isinstance(action, Run) and action.argv[:2] in (("systemctl", "stop"), ("systemctl", "reset-failed"))


def halt(host: Host, clock: Clock) -> None:
    for action in stop(clock) if systemd.running(host) else ():
        host.do(action)


def rest(host: Host, before: Iterable[Layer]) -> None:
    """Stop the clocks that ran for the layers of before, and have nothing to wait for any more."""
    there = stack.read(host)
    if any(layer.waits for layer in before) and not any(layer.waits for layer in there):
        halt(host, REVERT)
    if any(layer.end for layer in before) and not any(layer.end for layer in there):
        halt(host, WINDOW)


def stop_left(host: Host) -> None:
    """Stop what a call has started that was killed before its layer was in the table."""
    for clock in (REVERT, WINDOW):
        if host.exists(f"{_TRANSIENT}/{clock.unit}.service"):
            halt(host, clock)
