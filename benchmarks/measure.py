"""Runs Ansible against the fleet and measures seconds, processor time on either side, and commands per host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hosts import Fleet, Host
from memory import Peak

TICKS = os.sysconf("SC_CLK_TCK")
RECAP = re.compile(r"^(?P<host>\S+)\s+: ok=\d+\s+changed=(?P<changed>\d+)\s+unreachable=0\s+failed=0\b", re.MULTILINE)
QUIET_AFTER = 30.0


class RunError(Exception):
    """Ansible failed, or did not do what it said."""


@dataclass(frozen=True)
class Figures:
    """One run: seconds of the clock and of processors, remote commands per host, and how many hosts changed."""

    name: str
    condition: str
    wall: float
    controller: float
    hosts: float
    commands: float
    changed: int | None

    @property
    def processor(self) -> float:
        return self.controller + self.hosts

    def as_data(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Ansible:
    """The controller: ansible-core of the PATH, the configuration and the playbooks of the checkout."""

    checkout: Path
    folder: Path

    @property
    def sockets(self) -> Path:
        return self.folder / "connections"

    def prepare(self, hosts: Sequence[Host], variables: Mapping[str, object], keys: Path) -> None:
        link = self.folder / "path/ansible_collections/linuxnet/tuning"
        link.parent.mkdir(parents=True)
        link.symlink_to(self.checkout)
        self.sockets.mkdir()
        options = f"-F /dev/null -o UserKnownHostsFile={keys / 'known_hosts'}"
        connection = {
            "ansible_user": "root",
            "ansible_ssh_private_key_file": str(keys / "key"),
            "ansible_ssh_common_args": options,
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        addresses = {host.name: {"ansible_host": host.address} for host in hosts}
        inventory = {"all": {"hosts": addresses, "vars": {**connection, **variables}}}
        self._inventory.write_text(json.dumps(inventory))

    def version(self) -> str:
        lines = self._run(["ansible", "--version"]).splitlines()
        return lines[0].strip("ansible []").replace("core ", "")

    def forks(self) -> int:
        shown = self._run(["ansible-config", "dump", "--format", "json", "--only-changed"])
        return next((int(one["value"]) for one in json.loads(shown) if one.get("name") == "DEFAULT_FORKS"), 5)

    def ping(self, fleet: Fleet, name: str, condition: str) -> Figures:
        argv = ["ansible", "all", "--module-name", "ansible.builtin.ping"]
        return self._measure(fleet, name, condition, argv)

    def playbook(self, fleet: Fleet, name: str, condition: str, playbook: str, changed: int) -> Figures:
        return self._measure(fleet, name, condition, ["ansible-playbook", playbook], changed)

    def command(self, fleet: Fleet, name: str, condition: str, argv: Sequence[str]) -> Figures:
        return self._measure(fleet, name, condition, argv)

    def disconnect(self, fleet: Fleet) -> None:
        """End the connections that are kept open, and wait until the hosts have noticed."""
        for connection in self.sockets.iterdir():
            argv = ["ssh", "-F", "/dev/null", "-O", "exit", "-S", str(connection), "any"]
            subprocess.run(argv, check=True, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + QUIET_AFTER
        while len(_target_processes()) > len(fleet.hosts):
            if time.monotonic() > deadline:
                raise RunError("the hosts still have sessions although their connections are closed")
            time.sleep(0.05)

    @property
    def _inventory(self) -> Path:
        return self.folder / "inventory.json"

    def memory(self, fleet: Fleet, argv: Sequence[str]) -> int:
        """Bytes that the controller takes at most; in a run of its own, for who looks takes processor time."""
        command = [*argv, "--inventory", str(self._inventory)]
        with (
            subprocess.Popen(
                command,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            ) as process,
            Peak(process) as peak,
        ):
            process.wait()
        if process.returncode:
            raise RunError(f"{' '.join(argv)} failed with {process.returncode}")
        return peak.bytes

    def environment(self) -> dict[str, str]:
        own = {
            "ANSIBLE_CONFIG": str(self.checkout / "ansible.cfg"),
            "ANSIBLE_HOME": str(self.folder / "home"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "path"),
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.sockets),
            "ANSIBLE_NOCOLOR": "1",
        }
        # What the person's shell says about Ansible and Python must not change what is measured.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
        return {**inherited, **own}

    def _run(self, argv: Sequence[str]) -> str:
        result = subprocess.run(
            argv,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if result.returncode:
            raise RunError(f"{' '.join(argv)} failed with {result.returncode}:\n{result.stdout[-5000:]}")
        return result.stdout

    def _measure(
        self, fleet: Fleet, name: str, condition: str, argv: Sequence[str], changed: int | None = None
    ) -> Figures:
        count = len(fleet.hosts)
        commands = sum(host.commands() for host in fleet.hosts)
        controller, targets = _processor_seconds()
        begin = time.monotonic()
        output = self._run([*argv, "--inventory", str(self._inventory)])
        wall = time.monotonic() - begin
        controller_after, targets_after = _processor_seconds()
        if changed is not None:
            recap = [int(match["changed"]) for match in RECAP.finditer(output)]
            found = sum(1 for number in recap if number)
            if len(recap) != count or found != changed:
                raise RunError(
                    f"{name}, {condition}: {len(recap)} of {count} hosts without failure, "
                    f"{found} of them changed where {changed} should be:\n{output[-5000:]}"
                )
        return Figures(
            name,
            condition,
            wall,
            controller_after - controller,
            targets_after - targets,
            (sum(host.commands() for host in fleet.hosts) - commands) / count,
            changed,
        )


def _processor_seconds() -> tuple[float, float]:
    """Processor time of the controller and of the hosts so far, ended processes included.

    A process hands its time to the parent that waits for it: the controller's end up here, and a
    host's with its sshd, which is pid 1 there. So no control group is needed for the account.
    """
    targets = _target_processes()
    totals = {True: 0, False: 0}
    for process in _processes():
        try:
            fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        user, system, waited_user, waited_system = (int(field) for field in fields[11:15])
        # The benchmark's own work is not Ansible's, but it is the parent of everything that is.
        own = 0 if process == os.getpid() else user + system
        totals[process in targets] += own + waited_user + waited_system
    return totals[False] / TICKS, totals[True] / TICKS


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _target_processes() -> set[int]:
    own = _pid_namespace(os.getpid())
    return {process for process in _processes() if _pid_namespace(process) not in (own, None)}


def _pid_namespace(process: int) -> str | None:
    try:
        return str((Path("/proc") / str(process) / "ns/pid").readlink())
    except OSError:
        return None
