# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate at which the clients of a step meet, and go on when the last one has come.

Each tells which step it has come to; so neither clocks nor the number of Ansible's forks matter.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import time
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

Json = Dict[str, Any]

# What a client says at once, in one line; an open port of a school hears other things too.
_GREETING, _GREETING_SECONDS, _NAMESAKES = 1000, 5, 8
# How many are let in before the others are heard, and how many may be in without a name. Many clients come at once; of
# the 1,024 files that a service may open, they and those who wait must be less.
_AT_ONCE, _NAMELESS = 64, 400


class Gate:
    """Where one host lets the clients of all steps in; `steps` have `id`, `hosts` and whether they go `staggered`."""

    def __init__(self, port: int, steps: Sequence[Json], secret: str) -> None:
        self.secret = secret
        # Who may come to which step; whom nobody expects is not kept.
        self.expected = {step["id"]: set(step["hosts"]) for step in steps}
        # A name may have come from several: one of them is the client, and a stranger in its name throws nobody out.
        self.waiting: Dict[str, Dict[str, List[socket.socket]]] = {}
        self.strangers: Dict[socket.socket, Tuple[float, bytes]] = {}
        self.listener = _listen(port)
        self.listener.setblocking(False)

    def gather(self, step: Json, deadline: float) -> Set[str]:
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
            if self._wait_with_the_others(connection, _name(said, self.secret)):
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

    def open(self, step: Json, stagger: float) -> None:
        """Let the clients of a step go, `stagger` seconds apart where it says so."""
        connections = self.waiting.pop(step["id"])
        for number, name in enumerate(step["hosts"]):
            time.sleep(stagger if number and step["staggered"] else 0)
            for connection in connections[name]:
                _tell(connection, "go")

    def close(self, problem: str) -> None:
        """Send those who wait for a step that will not come away, with what they are to say of it."""
        self.listener.close()
        for connections in self.waiting.values():
            for namesakes in connections.values():
                for connection in namesakes:
                    _tell(connection, problem)


def pass_gate(gate: Sequence[Any], greeting: Sequence[str], patience: float) -> None:
    """Wait at the gate, where `greeting` is step, name and secret; ConnectionError when it does not open.

    The unit's own time limit bounds the waiting.
    """
    address, port = gate
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = socket.create_connection((address, port), timeout=10)
            break
        except OSError as error:
            if time.monotonic() > deadline:
                raise ConnectionError(f"the gate at {address} port {port} cannot be reached: {error}") from None
            time.sleep(0.5)
    with connection:
        connection.settimeout(None)
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        answer = connection.makefile().readline().strip()
    if answer != "go":
        raise ConnectionError(answer or f"the gate at {address} port {port} has closed before step {greeting[0]}")


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
        raise OSError(f"port {port} for the gate cannot be used: {error.strerror or error}") from None
