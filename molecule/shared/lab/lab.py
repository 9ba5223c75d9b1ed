"""The lab: virtual machines with emulated NICs under their real drivers, on any Debian machine.

Everything it makes lies in ~/.cache/linuxnet-tuning (or under $XDG_CACHE_HOME). Nothing is reachable
from outside, and the guests reach nothing but each other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys

import accel
import apt
import container
import image
import machine
import releases
import remote
import saved
import starting
from common import CACHE_LOCK, INVENTORY, LAB, SSH_CONFIG, LabError, locked, say
from guests import Guest, load


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
        starting.check_kinds(guests, contained, release)
        if not all(machine.running(guest.folder) for guest in guests):
            with locked(image.lock(release)):
                built = image.ensure(guests, release)
            starting.start(guests, contained, built, options)
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
            starting.boot(contained, built, container.ACCEL)
        if machines:
            starting.resume(machines, built, processes[machines[0]].accel)
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
        starting.await_boot(guest, process, remote.reboot(guest))
    say(f"{guest.name} is up again")


def power_cut(options: argparse.Namespace) -> None:
    """Pull the plug of a guest, start it again from the same disk, and wait until it is back"""
    guest = _named(options.guest)
    process = _running(guest)
    with locked():
        starting.cut_power(guest, process)
        starting.await_boot(guest, process)
    say(f"{guest.name} is up again")


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
