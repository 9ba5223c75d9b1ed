# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in the background on a host while a measurement lasts: servers, the gate, runs, and the way back.

It is copied to the host and started as a transient unit there, so it needs nothing but Python, and no connection to
the controller. The gate is how clients begin at the same moment: each tells it which step it has come to, and when all
have come, all may go. So neither clocks nor the number of Ansible's forks matter.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import selectors
import signal
import socket
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

Json = Dict[str, Any]

_NOTHING, _PIPE, _TOGETHER = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT


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
    done = _run(action["run"], limit)
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
    found = re.findall(action["pattern"], _run(action["find"], 30)["out"])
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
        taken = sorted(set(self.config["ports"]) & _open("tcp"))
        if taken:
            raise StationError(f"port {taken[0]} is in use by another program; choose other ports with benchmark_port")
        servers = [Server(argv) for argv in self.config["servers"]]
        port = self.config.get("answer")
        if port and port in _open("udp"):
            raise StationError(f"port {port} of UDP is in use by another program; choose others with benchmark_port")
        answering = (
            [Server([sys.executable, os.path.join(self.folder, "probe.py"), "answer", str(port)])] if port else []
        )
        for server in (*servers, *answering):
            server.start()
        try:
            _wait_for(servers, self.config["ports"], "tcp", "iperf3 server")
            _wait_for(answering, [port] if port else [], "udp", "program that answers probes")
            self._work()
        finally:
            for server in (*servers, *answering):
                server.end()

    def _work(self) -> None:
        gate = Gate(self.config["gate"], self) if self.config["gate"] else None
        _store(self.folder, "ready.json", {})
        if gate:
            gate.start()
        for step in self.config["steps"]:
            self._step(step)
        if gate:
            gate.finish()
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
        _store(self.folder, f"sample-{step}.json", {"begun": begun, "answers": _answers(self.config["sample"])})

    def watch(self) -> List[Json]:
        """What the counters say now."""
        return _answers(self.config["watch"])


class Retrying(threading.Thread):
    """One command, again while the server says that it is busy."""

    def __init__(self, argv: List[str], step: Json) -> None:
        super().__init__(daemon=True)
        self.argv, self.limit, self.retries, self.busy = argv, step["limit"], step["retries"], step["busy"]
        self.outcome: Json = {"rc": -1, "out": "", "err": "not run"}

    def run(self) -> None:
        for attempt in range(self.retries + 1):
            time.sleep(1 if attempt else 0)
            self.outcome = _run(self.argv, self.limit)
            if not self.busy or not re.search(self.busy, self.outcome["out"] + self.outcome["err"]):
                return


class Gate(threading.Thread):
    """Lets all clients of a step go when the last one has come."""

    def __init__(self, config: Json, station: Station) -> None:
        super().__init__(daemon=True)
        self.config, self.station = config, station
        self.problem = ""
        # Who may come to which step; whom nobody expects is not kept.
        self.expected = {step["id"]: set(step["hosts"]) for step in config["steps"]}
        # A name may have come from several: one of them is the client, and a stranger in its name throws nobody out.
        self.waiting: Dict[str, Dict[str, List[socket.socket]]] = {}
        self.strangers: Dict[socket.socket, Tuple[float, bytes]] = {}
        self.listener = _listen(config["port"])
        self.listener.setblocking(False)

    def run(self) -> None:
        try:
            self._let_all_through()
        except Exception as error:  # a thread that ends without a word would pass for success
            self.problem = f"the gate has failed: {error!r}"
        self._refuse()

    def _let_all_through(self) -> None:
        earlier: List[Json] = []
        for number, step in enumerate(self.config["steps"]):
            patience = self.station.config["patience"] if number == 0 else step["limit"]
            missing = self._gather(step, time.monotonic() + patience)
            counters = self.station.watch()
            if number:
                name = f"gate-{self.config['steps'][number - 1]['id']}.json"
                _store(self.station.folder, name, {"before": earlier, "after": counters})
            earlier = counters
            if missing:
                self.problem = f"{', '.join(sorted(missing))} was not ready within {patience} s"
                break
            if step.get("drop_caches"):
                drop_caches()
            if not self.station.config["steps"]:
                self.station.look(step)
            self._open(step)

    def finish(self) -> None:
        """Wait for the last step; StationError when a client was missing."""
        self.join()
        if self.problem:
            raise StationError(self.problem)

    def _gather(self, step: Json, deadline: float) -> Set[str]:
        """Let clients in until all of the step are there; who is missing when the time is over."""
        expected = set(step["hosts"])
        while True:
            missing = expected - set(self.waiting.get(step["id"], {}))
            rest = deadline - time.monotonic()
            if not missing or rest <= 0:
                return missing
            self._hear(rest)

    def _hear(self, rest: float) -> None:
        """Take what comes, from whomever; nobody who is slow to say his name holds up the others."""
        with selectors.DefaultSelector() as selector:
            for connection in (self.listener, *self.strangers):
                selector.register(connection, selectors.EVENT_READ)
            ready = [key.fileobj for key, _events in selector.select(min(rest, 1))]
        if self.listener in ready:
            self._accept()
        for connection, (end, said) in list(self.strangers.items()):
            if connection in ready:
                said += _received(connection)
                self.strangers[connection] = (end, said)
            if self._wait_with_the_others(connection, _name(said, self.station.config["secret"])):
                del self.strangers[connection]
            elif b"\n" in said or len(said) > _GREETING or time.monotonic() > end:
                del self.strangers[connection]
                connection.close()

    def _accept(self) -> None:
        """Let some in, and the oldest of too many out: a client says its name at once, and each open file counts."""
        with contextlib.suppress(OSError):
            for _number in range(_AT_ONCE):
                connection, _address = self.listener.accept()
                connection.setblocking(False)
                self.strangers[connection] = (time.monotonic() + _GREETING_SECONDS, b"")
        for connection in list(self.strangers)[:-_NAMELESS]:
            del self.strangers[connection]
            connection.close()

    def _wait_with_the_others(self, connection: socket.socket, named: Optional[Tuple[str, str]]) -> bool:
        step, name = named or ("", "")
        if name not in self.expected.get(step, ()):
            return False
        namesakes = self.waiting.setdefault(step, {}).setdefault(name, [])
        if len(namesakes) >= _NAMESAKES:
            return False
        namesakes.append(connection)
        return True

    def _open(self, step: Json) -> None:
        connections = self.waiting.pop(step["id"])
        for number, name in enumerate(step["hosts"]):
            time.sleep(self.station.config["stagger"] if number and step["staggered"] else 0)
            for connection in connections[name]:
                _tell(connection, "go")

    def _refuse(self) -> None:
        self.listener.close()
        for connections in self.waiting.values():
            for namesakes in connections.values():
                for connection in namesakes:
                    _tell(connection, self.problem)


def pass_gate(gate: Sequence[Any], greeting: Sequence[str], patience: float) -> None:
    """Wait at the gate, where `greeting` is step, name and secret; StationError when it does not open. The unit's own
    time limit bounds the waiting."""
    address, port = gate
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = socket.create_connection((address, port), timeout=10)
            break
        except OSError as error:
            if time.monotonic() > deadline:
                raise StationError(f"the gate at {address} port {port} cannot be reached: {error}") from None
            time.sleep(0.5)
    with connection:
        connection.settimeout(None)
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        answer = connection.makefile().readline().strip()
    if answer != "go":
        raise StationError(answer or f"the gate at {address} port {port} has closed before step {greeting[0]}")


# What a client says at once, in one line; an open port of a school hears other things too.
_GREETING, _GREETING_SECONDS, _NAMESAKES = 1000, 5, 8
# How many are let in before the others are heard, and how many may be in without a name. Many clients come at once; of
# the 1,024 files that a service may open, they and those who wait must be less.
_AT_ONCE, _NAMELESS = 64, 400


def _received(connection: socket.socket) -> bytes:
    """What has come; a line end where no more will come."""
    try:
        return connection.recv(_GREETING) or b"\n"
    except BlockingIOError:
        return b""
    except OSError:
        return b"\n"


def _name(said: bytes, secret: str) -> Optional[Tuple[str, str]]:
    """(step, name) of a client whose line is whole and has the secret; nothing of anybody else."""
    line, end, _rest = said.partition(b"\n")
    try:
        step, name, word = json.loads(line) if end else ("", "", "")
    except (ValueError, TypeError, RecursionError):
        return None
    return (str(step), str(name)) if step and name and word == secret else None


def _tell(connection: socket.socket, word: str) -> None:
    # Who has gone meanwhile is missing at the next step, and named there.
    with contextlib.suppress(OSError), connection:
        connection.sendall(word.encode() + b"\n")


def _listen(port: int) -> socket.socket:
    """A listener for both families where the host has both."""
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    try:
        return socket.create_server(("", port), family=family, backlog=512, dualstack_ipv6=family == socket.AF_INET6)
    except OSError as error:
        raise StationError(f"port {port} for the gate cannot be used: {error.strerror or error}") from None


class Server(threading.Thread):
    """A program that runs until it is ended, and what it said."""

    def __init__(self, argv: List[str]) -> None:
        super().__init__(daemon=True)
        self.said = ""
        self._argv = argv
        self._pid = 0

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self.said = f"{self._argv[0]}: {error.strerror}"

    async def _serve(self) -> None:
        process = await asyncio.create_subprocess_exec(*self._argv, stdin=_NOTHING, stdout=_PIPE, stderr=_TOGETHER)
        self._pid = process.pid
        self.said = (await process.communicate())[0].decode(errors="replace")

    def end(self) -> None:
        """Have it end itself."""
        if self.is_alive() and self._pid:
            os.kill(self._pid, signal.SIGTERM)


def _wait_for(servers: Sequence[Server], ports: Sequence[int], protocol: str, what: str, patience: float = 30) -> None:
    """Until all listen; asking the kernel, because a connection to try would count as a client."""
    deadline = time.monotonic() + patience
    while servers and not set(ports) <= _open(protocol):
        for process, port in zip(servers, ports):
            if not process.is_alive():
                said = " ".join(process.said.split())
                raise StationError(f"the {what} on port {port} ended at once: {said}")
        if time.monotonic() > deadline:
            raise StationError(f"the {what} is not listening on its port after {patience:.0f} s")
        time.sleep(0.1)


# The states of a socket that waits for whoever comes, as the kernel writes them: LISTEN of TCP, CLOSE of UDP.
_WAITING = {"tcp": "0A", "udp": "07"}


def _open(protocol: str) -> Set[int]:
    """The ports of TCP or UDP that somebody listens on."""
    ports = set()
    for name in (protocol, f"{protocol}6"):
        try:
            with open(f"/proc/self/net/{name}", encoding="ascii") as table:
                rows = [line.split() for line in table][1:]
        except OSError:
            continue
        ports |= {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == _WAITING[protocol]}
    return ports


def _run(argv: List[str], limit: float) -> Json:
    """A command to its end, or to the limit in seconds."""
    try:
        return asyncio.run(_ended(argv, limit))
    except OSError as error:
        return {"rc": -1, "out": "", "err": f"{argv[0]}: {error.strerror}"}


def _answers(commands: Sequence[List[str]]) -> List[Json]:
    """What they say, one after the other, and when each has: a busy machine may put seconds between two of them."""
    return [{**_run(argv, 10), "at": time.monotonic()} for argv in commands]


async def _ended(argv: List[str], limit: float) -> Json:
    environment = {**os.environ, "LC_ALL": "C"}
    process = await asyncio.create_subprocess_exec(*argv, stdin=_NOTHING, stdout=_PIPE, stderr=_PIPE, env=environment)
    try:
        out, err = await asyncio.wait_for(process.communicate(), limit)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
        return {"rc": -1, "out": "", "err": f"no end after {limit} s", "late": True}
    return {"rc": process.returncode, "out": out.decode(errors="replace"), "err": err.decode(errors="replace")}


def _load(folder: str, name: str) -> Any:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def _store(folder: str, name: str, content: Json) -> None:
    """So that whoever waits for the file never sees a part of it."""
    path = os.path.join(folder, name)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.rename(f"{path}.new", path)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
