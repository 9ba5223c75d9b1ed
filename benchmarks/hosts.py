"""Starts hosts made of namespaces, each with a root, a network and an SSH server of its own."""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import namespaces

NETWORK = ipaddress.ip_network("10.77.0.0/16")
CONTROLLER = "02:00:00:01:00:00"
QUEUES = 4
LOGGED_COMMAND = "Starting session: "
# Hidden from the hosts: what this machine keeps for itself, and what an earlier tuning of it left.
EMPTY = ("dev", "etc/ssh", "etc/sysctl.d", "etc/systemd/system", "root", "tmp", "var/lib/linuxnet-tuning")
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
# Without PAM a session does not depend on this machine's set-up. The key exchange is the cheap one: the
# newer costs 75 ms more for each new connection, and would hide what a playbook costs.
SSH_SERVER_CONFIGURATION = """\
HostKey /etc/ssh/host_key
AuthorizedKeysFile /etc/ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
KexAlgorithms curve25519-sha256
UsePAM no
UseDNS no
PrintMotd no
PidFile none
MaxStartups 500
# Notes every command, which is how the benchmark counts them.
LogLevel VERBOSE
"""


class FleetError(Exception):
    """A host did not start."""


@dataclass
class Host:
    name: str
    number: int
    folder: Path
    pid: int = 0

    @property
    def address(self) -> str:
        return str(NETWORK[1 + self.number])

    @property
    def hardware_address(self) -> str:
        # A fixed one, for the controller's neighbour table.
        return f"02:00:00:00:{self.number >> 8:02x}:{self.number & 255:02x}"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def commands(self) -> int:
        """How many commands its SSH server has started so far."""
        return self.log.read_text(errors="replace").count(LOGGED_COMMAND)

    def read(self, *argv: str) -> str:
        """The output of a program that runs inside the host, but not through Ansible."""
        inside = ["nsenter", "--target", str(self.pid), "--mount", "--net", "--", *argv]
        return subprocess.run(inside, check=True, capture_output=True, text=True).stdout


def make_switch() -> None:
    """The one network that the controller and the hosts have; it leads nowhere else."""
    _ip_batch(
        "link set lo up",
        f"link add switch address {CONTROLLER} type bridge",
        f"address add {NETWORK[1]}/{NETWORK.prefixlen} dev switch",
        "link set switch up",
    )


def make_keys(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name in ("host_key", "key"):
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(argv, check=True)
    (folder / "known_hosts").write_text("* " + (folder / "host_key.pub").read_text())


def make_layer(layer: Path, keys: Path, unpacked: Path) -> None:
    """The files that the hosts have beside the machine's own, or in place of them."""
    # Copied, because the kernel refuses a layer that lies inside another one, here the machine's root.
    shutil.copytree(unpacked, layer, symlinks=True)
    layer.chmod(0o755)
    for name in EMPTY:
        (layer / name).mkdir(parents=True)
        os.setxattr(layer / name, "trusted.overlay.opaque", b"y")
    (layer / "tmp").chmod(0o1777)
    for folder in ("dev/pts", "dev/shm", "proc", "run", "sys"):
        (layer / folder).mkdir()
    for name, device in DEVICES.items():
        os.mknod(layer / "dev" / name, stat.S_IFCHR, os.makedev(*device))
        (layer / "dev" / name).chmod(0o666)
    (layer / "dev/ptmx").symlink_to("pts/ptmx")
    (layer / "etc/ssh/sshd_config").write_text(SSH_SERVER_CONFIGURATION)
    shutil.copy(keys / "host_key", layer / "etc/ssh/host_key")
    shutil.copy(keys / "key.pub", layer / "etc/ssh/authorized_keys")
    accounts = Path("/etc/passwd").read_text().splitlines()
    others = [line for line in accounts if not line.startswith(("root:", "sshd:"))]
    own = ["root:x:0:0::/root:/bin/sh", "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin"]
    (layer / "etc/passwd").write_text("\n".join([*own, *others, ""]))
    # No password, yet not locked: without PAM sshd refuses a locked account any login.
    (layer / "etc/shadow").write_text("root:*:::::::\n")


class Fleet:
    """Hosts from their start to their end, as a context manager."""

    def __init__(self, folder: Path, layer: Path, count: int, nics: int) -> None:
        self.hosts = [Host(f"host{number:03}", number, folder / f"host{number:03}") for number in range(1, count + 1)]
        self.nics = [f"bench{number}" for number in range(nics)]
        self._layer = layer

    def __enter__(self) -> Fleet:
        try:
            starters = [(host, self._fork(host)) for host in self.hosts]
            for host, pipe in starters:
                with os.fdopen(pipe, "rb") as reader:
                    if not reader.read(1):
                        raise FleetError(f"{host.name} did not start:\n{host.log.read_text()}")
            _ip_batch(*(line for host in self.hosts for line in self._wires(host)))
            for host in self.hosts:
                os.kill(host.pid, signal.SIGUSR1)
            for host in self.hosts:
                _wait_for_ssh(host)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        for host in self.hosts:
            if host.pid:
                os.kill(host.pid, signal.SIGKILL)
        for host in self.hosts:
            if host.pid:
                os.waitpid(host.pid, 0)
                host.pid = 0
        # The kernel removes a network some time after its last process; only then the names are free again.
        deadline = time.monotonic() + 60
        while any(name.startswith("host") for _index, name in socket.if_nameindex()):
            if time.monotonic() > deadline:
                raise FleetError("the kernel still keeps the networks of hosts that have ended")
            time.sleep(0.05)

    def state(self, parameters: Sequence[str]) -> dict[str, str]:
        """What the kernel itself says about every host: name -> text of all settings."""
        files = ["/proc/sys/" + name.replace(".", "/") for name in parameters]
        return {
            host.name: "".join(
                [
                    host.read("grep", "", "/dev/null", *files),
                    *(host.read("ethtool", option, nic) for nic in self.nics for option in ("-k", "-l")),
                ]
            )
            for host in self.hosts
        }

    def _wires(self, host: Host) -> list[str]:
        queues = f"numrxqueues {QUEUES} numtxqueues {QUEUES}"
        return [
            f"link add {host.name} type veth peer name eth0 address {host.hardware_address} netns {host.pid}",
            f"link set {host.name} master switch up",
            # Hosts have nothing to say to each other, and a thousand that greet all others are a million packets.
            f"link set {host.name} type bridge_slave isolated on",
            # What is learned has room for about a thousand entries in the whole kernel; what is set does not count.
            f"neighbour replace {host.address} lladdr {host.hardware_address} dev switch nud permanent",
            *(
                f"link add {nic} netns {host.pid} {queues} type veth peer name far-{nic} netns {host.pid} {queues}"
                for nic in self.nics
            ),
        ]

    def _fork(self, host: Host) -> int:
        for name in ("root", "upper", "work"):
            (host.folder / name).mkdir(parents=True)
        host.log.touch()
        reader, writer = os.pipe()
        host.pid = namespaces.fork_with_own_pids()
        if host.pid == 0:
            self._boot(host, writer)
        os.close(writer)
        return reader

    def _boot(self, host: Host, started: int) -> NoReturn:
        try:
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            output = os.open(host.log, os.O_WRONLY | os.O_APPEND)
            os.dup2(output, 1)
            os.dup2(output, 2)
            # Waits in the queue if the wires are laid before this process asks for it.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
            os.setsid()
            namespaces.unshare(namespaces.ALL_BUT_PID)
            socket.sethostname(host.name)
            self._make_root(host)
            os.write(started, b"1")
            os.close(started)
            signal.sigwait({signal.SIGUSR1})
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
            ends = [end for nic in self.nics for end in (nic, f"far-{nic}")]
            _ip_batch(
                f"address add {host.address}/{NETWORK.prefixlen} dev eth0",
                *(f"link set {nic} up" for nic in ("lo", "eth0", *ends)),
                f"neighbour replace {NETWORK[1]} lladdr {CONTROLLER} dev eth0 nud permanent",
            )
            os.execv("/usr/sbin/sshd", ["/usr/sbin/sshd", "-D", "-e"])
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _make_root(self, host: Host) -> None:
        root = host.folder / "root"
        folders = f"lowerdir={self._layer}:/,upperdir={host.folder / 'upper'},workdir={host.folder / 'work'}"
        namespaces.mount("overlay", root, "overlay", 0, folders)
        namespaces.mount("proc", root / "proc", "proc")
        namespaces.mount("sysfs", root / "sys", "sysfs", namespaces.READ_ONLY)
        namespaces.mount("tmpfs", root / "run", "tmpfs", 0, "mode=0755")
        namespaces.mount("devpts", root / "dev/pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=0620")
        # Most of the kernel's parameters belong to the whole machine, and only those of the network to the host.
        namespaces.bind(root / "proc/sys", read_only=True)
        namespaces.bind(root / "proc/sys/net", read_only=False)
        (root / "run/sshd").mkdir()
        namespaces.change_root(root)


def _ip_batch(*lines: str) -> None:
    result = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), stderr=subprocess.PIPE, text=True, check=False
    )
    if result.returncode:
        raise FleetError(f"ip -batch failed: {result.stderr}")


def _wait_for_ssh(host: Host) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((host.address, 22), timeout=5) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.02)
    raise FleetError(f"{host.name} does not answer on its SSH port:\n{host.log.read_text()}")
