# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of a measurement on this host: servers, runs until their end, and the ports that somebody listens on."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
import time
from typing import Any, Dict, List, Sequence, Set

Json = Dict[str, Any]

_NOTHING, _PIPE, _TOGETHER = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT


def run_to_end(argv: List[str], limit: float) -> Json:
    """A command to its end, or to the limit in seconds."""
    try:
        return asyncio.run(_ended(argv, limit))
    except OSError as error:
        return {"rc": -1, "out": "", "err": f"{argv[0]}: {error.strerror}"}


def answers(commands: Sequence[List[str]]) -> List[Json]:
    """What they say, one after the other, and when each has: a busy machine may put seconds between two of them."""
    return [{**run_to_end(argv, 10), "at": time.monotonic()} for argv in commands]


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


class Retrying(threading.Thread):
    """One command, again while the server says that it is busy."""

    def __init__(self, argv: List[str], step: Json) -> None:
        super().__init__(daemon=True)
        self.argv, self.limit, self.retries, self.busy = argv, step["limit"], step["retries"], step["busy"]
        self.outcome: Json = {"rc": -1, "out": "", "err": "not run"}

    def run(self) -> None:
        for attempt in range(self.retries + 1):
            time.sleep(1 if attempt else 0)
            self.outcome = run_to_end(self.argv, self.limit)
            if not self.busy or not re.search(self.busy, self.outcome["out"] + self.outcome["err"]):
                return


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


def wait_for(servers: Sequence[Server], ports: Sequence[int], protocol: str, what: str, patience: float = 30) -> None:
    """Until all listen, or an OSError; asking the kernel, because a connection to try would count as a client."""
    deadline = time.monotonic() + patience
    while servers and not set(ports) <= open_ports(protocol):
        for process, port in zip(servers, ports):
            if not process.is_alive():
                said = " ".join(process.said.split())
                raise ChildProcessError(f"the {what} on port {port} ended at once: {said}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"the {what} is not listening on its port after {patience:.0f} s")
        time.sleep(0.1)


# The states of a socket that waits for whoever comes, as the kernel writes them: LISTEN of TCP, CLOSE of UDP.
_WAITING = {"tcp": "0A", "udp": "07"}


def open_ports(protocol: str) -> Set[int]:
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
