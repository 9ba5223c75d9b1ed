# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in the background on a host while a measurement lasts: servers, the gate, runs, and the way back.

It is copied to the host and started as a transient unit there, so it needs nothing but Python, and no connection to the
controller. gate.py is how clients begin at the same moment, and processes.py runs what there is to run.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .gate import Gate, pass_gate
from .processes import Retrying, Server, answers, open_ports, run_to_end, wait_for

Json = Dict[str, Any]


class StationError(Exception):
    """Why this host cannot go on; the text is for the person who measures."""


def main(words: Sequence[str]) -> int:
    """`run FOLDER`, which reads config.json there, or `undo FOLDER`, which reads undo.json."""
    verb, folder = words
    if verb == "undo":
        return undo(_load(folder, "undo.json"))
    try:
        Station(folder, _load(folder, "config.json")).run()
    except (StationError, OSError) as error:
        _store(folder, "failed.json", {"error": str(error)})
        return 1
    return 0


def undo(actions: Sequence[Json]) -> int:
    """Take everything back; one failure does not stop the others."""
    failures = 0
    for action in actions:
        try:
            for argv in _found(action):
                act({**action, "run": argv})
        except (StationError, OSError) as error:
            failures += 1
            sys.stderr.write(f"{error}\n")
    return 1 if failures else 0


def act(action: Json, limit: float = 30) -> None:
    """Write a file of the kernel, or run a command."""
    if "write" in action:
        with open(action["write"], "w", encoding="ascii") as file:
            file.write(action["text"])
        return
    done = run_to_end(action["run"], limit)
    if done["rc"]:
        raise StationError(f"{' '.join(action['run'])}: {' '.join((done['err'] or done['out']).split())}")


def drop_caches() -> None:
    """Forget what files hold: pages that are not written yet cannot be dropped, so they are written first."""
    os.sync()
    try:
        with open(_CACHES, "w", encoding="ascii") as file:
            file.write("3")
    except OSError as error:
        raise StationError(f"the page cache cannot be dropped: {_CACHES}: {error.strerror}") from None


_CACHES = "/proc/sys/vm/drop_caches"


def _found(action: Json) -> List[Any]:
    """The command, or one for each thing that a listing shows of what we have made."""
    if "find" not in action:
        return [action.get("run")]
    found = re.findall(action["pattern"], run_to_end(action["find"], 30)["out"])
    return [[word.replace("{}", item) for word in action["run"]] for item in found]


class Station:
    """One host's part in a measurement."""

    def __init__(self, folder: str, config: Json) -> None:
        self.folder = folder
        self.config = config
        self._passed: Optional[Tuple[str, List[Json]]] = None

    def run(self) -> None:
        """All of it, from preparing the host to the last step; the unit takes back what was prepared."""
        for action in self.config["prepare"]:
            act(action)
        taken = sorted(set(self.config["ports"]) & open_ports("tcp"))
        if taken:
            raise StationError(f"port {taken[0]} is in use by another program; choose other ports with benchmark_port")
        servers = [Server(argv) for argv in self.config["servers"]]
        port = self.config.get("answer")
        if port and port in open_ports("udp"):
            raise StationError(f"port {port} of UDP is in use by another program; choose others with benchmark_port")
        answering = (
            [Server([sys.executable, os.path.join(self.folder, "probe.py"), "answer", str(port)])] if port else []
        )
        for server in (*servers, *answering):
            server.start()
        try:
            wait_for(servers, self.config["ports"], "tcp", "iperf3 server")
            wait_for(answering, [port] if port else [], "udp", "program that answers probes")
            self._work()
        finally:
            for server in (*servers, *answering):
                server.end()

    def _work(self) -> None:
        keeper = Keeper(self.config["gate"], self) if self.config["gate"] else None
        _store(self.folder, "ready.json", {})
        if keeper:
            keeper.start()
        for step in self.config["steps"]:
            self._step(step)
        if keeper:
            keeper.finish()
        _store(self.folder, "done.json", {})

    def _step(self, step: Json) -> None:
        for argv in step.get("before", ()):
            act({"run": argv}, step["limit"])
        if step.get("drop_caches"):
            drop_caches()
        if step["gate"]:
            greeting = [step["id"], self.config["name"], self.config["secret"]]
            pass_gate(step["gate"], greeting, self.config["patience"])
        if not step["commands"] and not self.config["servers"]:
            return
        self.look(step)
        before = self.watch()
        self._count(step["id"], before)
        if not step["commands"]:
            return
        began = time.time()
        runs = [Retrying(argv, step) for argv in step["commands"]]
        for number, run in enumerate(runs):
            time.sleep(self.config["stagger"] if number else 0)
            run.start()
        for run in runs:
            run.join()
        outcomes = [run.outcome for run in runs]
        content = {"began": began, "runs": outcomes, "before": before, "after": self.watch()}
        _store(self.folder, f"step-{step['id']}.json", content)

    def _count(self, step: str, now: List[Json]) -> None:
        """What was sent since the last gate, for a host whose servers send while it has nothing to do itself."""
        if self._passed and self.config["servers"] and not self.config["gate"]:
            last, before = self._passed
            _store(self.folder, f"gate-{last}.json", {"before": before, "after": now})
        self._passed = (step, now)

    def look(self, step: Json) -> None:
        """See in the middle of the step, if it has one, what is there only while the load is."""
        if step.get("sample"):
            timer = threading.Timer(step["sample"], self._see, (step["id"], time.monotonic()))
            timer.daemon = True
            timer.start()

    def _see(self, step: str, begun: float) -> None:
        _store(self.folder, f"sample-{step}.json", {"begun": begun, "answers": answers(self.config["sample"])})

    def watch(self) -> List[Json]:
        """What the counters say now."""
        return answers(self.config["watch"])


class Keeper(threading.Thread):
    """Opens the gate for one step after the other, and keeps what the counters said when it did."""

    def __init__(self, config: Json, station: Station) -> None:
        super().__init__(daemon=True)
        self.steps, self.station = config["steps"], station
        self.problem = ""
        self.gate = Gate(config["port"], self.steps, station.config["secret"])

    def run(self) -> None:
        try:
            self._let_all_through()
        except Exception as error:  # a thread that ends without a word would pass for success
            self.problem = f"the gate has failed: {error!r}"
        self.gate.close(self.problem)

    def _let_all_through(self) -> None:
        earlier: List[Json] = []
        for number, step in enumerate(self.steps):
            patience = self.station.config["patience"] if number == 0 else step["limit"]
            missing = self.gate.gather(step, time.monotonic() + patience)
            counters = self.station.watch()
            if number:
                name = f"gate-{self.steps[number - 1]['id']}.json"
                _store(self.station.folder, name, {"before": earlier, "after": counters})
            earlier = counters
            if missing:
                self.problem = f"{', '.join(sorted(missing))} was not ready within {patience} s"
                break
            if step.get("drop_caches"):
                drop_caches()
            if not self.station.config["steps"]:
                self.station.look(step)
            self.gate.open(step, self.station.config["stagger"])

    def finish(self) -> None:
        """Wait for the last step; StationError when a client was missing."""
        self.join()
        if self.problem:
            raise StationError(self.problem)


def _load(folder: str, name: str) -> Any:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def _store(folder: str, name: str, content: Json) -> None:
    """So that whoever waits for the file never sees a part of it."""
    path = os.path.join(folder, name)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.rename(f"{path}.new", path)
