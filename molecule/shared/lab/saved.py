"""Saved states: guests boot once, and start from what was saved then.

A state belongs to one image, QEMU, accelerator, processor and set of devices. Its folder has the disk of each guest,
which holds what differs from the image and the memory and devices of the running machine.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import machine
import qmp
from common import IMAGES, LAB, STATES, LabError, run, say
from guests import Guest
from image import Image

SNAPSHOT = "booted"


@dataclass(frozen=True)
class State:
    """What is saved of all guests of one kind, or may be."""

    folder: Path
    owner: dict[str, str]

    @property
    def record(self) -> Path:
        return self.folder / "state.json"

    @property
    def lock(self) -> Path:
        return self.folder.with_suffix(".lock")


def state(guests: list[Guest], image: Image, accel: str) -> State:
    """The place of the state of these guests, and whose state alone would do there."""
    devices = hashlib.sha256()
    for guest in guests:
        queues = {nic.name: [0] * nic.queues for nic in guest.nics if nic.queues > 1}
        words = machine.command_line(guest, image, accel, 0, queues)
        devices.update("\0".join(words).replace(str(LAB), "").encode())
    cpus = "-".join(str(guest.cpus) for guest in guests)
    owner = {
        "QEMU": run(["qemu-system-x86_64", "--version"]).splitlines()[0],
        "accelerator": accel,
        "processor": _processor() if accel == "kvm" else "emulated",
        "devices": devices.hexdigest()[:12],
    }
    return State(STATES / f"{image.folder.name}-{cpus}", owner)


def fits(kept: State) -> bool:
    """Whether there is a saved state that these guests can start from; tells why one that is there does not fit."""
    if not kept.record.exists():
        return False
    owner = json.loads(kept.record.read_text())
    for what, ours in kept.owner.items():
        if owner.get(what) != ours:
            say(f"the saved state does not fit: it was made with another {what} ({owner.get(what)}, now {ours})")
            return False
    return True


def take_over(kept: State, guests: list[Guest]) -> None:
    """Give each guest a copy of its saved disk."""
    for guest in guests:
        guest.folder.mkdir(parents=True, exist_ok=True)
        run(["cp", "--reflink=auto", "--sparse=always", kept.folder / f"{guest.name}.qcow2", machine.disk(guest)])


def save(kept: State, guests: list[Guest]) -> None:
    """Save the running guests, which end by it."""
    _prune()
    for guest in guests:
        complaint = qmp.monitor(guest, f"savevm {SNAPSHOT}")
        if complaint:
            left = shutil.disk_usage(LAB).free // 2**20
            raise LabError(f"{guest.name} cannot be saved; the file system of {LAB} has {left} MiB left: {complaint}")
    work = kept.folder.with_name(f".new-{kept.folder.name}")
    shutil.rmtree(work, ignore_errors=True)  # of an attempt that was cut off
    work.mkdir(parents=True)
    for guest in guests:
        process = machine.running(guest.folder)
        if process:
            with machine.ending(process.pid, guest.name):
                qmp.command(guest, "quit")
        shutil.move(machine.disk(guest), work / f"{guest.name}.qcow2")
    (work / kept.record.name).write_text(json.dumps(kept.owner, indent=2) + "\n")
    forget(kept)
    work.rename(kept.folder)
    size = sum(path.stat().st_blocks for path in kept.folder.iterdir()) * 512 // 2**20
    say(f"saved ({size} MiB): {kept.folder}")


def forget(kept: State) -> None:
    """Remove a state."""
    if kept.folder.exists():
        shutil.rmtree(kept.folder)


def has(guest: Guest) -> bool:
    """Whether the disk of a guest holds a saved state."""
    listing = run(["qemu-img", "snapshot", "--list", "--force-share", machine.disk(guest)])
    return any(SNAPSHOT in line.split() for line in listing.splitlines())


def _prune() -> None:
    """Remove the states of images that are gone."""
    images = [path.name for path in IMAGES.iterdir()]
    for folder in [path for path in STATES.glob("*") if path.is_dir()]:
        if not any(image in folder.name for image in images):
            shutil.rmtree(folder)


def _processor() -> str:
    """The model of the host's processor, which guests under KVM share."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"
