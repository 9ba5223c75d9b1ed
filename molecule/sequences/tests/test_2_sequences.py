# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls, confirmations, windows, kills, reboots and power cuts in any order, in real time on both hosts at once.

What has to be in force says the same model as in the unit tests. Moments at which a clock may or may not have acted are
left out: nothing is asked and nothing is looked at around them.
"""

from __future__ import annotations

import difflib
import json
import os
import random
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import layers_model
from lab_faults import ask, ssh

LAB = Path(__file__).parents[2] / "shared" / "lab" / "lab.py"
SEQUENCES = int(os.environ.get("LINUXNET_TUNING_SEQUENCES", "1"))
SEED = int(os.environ.get("LINUXNET_TUNING_SEED", "1"))
STEPS = 9
# A clock looks every five seconds.
LOOK = 7
MTU0, MTU1, RX0, SYSCTL = "igb0 mtu", "igb1 mtu", "igb0 rx", "net.ipv4.tcp_keepalive_time"
ORIGINAL = {MTU0: 1500, MTU1: 1500, RX0: 8, SYSCTL: 7200}
CHOICES = {MTU0: (1300, 1500, 9000), MTU1: (1300, 1500, 9000), RX0: (2, 4, 8), SYSCTL: (600, 7200)}
VIEWS = {MTU0: "link", MTU1: "link", RX0: "ethtool", SYSCTL: "sysctl"}
CALL_PROGRAM = "python3 -I -S -B /root/call.py"


class TooSlow(Exception):
    """A call took longer than it may, so that a clock may have been faster or not."""


class Sequence:
    """One host, its model, and the story so far."""

    def __init__(self, host, seed, most):
        """`most` is how many seconds a call may take."""
        self.host, self.chance, self.story, self.most = host, random.Random(seed), [], most
        self.timeout = most + 15
        self.model, self.unclear = layers_model.Model(ORIGINAL, self.timeout), []
        self.changed = set()

    def play(self):
        """A sequence, which ends with a host on which nothing of ours is left."""
        before = ask("sh /root/shown.sh", self.host)
        self.looks()
        weights = {
            self.asks: 5,
            self.opens_a_window: 3,
            self.confirms: 2,
            self.takes_back: 1,
            self.waits: 3,
            self.restores: 1,
            self.is_killed: 1,
            self.boots: 2,
        }
        for _step in range(STEPS):
            step = self.chance.choices([*weights], [*weights.values()])[0]
            self.story.append(step.__name__)
            step()
            self.looks()
        self.goes_back()
        after = ask("sh /root/shown.sh", self.host)
        left = "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
        assert not left, f"{self.host}: {self.story}\n{left}"

    def goes_back(self):
        self.story.append("rollback")
        self.call("guard", state="reverted", temporary=True)
        self.call("tune", state="restored", guard_timeout=0)

    def read(self):
        *values, now = map(int, ask("sh /root/values.sh", self.host).split())
        return dict(zip(ORIGINAL, values, strict=True)), now

    def clock(self):
        """The second of the uptime, once no clock may act within the time of a call."""
        while True:
            now = self.read()[1]
            ends = [high for low, high in self.unclear if low - self.most < now <= high]
            if not ends:
                break
            time.sleep(max(ends) - now + 1)
        # As much of the past as the model has to know.
        for end in sorted({high for _low, high in self.unclear if high <= now}):
            self.model.passes(end)
        self.model.passes(now)
        self.unclear = [(low, high) for low, high in self.unclear if high > now]
        return now

    def looks(self):
        now = self.clock()
        values, _now = self.read()
        self.story.append(f"{now}: {values}")
        assert values == self.model.now(), f"{self.host}: {self.story}\nwanted: {self.model.now()}"

    def call(self, view, values=(), ends=(0,), **options):
        values = dict(values)
        nics = [{"name": key.split()[0], "mtu": value} for key, value in values.items() if key.endswith("mtu")]
        nics += [{"name": "igb0", "channels": {"rx": value}} for key, value in values.items() if key == RX0]
        desired = {"sysctl": {SYSCTL: values[SYSCTL]}} if SYSCTL in values else {"nics": nics} if nics else {}
        text = json.dumps({"view": view, **desired, **options})
        self.story.append(text)
        begun = time.monotonic()
        done = ssh(f"echo {shlex.quote(text)} | {CALL_PROGRAM}", self.host)
        if time.monotonic() - begun > self.most:
            raise TooSlow
        assert done.returncode in ends, f"{self.host}: {self.story}\n{done.stdout}{done.stderr}"

    def values(self, keys):
        return {key: self.chance.choice(CHOICES[key]) for key in keys}

    def some(self, temporary=False):
        """Values of one module."""
        groups = [[MTU0], [MTU1], [MTU0, MTU1], [RX0]] + [[SYSCTL]] * (not temporary)
        return self.values(self.chance.choice(groups))

    def put(self, change, guarded, begun, seconds=0):
        """A layer of the model, with the seconds within which its end may come."""
        now = self.read()[1]
        change.end = now + seconds if seconds else 0
        self.model.put(change, guarded, now)
        for after in [self.timeout] * guarded + [seconds] * bool(seconds):
            self.unclear.append((begun + after, now + after + LOOK))

    def asks(self):
        begun, values, permanent = self.clock(), self.some(), self.chance.random() < 0.7
        view = VIEWS[next(iter(values))]
        guarded = self.chance.random() < 0.6 and view != "sysctl"
        cuts = any(self.model.now()[key] != value for key, value in values.items())
        self.call(view, values, guard_timeout=self.timeout * guarded, permanent=permanent)
        files = {view: dict(values)} if permanent else {}
        self.put(layers_model.Change(values, files=files), guarded and cuts, begun)
        self.changed |= set(values)

    def opens_a_window(self):
        begun, guarded, seconds = self.clock(), self.chance.random() < 0.5, self.most + self.chance.choice([10, 30])
        now = self.model.now()
        values = {key: value for key, value in self.some(temporary=True).items() if now[key] != value}
        if values:
            self.call(VIEWS[next(iter(values))], values, guard_timeout=self.timeout * guarded, temporary=seconds)
            self.put(layers_model.Change(values), guarded, begun, seconds)

    def confirms(self):
        self.clock()
        # It fails where it has to tell that the host has gone back.
        self.call("guard", ends=(0, 1), state="confirmed")
        self.model.confirm()

    def takes_back(self):
        self.clock()
        ending = self.chance.random() < 0.5
        self.call("guard", state="reverted", temporary=ending)
        self.model.layers = [layer for layer in self.model.layers if not (layer.waits or (ending and layer.end))]

    def waits(self):
        time.sleep(self.chance.choice([5, self.timeout]))

    def restores(self):
        begun, guarded = self.clock(), self.chance.random() < 0.5
        view = self.chance.choice(["link", "ethtool", "sysctl"])
        noted = {key for key in self.changed if VIEWS[key] == view}
        noted |= {key for layer in self.model.layers if layer.end for key in layer.values if VIEWS[key] == view}
        values = {key: ORIGINAL[key] for key in noted}
        cuts = any(self.model.now()[key] != value for key, value in values.items()) and view != "sysctl"
        self.call(view, state="restored", guard_timeout=self.timeout * guarded)
        self.put(layers_model.Change(values, files={view: {}}), guarded and cuts, begun)

    def is_killed(self):
        """In the middle of a guarded call, or after it; then time decides, and the next call sets what is there."""
        self.clock()
        in_force, values = self.model.now(), self.values(self.chance.choice([[MTU0], [MTU0, MTU1]]))
        text = json.dumps(
            {"view": "link", "nics": [{"name": key.split()[0], "mtu": value} for key, value in values.items()]}
            | {"guard_timeout": self.timeout}
        )
        self.story.append(text)
        ssh(
            f"echo {shlex.quote(text)} | timeout -s KILL {self.chance.uniform(0.05, 0.8):.2f} {CALL_PROGRAM}", self.host
        )
        # A call that was at work may have put it off to its own end.
        time.sleep(2 * self.timeout)
        now = self.read()[1]
        self.model.deadline = min(self.model.deadline, now)
        self.changed |= set(values)
        begun, there = self.clock(), self.read()[0]
        # All of it or nothing; what was in force already needs no confirmation.
        stays = [{}, values] if all(in_force[key] == value for key, value in values.items()) else [{}]
        assert there in [{**self.model.now(), **kept} for kept in stays], f"{self.host}: {self.story}\n{there}"
        values = {MTU0: there[MTU0], MTU1: there[MTU1]}
        self.call("link", values, guard_timeout=0)
        self.put(layers_model.Change(values, files={"link": values}), False, begun)

    def boots(self):
        self.clock()
        how = self.chance.choice(["reboot", "power-cut"])
        self.story.append(how)
        done = subprocess.run(
            [sys.executable, str(LAB), how, self.host], capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        ssh("systemctl is-system-running --wait", self.host, timeout=90)
        self.model.boots()
        self.unclear = []


def test_every_sequence_ends_where_the_model_does():
    def play(host):
        most = 8
        for number in range(SEQUENCES):
            while True:
                try:
                    Sequence(host, f"{SEED} {host} {number}", most).play()
                    break
                except TooSlow:
                    most *= 2
                    assert most < 120, "the machine is too slow for this"
                    time.sleep(most)
                    Sequence(host, "", 600).goes_back()

    with ThreadPoolExecutor() as hosts:
        for played in [hosts.submit(play, host) for host in ("router", "switch")]:
            played.result()
