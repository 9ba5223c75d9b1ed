# SPDX-License-Identifier: GPL-3.0-or-later
"""Start guests: from their saved state where it fits, else by a boot, and once more where emulation fails."""

from __future__ import annotations

import argparse
from pathlib import Path

import accel
import container
import image
import machine
import releases
import remote
import saved
from common import CACHE_LOCK, LabError, locked, say
from guests import Guest, load

# Software emulation on several threads now and then fails while a guest boots; so often it is started once more.
REPEATS = 2


def check_kinds(guests: list[Guest], contained: list[Guest], release: releases.Release) -> None:
    """A lab has one release, and each guest is of one kind until it is down."""
    kinds = {True: "a container", False: "a virtual machine"}
    for guest in guests:
        process = machine.recorded(guest.folder)
        if not process:
            continue
        now = (kinds[process.accel == container.ACCEL], image.Image(Path(process.image)).release)
        requested = (kinds[guest in contained], release.name)
        if now != requested:
            raise LabError(
                f"in this lab {guest.name} is {now[0]} of {now[1]}, and {requested[0]} of {requested[1]} was "
                "asked for; run 'down' first, or name another lab by the variable LAB"
            )


def start(guests: list[Guest], contained: list[Guest], built: image.Image, options: argparse.Namespace) -> None:
    """Start what does not run: containers first, for the wires to virtual machines end in their switch."""
    machines = [guest for guest in guests if guest not in contained]
    fresh = not any(machine.recorded(guest.folder) for guest in guests)
    kept = None
    if machines:
        with locked(CACHE_LOCK):
            chosen = accel.choose(built, options.accel)
        if fresh and not options.boot:
            kept = _state(guests, built, chosen)
    if contained:
        if machines and not kept:
            for guest in guests:
                machine.kill(guest.folder)
        boot(contained, built, container.ACCEL)
    if kept:
        _start_from_state(kept, machines, built, chosen)
    elif machines:
        boot(machines, built, chosen)


def _start_one(guest: Guest, built: image.Image, how: str, port: int = 0) -> machine.Process:
    return container.start(guest, built, port) if how == container.ACCEL else machine.start(guest, built, how, port)


def _state(guests: list[Guest], built: image.Image, chosen: str) -> saved.State | None:
    """The saved state of all guests; where there is none, boot them and save it. None if they do not come to rest."""
    kept = saved.state(guests, built, chosen)
    with locked(kept.lock):
        if not saved.fits(kept):
            say("booting the guests, once, to save their state")
            boot(guests, built, chosen)
            if not all(remote.settled(guest) for guest in guests):
                say("the guests do not come to rest, and nothing is saved of them")
                return None
            saved.save(kept, guests)
    return kept


def _start_from_state(kept: saved.State, guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Start guests from what was saved of them; where that does not load, boot them."""
    with locked(kept.lock):
        saved.take_over(kept, guests)
    try:
        resume(guests, built, chosen)
    except LabError as error:
        say(f"{error}\nThe saved state does not load; booting the guests")
        # One that is only slow on a busy machine serves others, and the next time.
        if not all(machine.running(guest.folder) for guest in guests):
            saved.forget(kept)
        for guest in guests:
            machine.kill(guest.folder)
            machine.disk(guest).unlink()
        boot(guests, built, chosen)


def resume(guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Start guests from the saved state on their disks, on the ports that they have."""
    for guest in guests:
        former = machine.recorded(guest.folder)
        process = machine.start(guest, built, chosen, former.port if former else 0, saved.SNAPSHOT)
        say(f"{guest.name} started from its saved state (process {process.pid}, ssh on 127.0.0.1 port {process.port})")
    remote.write_files(load())
    for guest in guests:
        remote.awake(guest)
        say(f"{guest.name} is up")


def boot(guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Boot the guests that do not run. Software emulation now and then fails while a guest boots."""
    for repeat in range(REPEATS + 1):
        for guest in guests:
            if not machine.running(guest.folder):
                former = machine.recorded(guest.folder)
                process = _start_one(guest, built, chosen, former.port if former else 0)
                say(f"{guest.name} boots (process {process.pid}, {process.accel})")
        remote.write_files(load())
        try:
            for guest in guests:
                remote.wait_for(guest)
                say(f"{guest.name} is up")
            return
        except remote.EndedError as error:
            if repeat == REPEATS:
                raise
            say(f"{error}\nAll guests are started once more")
            for guest in guests:
                machine.kill(guest.folder)


def cut_power(guest: Guest, process: machine.Process) -> None:
    machine.kill(guest.folder)
    say(f"{guest.name} lost its power")
    _start_one(guest, image.Image.at(process.image), process.accel, process.port)


def await_boot(guest: Guest, process: machine.Process, not_boot: str = "") -> None:
    """Wait until a guest is back. Software emulation now and then loses a timer or fails while a guest boots."""
    for _repeat in range(REPEATS):
        try:
            return remote.wait_for(guest, not_boot, remote.HUNG)
        except LabError as error:
            say(f"{error}\n{guest.name} is started once more")
            cut_power(guest, process)
    return remote.wait_for(guest)
