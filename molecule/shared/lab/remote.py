"""The way into the guests: ssh configuration, inventory, and waiting for a guest to answer."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

import container
import machine
from common import HERE, INVENTORY, KEY, SSH_CONFIG, LabError, say, tail
from guests import Guest
from image import Image

# Network namespaces of the guest `switch`, whose names begin like this, are hosts of their own: an SSH server is
# started in the namespace for each connection, so that nothing has to be configured there. The port, that of the
# switch, only tells the connections of one lab from those of another.
NAMESPACES = """\
Host pc*
    Port {port}
    ProxyCommand ssh -F "{config}" -o ConnectTimeout=60 switch exec ip netns exec %n /usr/sbin/sshd -i
    ConnectTimeout 60
"""

BOOT_DEADLINE = 480.0  # seconds; 15 are usual under software emulation, far more beside a busy test run
HUNG = 180.0  # seconds after which a guest that is booted once more counts as hung
AWAKE = 120.0  # seconds that a guest may take to answer after its state was loaded; three to eight are usual
# Under software emulation a processor may lose its timer while it boots. The kernel tells it after some time.
NO_TIMER = "kthread timer wakeup didn't happen"
STUCK = "a processor has lost its timer, as happens under software emulation"
# Old and quick on purpose: what protects a connection over 127.0.0.1 need not cost an emulated processor.
SSH_OPTIONS = """\
    User root
    HostName 127.0.0.1
    HostKeyAlias linuxnet-lab
    IdentityFile "{key}"
    IdentitiesOnly yes
    UserKnownHostsFile "{known_hosts}"
    StrictHostKeyChecking yes
    KexAlgorithms curve25519-sha256
    HostKeyAlgorithms ssh-ed25519
    ConnectTimeout 10
    ServerAliveInterval 15
    LogLevel ERROR
"""


def write_files(guests: Sequence[Guest]) -> None:
    """Write the ssh configuration and the inventory for the guests that were started."""
    started = [(guest, process) for guest in guests if (process := machine.recorded(guest.folder))]
    if not started:
        raise LabError("no guest was started yet; run 'up' first")
    known_hosts = SSH_CONFIG.with_name("known_hosts")  # each image has a key of its own, and labs differ in images
    known_hosts.write_text(f"linuxnet-lab {Image.at(started[0][1].image).host_key}\n")
    blocks = [f"Host {guest.name}\n    Port {process.port}\n{_way(guest, process)}" for guest, process in started]
    common = f"Host {' '.join(guest.name for guest, _process in started)} pc*\n"
    options = SSH_OPTIONS.format(key=KEY, known_hosts=known_hosts)
    SSH_CONFIG.write_text(
        "\n".join([*blocks, NAMESPACES.format(config=SSH_CONFIG, port=started[-1][1].port), common + options])
    )
    INVENTORY.write_text(json.dumps(_inventory({guest: process.port for guest, process in started}), indent=2) + "\n")


def _way(guest: Guest, process: machine.Process) -> str:
    """How ssh gets to a container: its port is one of its own network namespace, and ours only tells labs apart."""
    if process.accel != container.ACCEL:
        return ""
    join = shlex.join([sys.executable, str(HERE / "join.py"), str(machine.record_file(guest.folder))])
    return f"    ProxyCommand {join}\n    ProxyUseFdpass yes\n"


def _inventory(ports: dict[Guest, int]) -> dict[str, object]:
    variables = {
        "ansible_user": "root",
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_ssh_common_args": f"-F {shlex.quote(str(SSH_CONFIG))}",
    }
    # Ansible keeps connections open by host and port; without the port, two labs would share them.
    hosts = {guest.name: {"ansible_port": port, "lab_nics": _nics(guest)} for guest, port in ports.items()}
    return {"all": {"children": {"lab": {"hosts": hosts, "vars": variables}}}}


def _nics(guest: Guest) -> dict[str, dict[str, str]]:
    """What a test may want to know about the test NICs of a guest, by name."""
    return {
        nic.name: {"driver": nic.driver, "mac": nic.mac, "link": nic.link, "address": nic.address}
        for nic in guest.test_nics
    }


def ssh_command(guest_name: str, words: Sequence[str] = ()) -> list[str]:
    """The ssh command line for a guest."""
    return ["ssh", "-F", str(SSH_CONFIG), guest_name, *words]


def _run(guest: Guest, command: str, patience: float) -> tuple[str, str]:
    """What a shell command in the guest prints, and why it printed nothing."""
    argv = ssh_command(guest.name, ["-T", command])
    try:
        done = subprocess.run(
            argv, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer within {patience:.0f} s"
    return (done.stdout.strip(), "") if done.returncode == 0 else ("", done.stderr.strip() or f"rc {done.returncode}")


def ask(guest: Guest, command: str, patience: float = 60.0) -> str:
    """Run a shell command in the guest and return what it prints; empty if the guest does not answer."""
    return _run(guest, command, patience)[0]


def demand(guest: Guest, command: str, patience: float = 60.0) -> str:
    """What a shell command in a guest that is up prints. A busy guest may drop a connection, so it is asked again."""
    deadline = time.monotonic() + patience
    while True:
        answer, why = _run(guest, command, patience)
        if answer:
            return answer
        if time.monotonic() > deadline or not machine.running(guest.folder):
            raise LabError(f"{guest.name} does not answer over ssh: {why}\n{_console_end(guest)}")
        time.sleep(1)


class EndedError(LabError):
    """The emulator has ended, or has failed the guest, before it was up."""


def wait_for(guest: Guest, not_boot: str = "", patience: float = BOOT_DEADLINE) -> None:
    """Wait until the guest answers over ssh with all its test NICs up; `not_boot` is the boot that must be over."""
    process = machine.recorded(guest.folder)
    assert process
    deadline = time.monotonic() + patience
    ready = " ".join(f"lab-link@{nic.name}.service" for nic in guest.test_nics)
    question = (
        "cat /proc/sys/kernel/random/boot_id; "
        f"timeout 30 sh -c 'for unit in {ready}; do [ $(systemctl is-enabled $unit) = masked ] || "
        "until systemctl -q is-active $unit; do sleep 0.2; done; done' && "
        # A processor that has lost its timer sleeps for ever, and whatever comes to it waits.
        "for cpu in $(seq 0 $(($(nproc) - 1))); do timeout 10 taskset -c $cpu sleep 0.01 || echo stuck; done"
    )
    while True:
        if process.accel == container.ACCEL or _ssh_banner(process.port):
            boot, _end, stuck = ask(guest, question).partition("\n")
            if stuck:
                raise EndedError(f"{guest.name}: {STUCK}\n{_console_end(guest)}")
            if boot and boot != not_boot:
                return
        if NO_TIMER in _told(guest)[process.told :]:
            raise EndedError(f"{guest.name}: {STUCK}\n{_console_end(guest)}")
        if not machine.running(guest.folder):
            raise EndedError(f"{guest.name} ended while it was booting:\n{_log_end(guest)}{_console_end(guest)}")
        if time.monotonic() > deadline:
            why = _run(guest, "exit", 20)[1]
            raise LabError(
                f"{guest.name} does not answer over ssh after {patience:.0f} s: {why}\n{_console_end(guest)}"
            )
        time.sleep(0.3)


def settled(guest: Guest) -> bool:
    """Whether systemd comes to have nothing queued any more; then has in memory what nearly every test starts."""
    done = ask(
        guest,
        "timeout 120 sh -c 'until [ -z \"$(systemctl list-jobs --no-legend)\" ]; do sleep 0.5; done' || exit; "
        "python3 -c 'import json, zipfile, subprocess, shlex, selectors, logging, dataclasses, platform'; "
        "for tool in ip tc sysctl ethtool; do $tool --version; done; sync; echo done",
        180,
    )
    return done.endswith("done")


def awake(guest: Guest) -> None:
    """Wait until a guest that started from its saved state answers, and set its clock, which stood still."""
    deadline = time.monotonic() + AWAKE
    while time.monotonic() < deadline and machine.running(guest.folder):
        if _ssh_banner(machine.recorded(guest.folder).port) and ask(guest, f"date -s @{time.time():.1f} && echo done"):
            return
        time.sleep(0.1)
    raise LabError(f"{guest.name} does not come back from its saved state:\n{_log_end(guest)}")


def boot_id(guest: Guest) -> str:
    """What tells one boot of a guest from the next."""
    return demand(guest, "cat /proc/sys/kernel/random/boot_id")


def reboot(guest: Guest) -> str:
    """Have the guest reboot in good order; gives the boot that ends."""
    before = boot_id(guest)
    # Not `systemctl reboot`, which asks logind, and the lab has none. It waits until this connection has its answer.
    demand(guest, "(sleep 0.5; systemctl --no-block start reboot.target) > /dev/null 2>&1 & echo done")
    say(f"{guest.name} reboots")
    return before


def _ssh_banner(port: int) -> bool:
    """QEMU takes every connection at once; only the banner proves that there is a server behind it.

    Each attempt reaches the server once it is there, and OpenSSH 9.8 and later shut out who has made fifteen in vain.
    """
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def _told(guest: Guest) -> str:
    """What is on its console."""
    console = machine.console(guest)
    return console.read_text("latin-1") if console.exists() else ""


def _log_end(guest: Guest) -> str:
    """What QEMU itself said; containers have none."""
    log = guest.folder / "qemu.log"
    return f"{tail(log.read_text(errors='replace'))}\n" if log.exists() else ""


def _console_end(guest: Guest) -> str:
    return f"the last lines of its console ({machine.console(guest)}):\n{tail(_told(guest)) or '    (nothing)'}"
