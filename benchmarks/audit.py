# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what an audit costs on the controller: facts of 50 to 1000 hosts to findings, table, JSON, page.

Each size has a process of its own, so that its memory is its own; time is processor time.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import data, report, table
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

_CASES = Path(__file__).resolve().parent.parent / "tests/unit/cases/stories"


def fleet(size: int) -> dict[str, dict]:
    """Hosts of the field reports, over and over, each with eight NICs and a room of 38."""
    hosts = [
        host for path in sorted(_CASES.glob("*.yml")) for host in yaml.safe_load(path.read_text())["facts"].values()
    ]
    made = {}
    for number in range(size):
        host = copy.deepcopy(hosts[number % len(hosts)])
        host["groups"] = ["classrooms", f"room{number // 38 + 1}"]
        first = next(iter(host["nics"].values()))
        host["nics"].update({f"spare{port}": copy.deepcopy(first) for port in range(8 - len(host["nics"]))})
        made[f"host{number:04}"] = host
    return made


def measure(size: int) -> tuple[float, float, float]:
    """Seconds of all steps, megabytes of the page, and of the memory that was needed at most beyond the facts."""
    judge.findings(plain(fleet(10)))  # imports and caches
    facts = fleet(size)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = {}

    def step(name, call):
        started = time.process_time()
        result = call()
        seconds[name] = time.process_time() - started
        return result

    found = step("findings", lambda: judge.findings(plain(facts)))
    step("table", lambda: table.lines(facts, found))
    step("JSON", lambda: json.dumps(data.document(plain(facts), found, "")))
    text = step("page", lambda: report.document(plain(facts), found, ""))
    pages, memory = len(text) / 1e6, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin) / 1e3
    print(
        f"{size:4} hosts, {len(found):5} findings, page of {pages:4.1f} MB, {memory:3.0f} MB of memory: "
        + ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    )
    return sum(seconds.values()), pages, memory


def main() -> int:
    """Measure growing fleets, and tell how time, page and memory grow."""
    sizes = (50, 100, 200, 1000)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        measured = {size: pool.apply(measure, (size,)) for size in sizes}
    first, last = sizes[0], sizes[-1]
    for what, small, large in zip(("time", "page", "memory"), measured[first], measured[last], strict=True):
        ratio = (large / last) / (small / first)
        print(f"{what}: a host of {last} costs {ratio:.2f} times what it costs in a fleet of {first} (1.0 is linear)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
