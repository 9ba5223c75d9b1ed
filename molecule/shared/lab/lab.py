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
        _same_kind([process for guest in guests if (process := machine.recorded(guest.folder))], release, options)
        stopped = [guest for guest in guests if not machine.running(guest.folder)]
        if stopped:
            with locked(image.lock(release)):
                built = image.ensure(guests, release)
            with locked(CACHE_LOCK):
                chosen = container.ACCEL if options.containers else accel.choose(built, options.accel)
            fresh = not any(machine.recorded(guest.folder) for guest in guests)
            if fresh and chosen != container.ACCEL and not options.boot:
                _start_from_state(guests, built, chosen)
            else:
                _boot(guests, built, chosen)
        remote.write_files(guests)
    say(f"ssh -F {SSH_CONFIG} {guests[0].name}")
    say(f"ansible -i {INVENTORY} lab -m ping")


def _same_kind(processes: list[machine.Process], release: releases.Release, options: argparse.Namespace) -> None:
    """A lab has one release and one kind of guests until it is down."""
    for process in processes:
        kinds = {True: "containers", False: "virtual machines"}
        now = (image.Image(Path(process.image)).release, kinds[process.accel == container.ACCEL])
        asked = (release.name, kinds[options.containers])
        if now != asked:
            raise LabError(
                f"this lab has {now[1]} of {now[0]}, and {asked[1]} of {asked[0]} were asked for; "
                "run 'down' first, or name another lab by the variable LAB"
            )


def _start(guest: Guest, built: image.Image, how: str, port: int = 0) -> machine.Process:
    return container.start(guest, built, port) if how == container.ACCEL else machine.start(guest, built, how, port)


def _start_from_state(guests: list[Guest], built: image.Image, chosen: str) -> None:
    """Start all guests from what was saved of them; where that cannot be, boot them and save it for the next time."""
    kept = saved.state(guests, built, chosen)
    with locked(kept.lock):
        if not saved.fits(kept):
            say("booting the guests, once, to save their state")
            _boot(guests, built, chosen)
            if not all(remote.settled(guest) for guest in guests):
                say("the guests do not come to rest; they go on as they are, and nothing is saved of them")
                return
            saved.save(kept, guests)
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
    remote.write_files(guests)
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
        remote.write_files(guests)
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
        processes = [machine.recorded(guest.folder) for guest in guests]
        process = next(iter(processes))
        if not process or None in processes:
            raise LabError("not all guests were started; run 'up' first")
        contained = process.accel == container.ACCEL
        if not contained and not all(saved.has(guest) for guest in guests):
            raise LabError("this lab did not start from a saved state; run 'down', then 'up'")
        for guest in guests:
            machine.kill(guest.folder)
        if contained:
            for guest in guests:
                container.forget_disk(guest)
            _boot(guests, image.Image.at(process.image), process.accel)
        else:
            _load(guests, image.Image.at(process.image), process.accel)
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
            place = f"process {process.pid}, {process.accel}, ssh on 127.0.0.1 port {process.port}"
            print(f"{guest.name}: running ({place}), NICs {', '.join(nic.name for nic in guest.test_nics)}")
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
            contained = os.environ.get("LAB_KIND") == "containers"
            help_text = "containers in the place of virtual machines (also LAB_KIND=containers)"
            command.add_argument("--containers", action="store_true", default=contained, help=help_text)
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
