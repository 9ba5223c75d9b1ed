"""One virtual machine as a process: its QEMU command line, its start, its end, and the proof that it is ours."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import apt
import tap
from common import LAB, WIRES, LabError, run, tail
from guests import Guest, Nic
from image import Image

# On a busy machine the timer of an emulated guest comes too late for the check of the kernel, which then panics.
BOOT_LINE = (
    "root=/dev/vda rw rootfstype=ext4 fsck.mode=skip console=ttyS0 quiet loglevel=4 panic=10 "
    "mitigations=off audit=0 no_timer_check random.trust_cpu=on net.ifnames=1 systemd.show_status=false"
)
# Whatever a server without screen and disks does not have would only make the boot longer.
MACHINE = (
    *("-machine", "q35,usb=off,vmport=off,hpet=off,sata=off,smbus=off,i8042=off"),
    *("-nodefaults", "-no-user-config", "-display", "none"),
)


@dataclass(frozen=True)
class Process:
    """What is needed to find a running guest again, kept in its folder; `told` is how long its console was before."""

    pid: int
    port: int
    accel: str
    image: str
    told: int = 0


def running(folder: Path) -> Process | None:
    """The process of the guest of this folder, if it lives and really is ours."""
    process = recorded(folder)
    return process if process and _is_ours(folder, process.pid) else None


def recorded(folder: Path) -> Process | None:
    """What the last start wrote down, whether it still runs or not."""
    try:
        return Process(**json.loads(record_file(folder).read_text()))
    except FileNotFoundError:
        return None


def record(folder: Path, process: Process) -> None:
    """Write down what was started."""
    record_file(folder).write_text(json.dumps(asdict(process), indent=2) + "\n")


def folders() -> list[Path]:
    """The folders of all guests that were ever started in this lab, also of those no longer in guests.json."""
    return sorted(record.parent for record in LAB.glob("*/process.json"))


def disk(guest: Guest) -> Path:
    """Its disk: what differs from the image, and the saved state."""
    return guest.folder / "disk.qcow2"


def start(guest: Guest, image: Image, accel: str, port: int = 0, state: str = "") -> Process:
    """Start the guest on its disk, at the state of this name in it or, without one, with a boot.

    The disk is made on the first start and stays until the lab is removed.
    """
    guest.folder.mkdir(parents=True, exist_ok=True)
    if not disk(guest).exists():
        run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", image.disk, disk(guest)])
    port = port or free_port()
    told = console(guest).stat().st_size if console(guest).exists() else 0
    queues = {nic.name: tap.open_queues(nic.queues) for nic in guest.nics if nic.queues > 1}
    switch = running(WIRES)
    if switch:
        for nic in guest.nics:
            if nic.link:
                queues[nic.name] = tap.open_port(switch.pid, f"{guest.name}-{nic.name}", nic.link)
    descriptors = [descriptor for group in queues.values() for descriptor in group]
    try:
        argv = command_line(guest, image, accel, port, queues)
        argv += ["-loadvm", state] if state else []
        pid = _spawn(guest, argv, descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    process = Process(pid, port, accel, str(image.folder), told)
    record(guest.folder, process)
    return process


def kill(folder: Path, patience: float = 60.0) -> bool:
    """End the process at once, as when somebody pulls the plug; False if there was none.

    Its port, its sockets and the lock of its disk are free afterwards: a killed process has no command line any more
    while the kernel still closes its files, so only its pidfd tells when it has ended.
    """
    process = running(folder)
    if not process:
        return False
    with ending(process.pid, folder.name, patience):
        os.kill(process.pid, signal.SIGKILL)
    return True


@contextmanager
def ending(pid: int, name: str, patience: float = 60.0) -> Iterator[None]:
    """Wait until the process that the body ends is gone with all that it held."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        yield
        if not select.select([descriptor], [], [], patience)[0]:
            raise LabError(f"{name}: process {pid} does not end within {patience:.0f} s")
    finally:
        os.close(descriptor)


def console(guest: Guest) -> Path:
    """The file with everything that the guest wrote to its serial console since its first start."""
    return guest.folder / "console.log"


def command_line(guest: Guest, image: Image, accel: str, port: int, queues: dict[str, list[int]]) -> list[str]:
    """The whole QEMU command line."""
    argv = [
        "qemu-system-x86_64",
        *("-name", f"linuxnet-lab-{guest.name}"),
        *("-pidfile", str(pid_file(guest.folder))),
        *MACHINE,
        *accel_arguments(accel),
        *("-smp", str(guest.cpus), "-m", f"{guest.memory_mib}M"),
        *("-chardev", f"file,id=serial,path={console(guest)},append=on", "-serial", "chardev:serial"),
        *("-qmp", f"unix:{guest.name}/qmp.sock,server=on,wait=off"),
        *("-device", "virtio-rng-pci"),
        *("-drive", f"if=virtio,format=qcow2,cache=unsafe,file={disk(guest)}"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initrd)),
        *("-append", f"{BOOT_LINE} systemd.hostname={guest.name} systemd.machine_id={guest.number:032x}"),
    ]
    for slot, nic in enumerate(guest.nics):
        for backend in _backends(guest, nic, slot, port, queues.get(nic.name, [])):
            argv += ["-netdev", backend]
        argv += _device(nic, slot)
    return argv


def accel_arguments(accel: str) -> list[str]:
    """QEMU's words for KVM or for software emulation."""
    if accel == "kvm":
        return ["-accel", "kvm", "-cpu", "host"]
    # An old processor is the fastest where each instruction is translated: programs that find wider registers use them,
    # and each switch between tasks has to save them. Against `max` Python starts in five sixths of the time, and what
    # the lab does most (ip, ethtool, systemctl) takes three quarters. It has all that Debian and x86-64-v2 ask for.
    return ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "Nehalem"]


def _backends(guest: Guest, nic: Nic, slot: int, port: int, queues: list[int]) -> list[str]:
    """What the NIC is connected to."""
    if slot == 0:
        return [f"user,id={nic.name},restrict=on,ipv6=off,hostfwd=tcp:127.0.0.1:{port}-10.0.2.15:22"]
    if queues:
        return [f"tap,id={nic.name},vhost=off,fds={':'.join(str(queue) for queue in queues)}"]
    if nic.link:
        # Relative to the folder of the lab, because the path of a unix socket may have 107 bytes only.
        # The client tries again until the server is there, so a power cut on either side is outlived. With datagrams,
        # QEMU would keep a whole processor busy for as long as the guest at the other end boots and takes none.
        listens = guest.name == _first_end(nic.link)
        role = "server=on" if listens else f"server=off,{_again()}"
        return [f"stream,id={nic.name},addr.type=unix,addr.path={nic.link}.sock,{role}"]
    # Without a second port nobody takes the packets, and after some of them virtio waits for ever.
    return [f"hubport,id={nic.name}{end},hubid={slot}" for end in ("", "-end")]


def _first_end(link: str) -> str:
    """The guest that listens for the other one."""
    from guests import load

    ends = [guest.name for guest in load() for nic in guest.nics if nic.link == link]
    if len(ends) != 2:
        raise LabError(f"guests.json: the link '{link}' has {len(ends)} ends, it needs two")
    return ends[0]


def _again() -> str:
    """How often a client tries to connect."""
    return "reconnect-ms=200" if apt.qemu_version() >= 10 else "reconnect=1"


def _device(nic: Nic, slot: int) -> list[str]:
    """The NIC behind a PCIe root port of its own (igb insists on one), without a boot ROM to search."""
    device = f"{nic.model},netdev={nic.name},id=nic-{nic.name},mac={nic.mac},bus=port{slot},romfile="
    if nic.queues > 1:
        device += f",mq=on,vectors={2 * nic.queues + 2}"
    port = f"pcie-root-port,id=port{slot},bus=pcie.0,addr={slot + 0x10:#x},chassis={slot},slot={slot}"
    return ["-device", port, "-device", device]


def _spawn(guest: Guest, argv: list[str], descriptors: list[int]) -> int:
    """Start QEMU in the background and see that it does not fall over at once."""
    log = guest.folder / "qemu.log"
    for leftover in ("pid", "qmp.sock"):  # of a start that was cut off
        (guest.folder / leftover).unlink(missing_ok=True)
    with open(log, "w") as output:
        process = subprocess.Popen(
            argv,
            cwd=LAB,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=descriptors,
            start_new_session=True,
        )
    deadline = time.monotonic() + 15
    while not pid_file(guest.folder).exists() or not (guest.folder / "qmp.sock").exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise LabError(f"{guest.name}: QEMU did not start:\n{tail(log.read_text())}")
        time.sleep(0.05)
    process.returncode = 0  # It outlives us on purpose.
    return process.pid


def _is_ours(folder: Path, pid: int) -> bool:
    """A process number may have been given to somebody else; the command line names our own pid file."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(pid_file(folder)).encode() in words


def free_port() -> int:
    """A port of this machine that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pid_file(folder: Path) -> Path:
    """The file with the process number, whose path on its command line tells that a process is ours."""
    return folder / "pid"


def record_file(folder: Path) -> Path:
    """The file that tells what was started."""
    return folder / "process.json"
