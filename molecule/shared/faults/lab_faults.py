# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak with the guests and run playbooks against them, from outside and by raw commands only."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import SSH_CONFIG

SHARED = Path(__file__).parent
INVENTORY = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"]) / "inventory"
# Seconds: longer than a run takes on a busy machine, with a command in it that is held.
GUARD_TIMEOUT, HELD = 20, 6
CONFIGURATION = ["-F", str(SSH_CONFIG)]
# Seconds for a new connection: a guest may merely be busy. Who asks whether there is a way gives the call less time.
CONNECT_TIMEOUT = 40
# By which way to the router: its management NIC, or the wire between the guests.
WAYS = {
    "router": [],
    "router_by_ipv4": "192.168.32.254",
    "router_by_ipv6": "[fe80::5054:ff:fe00:101%%igb0]",
}


def ssh(command, host="router", timeout=60 + CONNECT_TIMEOUT):
    """Run a shell command in a guest over a new connection; the exit code is 255 where there is none."""
    argv = ["ssh", *CONFIGURATION, "-o", f"ConnectTimeout={CONNECT_TIMEOUT}"]
    if WAYS.get(host):
        way = f"ssh {' '.join(CONFIGURATION)} -W {WAYS[host]}:22 switch"
        argv += ["-o", "ProxyUseFdpass=no", "-o", f"ProxyCommand={way}"]
    argv += ["router" if host in WAYS else host, command]
    try:
        return subprocess.run(
            argv, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 255, "", "no answer in time")


def ask(command, host="router", timeout=60 + CONNECT_TIMEOUT):
    """What a shell command prints, which must succeed."""
    done = ssh(command, host, timeout)
    # What it said comes first: a summary of many failures has room for the first lines.
    assert done.returncode == 0, f"{done.stderr}{done.stdout}\nexit code {done.returncode} of {command}"
    return done.stdout


def lab(command):
    """Start a command of the lab for the router; its output is what it tells."""
    argv = [sys.executable, SHARED.parent / "lab" / "lab.py", command, "router"]
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for(condition, seconds, pause=0.3):
    """Seconds until something was so; a failure if it was not within the time."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, f"not within {seconds} s"
        time.sleep(pause)
    return time.monotonic() - start


def until(condition, seconds=120):
    """Wait until a shell command succeeds in the router, over one connection: each new one costs an emulated processor
    as much as the work that it looks at."""
    done = ssh(f"timeout {seconds} sh -c '{waiting(condition)}'", timeout=seconds + CONNECT_TIMEOUT)
    assert done.returncode == 0, f"not within {seconds} s: {condition}: {done.stderr}"


def waiting(condition):
    """A loop of the shell that ends when a command without single quotes succeeds."""
    return f"until {condition}\ndo sleep 0.2; done"


# Where a run can be held: before these commands, which the run of CHANGE gives in this order. What is held goes on by
# itself after some seconds, as a command that was merely slow.
MOMENTS = {
    "the guard is armed": ("ip", "mtu 1800"),
    "the first value is set": ("ethtool", "-L igb1"),
    "all is set and written": ("systemctl", "daemon-reload"),
}
CHANGE = [{"name": "igb1", "mtu": 1800, "txqueuelen": 3000, "channels": {"rx": 4, "tx": 4}}]


def hold(program, words, seconds=HELD):
    """Have a program of the router wait, before it does anything, where its arguments have these words."""
    lines = [
        "#!/bin/sh",
        f"real=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {program})",
        f'case "$*" in *"{words}"*) touch /run/fault-held; sleep {seconds};; esac',
        'exec "$real" "$@"',
    ]
    path = f"/usr/local/sbin/{program}"
    # Half a wrapper after a power cut would be a fault of the test.
    ask(f"printf '%s\\n' {' '.join(map(shlex.quote, lines))} > {path}; chmod 755 {path}; sync")


def held():
    """Wait until the run is there."""
    until("test -e /run/fault-held")


class Play:
    """A playbook, of the collection or with its path, that runs against the router beside the test."""

    def __init__(self, playbook="linuxnet.tuning.site", host="router", **variables):
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))  # the path of a socket may have 107 bytes only
        self.log = self.folder / "log"
        variables = {"tuning_hosts": host, "tuning_guard_timeout": GUARD_TIMEOUT, **variables}
        argv = ["ansible-playbook", "--inventory", SHARED.parent / "lab" / "inventory.sh", "--inventory", INVENTORY]
        argv += ["--extra-vars", json.dumps(variables), playbook]
        environment = {
            **os.environ,
            "ANSIBLE_INJECT_FACT_VARS": "0",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.folder / "ssh"),
        }
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
            )

    @property
    def output(self):
        return " ".join(self.log.read_text().split())

    def end(self, timeout=240):
        """The exit code."""
        return self.process.wait(timeout)

    def says(self, text, seconds=60):
        """Wait until it has printed something."""
        wait_for(lambda: text in self.output, seconds, 0.05)

    def kill(self):
        """SIGKILL for the controller with its workers and all connections, also for what it starts at this moment."""
        while numbers := _of(self.folder):
            _end(numbers, signal.SIGKILL)
        self.process.wait(10)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        _end(_of(self.folder), signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)  # the sockets of connections that end go meanwhile


def _end(numbers, how):
    for number in numbers:
        try:
            os.kill(number, how)
        except ProcessLookupError:
            continue


def _of(folder):
    """The processes of a run, with its folder in their environment or, the connections, in their command line."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            told = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told:
            found.add(int(path.name))
    return found
