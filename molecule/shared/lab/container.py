"""The guests as containers: systemd as process 1 without emulation, for what needs neither drivers nor a kernel.

They run from the tree of the image, with an overlay as their disk, on the machine's own kernel. Every NIC is a veth
whose other end is a port in a namespace of the lab, the switch, with a bridge for each link; it outlives boots.
Nothing leads out of these namespaces; ssh comes in through join.py.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import machine
import namespaces
from common import HERE, WIRES, LabError, tail
from guests import Guest
from image import Image
from machine import Process

ACCEL = "container"
# How many queues a veth gets in the place of a NIC of this driver; igb has eight.
QUEUES = {"igb": 8, "vmxnet3": 2, "virtio-net-pci": 4}


def start(guest: Guest, image: Image, port: int = 0) -> Process:
    """Boot the guest from its disk; the disk is made on the first start and stays until the lab is removed."""
    if os.geteuid() != 0:
        raise LabError("containers need root: start the lab with sudo")
    if not image.tree.exists():
        raise LabError(f"{image.folder} has no tree for containers; remove that folder and build the image again")
    for part in ("upper", "work", "root"):
        (guest.folder / part).mkdir(parents=True, exist_ok=True)
    nics = [
        {
            "name": nic.name,
            "mac": nic.mac,
            "link": nic.link,
            "queues": str(max(nic.queues, QUEUES.get(nic.model, 1))),
            "port": f"{guest.name}-{nic.name}",
        }
        for nic in guest.test_nics
    ]
    plan = {
        "name": guest.name,
        "uuid": f"{guest.number:032x}",
        "folder": str(guest.folder),
        "tree": str(image.tree),
        "nics": nics,
    }
    told = machine.console(guest).stat().st_size if machine.console(guest).exists() else 0
    wires = os.open(f"/proc/{_wires(nics)}/ns/net", os.O_RDONLY)
    try:
        words = [str(HERE / "keeper.py"), str(wires), str(image.folder)]
        pid = _spawn(guest.folder, words, json.dumps(plan), machine.console(guest), wires)
    finally:
        os.close(wires)
    process = Process(pid, port or machine.free_port(), ACCEL, str(image.folder), told)
    machine.record(guest.folder, process)
    return process


def forget_disk(guest: Guest) -> None:
    """Take everything away that the guest has written."""
    for part in ("upper", "work"):
        shutil.rmtree(guest.folder / part)


def _wires(nics: list[dict[str, str]]) -> int:
    """The process that holds the namespace of the switch, started where there is none."""
    process = machine.running(WIRES)
    if process:
        return process.pid
    WIRES.mkdir(parents=True, exist_ok=True)
    # As a cable does, a link carries LLDP and all else that a bridge keeps for itself and the kernel lets it pass on.
    links = "".join(
        f"link add {link} up type bridge group_fwd_mask 65528\n"
        for link in sorted({nic["link"] for nic in nics} - {""})
    )
    pid = _spawn(WIRES, [str(HERE / "wires.py")], links, WIRES / "console.log")
    machine.record(WIRES, Process(pid, 0, ACCEL, ""))
    return pid


def _spawn(folder: Path, words: list[str], text: str, log: Path, *keep: int) -> int:
    """Start one of our programs as process 1 of namespaces of its own, and give its number outside of them.

    Its command line names the pid file, by which it is known as ours.
    """
    argv = [sys.executable, words[0], str(machine.pid_file(folder)), *words[1:]]
    reading, writing = os.pipe()
    groups = _groups(folder)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            for group in groups:
                _join(group)
            namespaces.private_mounts()
            namespaces.unshare(namespaces.NEWPID | namespaces.NEWNET)
            with open(log, "a") as output:
                inner = subprocess.Popen(
                    argv,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    text=True,
                    pass_fds=keep,
                    preexec_fn=_own_proc,
                )
            assert inner.stdin
            inner.stdin.write(text)
            inner.stdin.close()
            os.write(writing, str(inner.pid).encode())
        except BaseException as error:  # the child must not go on as we do
            os.write(writing, f"error: {error}".encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading) as answer:
        told = answer.read()
    if not told.isdigit():
        raise LabError(f"{folder.name} cannot be started: {told}\n{tail(log.read_text()) if log.exists() else ''}")
    machine.pid_file(folder).write_text(told + "\n")
    return int(told)


def _own_proc() -> None:
    namespaces.mount("proc", "/proc", "proc")


def _groups(folder: Path) -> list[Path]:
    """A control group of its own in each hierarchy that systemd may use."""
    top = Path("/sys/fs/cgroup")
    hierarchies = [path for path in (top, top / "unified", top / "systemd") if (path / "cgroup.procs").exists()]
    name = f"linuxnet-lab-{folder.name}-{os.getpid()}-{time.monotonic_ns()}"
    return [hierarchy / name for hierarchy in hierarchies]


def _join(group: Path) -> None:
    """Make the group and live there; another lab that sweeps may remove it as long as nobody does."""
    while True:
        group.mkdir(exist_ok=True)
        try:
            (group / "cgroup.procs").write_text("0")
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENODEV):
                raise
        else:
            return


def sweep() -> None:
    """Remove the control groups of containers that have ended."""
    for group in Path("/sys/fs/cgroup").glob("**/linuxnet-lab-*"):
        with suppress(OSError):  # somebody lives there
            for folder, _folders, _files in os.walk(group, topdown=False):
                Path(folder).rmdir()
