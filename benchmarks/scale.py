# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute what a controller needs for 1,000 and 10,000 hosts, from figures of smaller fleets (fleet.py --json).

Processor time and memory are taken for a start that each run has, and a part for each host; both come from the line
that fits the measured sizes best. With three sizes or more the program also says how far the largest is off the line
of the others, which is what "linear" is worth.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

RUNS = {
    "site, first run": ("site", "first run"),
    "site, unchanged": ("site", "unchanged"),
    "audit": ("audit", "unchanged"),
}
MEMORY = {"site, first run": "site", "site, unchanged": "site", "audit": "audit"}
FLEETS = (1_000, 10_000)


class ScaleError(Exception):
    """The files cannot be put together."""


class Line(NamedTuple):
    """What a run costs: once, and for each host."""

    start: float
    host: float

    def at(self, hosts: int) -> float:
        return self.start + self.host * hosts


def fit(points: Sequence[tuple[int, float]]) -> Line:
    """The line of least squares; two sizes or more."""
    count = len(points)
    middle, height = (sum(values) / count for values in zip(*points, strict=True))
    spread = sum((size - middle) ** 2 for size, _value in points)
    slope = sum((size - middle) * (value - height) for size, value in points) / spread
    return Line(height - slope * middle, slope)


def beyond(points: Sequence[tuple[int, float]]) -> float | None:
    """How many times as much the largest fleet costs as the line of the smaller ones says."""
    if len(points) < 3:
        return None
    *smaller, (size, value) = sorted(points)
    return value / fit(smaller).at(size)


def points(files: Sequence[Mapping], run: str) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Processor seconds and megabytes of the controller, by size of the fleet."""
    seconds, memory = [], []
    for file in files:
        size = file["setting"]["hosts"]
        seconds += [
            (size, row["controller"]) for row in file["medians"] if (row["name"], row["condition"]) == RUNS[run]
        ]
        if MEMORY[run] in file.get("memory", {}):
            memory.append((size, file["memory"][MEMORY[run]] / 1e6))
    return seconds, memory


def read(paths: Sequence[Path]) -> list[dict]:
    """The files, by size; ScaleError where they do not measure the same thing at different sizes."""
    files = sorted((json.loads(path.read_text()) for path in paths), key=lambda file: file["setting"]["hosts"])
    sizes = [file["setting"]["hosts"] for file in files]
    if len(set(sizes)) < 2:
        raise ScaleError(f"a line needs fleets of two sizes or more, and all files have {sizes[0]} hosts")
    for name in ("nics", "sysctl", "ansible", "forks", "processors"):
        found = {file["setting"][name] for file in files}
        if len(found) > 1:
            raise ScaleError(f"the files cannot be compared: {name} is {' and '.join(map(str, sorted(found)))}")
    return files


def table(files: Sequence[Mapping], processors: int, minutes: float, wait: float) -> list[str]:
    """What is measured, what follows, and how far it can be trusted."""
    setting = files[0]["setting"]
    sizes = ", ".join(str(file["setting"]["hosts"]) for file in files)
    lines = [
        f"Measured with {sizes} hosts, {setting['nics']} NICs and {setting['sysctl']} kernel parameters each; "
        f"ansible-core {setting['ansible']}, {setting['forks']} forks, {setting['processors']} processors; "
        f"{setting['date']}",
        f"Computed for a controller of {processors} processors, hosts that answer within {wait:g} s, "
        f"and {minutes:g} minutes for a run",
        "",
        "| run | hosts | processor time | at the least | memory | slices for the time | forks of each |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    told = []
    for run in RUNS:
        seconds, memory = points(files, run)
        if len(seconds) < 2:
            continue
        line, room = fit(seconds), fit(memory) if len(memory) > 1 else None
        if line.host <= 0 or (room and room.host <= 0):
            raise ScaleError(
                f"{run}: more hosts cost no more here; the sizes are too close for what else this machine does"
            )
        # Enough that one host is worked on while others are waited for.
        forks = math.ceil((wait + line.host) / line.host)
        for size in FLEETS:
            slices = needed(line, size, minutes * 60)
            lines.append(
                f"| {run} | {size} | {line.at(size):.0f} s | {line.at(size) / processors / 60:.1f} min "
                f"| {f'{room.at(size):.0f} MB' if room else '-'} | {slices or 'not possible'} | {forks} |"
            )
        told.append(f"{run}: {line.start:.2f} s, and {1000 * line.host:.1f} ms for each host")
        if room:
            told[-1] += f"; {room.start:.0f} MB, and {1000 * room.host:.0f} kB for each host"
        for what, off in (("processor time", beyond(seconds)), ("memory", beyond(memory))):
            if off is not None:
                told[-1] += f"; {what} of the largest fleet is {off:.2f} times the line of the others"
    return [*lines, "", *told]


def needed(line: Line, hosts: int, seconds: float) -> int | None:
    """Into how many slices, each with a processor of its own, a run has to be cut to end within the time."""
    if line.start >= seconds:
        return None
    return max(1, math.ceil(line.host * hosts / (seconds - line.start)))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "files", type=Path, nargs="+", help="figures of fleets of two sizes or more (make bench ARGS='--json FILE')"
    )
    parser.add_argument("--processors", type=int, default=4, help="of the controller (default: 4)")
    parser.add_argument("--minutes", type=float, default=10, help="that a run may take (default: 10)")
    parser.add_argument("--wait", type=float, default=0.1, help="seconds that a host takes to answer (default: 0.1)")
    options = parser.parse_args()
    try:
        print("\n".join(table(read(options.files), options.processors, options.minutes, options.wait)))
    except ScaleError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
