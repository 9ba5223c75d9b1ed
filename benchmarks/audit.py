# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what an audit costs on the controller: facts of 50, 100 and 200 hosts to findings, table, JSON, page."""

from __future__ import annotations

import copy
import json
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
        made[f"host{number:03}"] = host
    return made


def measure(size: int) -> dict[str, float]:
    """Seconds of each step."""
    facts = fleet(size)
    seconds = {}

    def step(name, call):
        started = time.perf_counter()
        result = call()
        seconds[name] = time.perf_counter() - started
        return result

    found = step("findings", lambda: judge.findings(plain(facts)))
    step("table", lambda: table.lines(facts, found))
    step("JSON", lambda: json.dumps(data.document(plain(facts), found, "")))
    text = step("page", lambda: report.document(plain(facts), found, ""))
    seconds["all"] = sum(seconds.values())
    print(
        f"{size:4} hosts, {len(found):5} findings, page of {len(text) / 1e6:4.1f} MB: "
        + ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    )
    return seconds


def main() -> int:
    """Measure growing fleets, and tell how the time grows."""
    measure(10)  # imports and caches
    sizes = (50, 100, 200)
    seconds = {size: measure(size)["all"] for size in sizes}
    ratio = (seconds[200] / 200) / (seconds[50] / 50)
    print(f"A host in a fleet of 200 costs {ratio:.2f} times what it costs in one of 50 (1.0 is linear).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
