"""The lab: virtual machines with emulated NICs under their real drivers, on any Debian machine.

Everything it makes lies in ~/.cache/linuxnet-tuning (or under $XDG_CACHE_HOME). Nothing is reachable
from outside, and the guests reach nothing but each other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

import accel
import apt
import container
import image
import machine
import releases
import remote
import saved
from common import CACHE_LOCK, INVENTORY, LAB, SSH_CONFIG, LabError, locked, say
from guests import Guest, load

# Software emulation on several threads now and then fails while a guest boots; so often it is started once more.
REPEATS = 2


def install(_options: argparse.Namespace) -> None:
    """Install the Debian packages that the lab needs"""
    with locked(CACHE_LOCK):
        apt.install()


def build(options: argparse.Namespace) -> None:
    """Build the disk image of a release, if it is not in the cache"""
    release = releases.chosen(options.release)
    with locked(image.lock(release)):
        image.ensure(load(), release)


def up(options: argparse.Namespace) -> None:
    """Start the guests and wait until all of them answer; does nothing where they run"""
    guests = load()
    release = releases.chosen(options.release)
    with locked():
        contained = _contained(guests, options.containers)
        _same_kind(guests, contained, release)
        if not all(machine.running(guest.folder) for guest in guests):
            with locked(image.lock(release)):
                built = image.ensure(guests, release)
            _up(guests, contained, built, options)
        remote.write_files(guests)
    say(f"ssh -F {SSH_CONFIG} {guests[0].name}")
    say(f"ansible -i {INVENTORY} lab -m ping")


def _contained(guests: list[Guest], names: list[str] | None) -> list[Guest]:
    """The guests that are to be containers: those named by the option or by LAB_CONTAINERS, or all."""
    if names is None:
        names = os.environ.get("LAB_CONTAINERS", "").split()
        if not names:
            return []
    if names in ([], ["all"]):
        return guests
    return [_named(name) for name in names]


def _same_kind(guests: list[Guest], contained: list[Guest], release: releases.Release) -> None:
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


def _up(guests: list[Guest], contained: list[Guest], built: image.Image, options: argparse.Namespace) -> None:
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
        _boot(contained, built, container.ACCEL)
    if kept:
        _start_from_state(kept, machines, built, chosen)
    elif machines:
        _boot(machines, built, chosen)


def _start(guest: Guest, built: image.Image, how: str, port: int = 0) -> machine.Process:
    return container.start(guest, built, port) if how == container.ACCEL else machine.start(guest, built, how, port)


def _state(guests: list[Guest], built: image.Image, chosen: str) -> saved.State | None:
    """The saved state of all guests; where there is none, boot them and save it. None if they do not come to rest."""
    kept = saved.state(guests, built, chosen)
    with locked(kept.lock):
        if not saved.fits(kept):
            say("booting the guests, once, to save their state")
            _boot(guests, built, chosen)
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
        _load(guests, built, chosen)
    except LabError as error:
        say(f"{error}\nThe saved state does not load; booting the guests")
        # One that is only slow on a busy machine serves others, and the next time.
        if not all(machine.running(guest.folder) for guest in guests):
            saved.forget(kept)
        for guest in guests:
            machine.kill(guest.folder)
            machine.disk(guest).unlink()
        _boot(guests, built, chosen)


def _load(guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Start guests from the saved state on their disks, on the ports that they have."""
    for guest in guests:
        former = machine.recorded(guest.folder)
        process = machine.start(guest, built, chosen, former.port if former else 0, saved.SNAPSHOT)
        say(f"{guest.name} started from its saved state (process {process.pid}, ssh on 127.0.0.1 port {process.port})")
    remote.write_files(load())
    for guest in guests:
        remote.awake(guest)
        say(f"{guest.name} is up")


def _boot(guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Boot the guests that do not run. Software emulation now and then fails while a guest boots."""
    for repeat in range(REPEATS + 1):
        for guest in guests:
            if not machine.running(guest.folder):
                former = machine.recorded(guest.folder)
                process = _start(guest, built, chosen, former.port if former else 0)
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


def reset(_options: argparse.Namespace) -> None:
    """Bring all guests back to their saved state, whatever they are doing"""
    guests = load()
    with locked():
        processes = {guest: process for guest in guests if (process := machine.recorded(guest.folder))}
        if len(processes) < len(guests):
            raise LabError("not all guests were started; run 'up' first")
        contained = [guest for guest in guests if processes[guest].accel == container.ACCEL]
        machines = [guest for guest in guests if guest not in contained]
        if not all(saved.has(guest) for guest in machines):
            raise LabError("this lab did not start from a saved state; run 'down', then 'up'")
        for guest in guests:
            machine.kill(guest.folder)
        built = image.Image.at(processes[guests[0]].image)
        for guest in contained:
            container.forget_disk(guest)
        if contained:
            _boot(contained, built, container.ACCEL)
        if machines:
            _load(machines, built, processes[machines[0]].accel)
    say("the lab is as it was saved")


def down(_options: argparse.Namespace) -> None:
    """End the guests and remove their disks; the image stays in the cache"""
    with locked():
        for folder in machine.folders():
            say(f"{folder.name} ended" if machine.kill(folder) else f"{folder.name} was not running")
        if LAB.exists():
            shutil.rmtree(LAB)
        container.sweep()
    say("the lab is down")


def status(_options: argparse.Namespace) -> None:
    """Tell what runs; ends with 1 unless all guests do"""
    everything = True
    for guest in load():
        process = machine.running(guest.folder)
        everything = everything and process is not None
        if process:
            about = f"process {process.pid}, {process.accel}, ssh on 127.0.0.1 port {process.port}"
            print(f"{guest.name}: running ({about}), NICs {', '.join(nic.name for nic in guest.test_nics)}")
        else:
            print(f"{guest.name}: not running")
    if not everything:
        sys.exit(1)


def ssh(options: argparse.Namespace) -> None:
    """Log in to a guest, or run a command in it"""
    guest = _named(options.guest)
    _running(guest)
    argv = remote.ssh_command(guest.name, options.command)
    os.execvp(argv[0], argv)


def inventory(_options: argparse.Namespace) -> None:
    """Write the Ansible inventory and the ssh configuration again, and print their paths"""
    with locked():
        remote.write_files(load())
    print(f"inventory: {INVENTORY}\nssh configuration: {SSH_CONFIG}")


def reboot(options: argparse.Namespace) -> None:
    """Reboot a guest in good order and wait until it is back"""
    guest = _named(options.guest)
    process = _running(guest)
    with locked():
        _await_boot(guest, process, remote.reboot(guest))
    say(f"{guest.name} is up again")


def power_cut(options: argparse.Namespace) -> None:
    """Pull the plug of a guest, start it again from the same disk, and wait until it is back"""
    guest = _named(options.guest)
    process = _running(guest)
    with locked():
        _cut_power(guest, process)
        _await_boot(guest, process)
    say(f"{guest.name} is up again")


def _cut_power(guest: Guest, process: machine.Process) -> None:
    machine.kill(guest.folder)
    say(f"{guest.name} lost its power")
    _start(guest, image.Image.at(process.image), process.accel, process.port)


def _await_boot(guest: Guest, process: machine.Process, not_boot: str = "") -> None:
    """Wait until a guest is back. Software emulation now and then loses a timer or fails while a guest boots."""
    for _repeat in range(REPEATS):
        try:
            return remote.wait_for(guest, not_boot, remote.HUNG)
        except LabError as error:
            say(f"{error}\n{guest.name} is started once more")
            _cut_power(guest, process)
    return remote.wait_for(guest)


def console(options: argparse.Namespace) -> None:
    """Print what a guest wrote to its serial console"""
    log = machine.console(_named(options.guest))
    if not log.exists():
        raise LabError(f"{log} does not exist; was the guest ever started?")
    print(log.read_text(errors="replace"), end="")


def _named(name: str) -> Guest:
    guests = {guest.name: guest for guest in load()}
    if name not in guests:
        raise LabError(f"there is no guest '{name}'; the lab has {' and '.join(guests)}")
    return guests[name]


def _running(guest: Guest) -> machine.Process:
    process = machine.running(guest.folder)
    if not process:
        raise LabError(f"{guest.name} is not running; run 'up' first")
    return process


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, function in (
        ("install", install),
        ("build", build),
        ("up", up),
        ("reset", reset),
        ("down", down),
        ("status", status),
        ("inventory", inventory),
        ("ssh", ssh),
        ("reboot", reboot),
        ("power-cut", power_cut),
        ("console", console),
    ):
        command = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        command.set_defaults(function=function)
        if function is up:
            help_text = "how to run the guests (default: %(default)s, which tries KVM)"
            command.add_argument("--accel", choices=accel.CHOICES, default="auto", help=help_text)
            help_text = "these guests, or all, as containers instead of virtual machines (also LAB_CONTAINERS=all)"
            command.add_argument("--containers", nargs="*", metavar="GUEST", help=help_text)
            command.add_argument("--boot", action="store_true", help="boot, although there may be a saved state")
        if function in (up, build):
            help_text = f"one of {', '.join(releases.RELEASES)} (default: LAB_RELEASE, else {releases.DEFAULT})"
            command.add_argument("--release", default="", metavar="RELEASE", help=help_text)
        if function in (ssh, reboot, power_cut, console):
            command.add_argument("guest", metavar="GUEST")
        if function is ssh:
            command.add_argument("command", nargs=argparse.REMAINDER, metavar="WORD", help="the command and its words")
    return parser


def main() -> int:
    """Run one command; errors are one message and the exit code 1."""
    options = _arguments().parse_args()
    try:
        options.function(options)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # such as a full disk
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted; 'down' removes what is running", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
