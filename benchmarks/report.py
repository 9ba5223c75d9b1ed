"""Turns the runs into medians, ratios, a table and JSON."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from measure import Figures

PING = "ping"
FIRST = "first run"
WARM = "unchanged"
COLD = "unchanged, new connections"
CONDITIONS = (FIRST, WARM, COLD)
# A ping changes nothing in any case.
LABELS = {(PING, WARM): "open connections", (PING, COLD): "new connections"}
HEADINGS = ("seconds", "controller CPU", "hosts CPU", "commands/host", "pings", "controller pings", "CPU pings")

Rows = Mapping[tuple[str, str], Figures]


def medians(runs: Sequence[Figures]) -> Rows:
    """One row for each kind of run, each figure the median of its runs."""
    names = list(dict.fromkeys(run.name for run in runs))
    kinds = [(name, condition) for name in names for condition in CONDITIONS]
    groups = {kind: [run for run in runs if (run.name, run.condition) == kind] for kind in kinds}
    return {
        (name, condition): Figures(
            name,
            condition,
            statistics.median(run.wall for run in group),
            statistics.median(run.controller for run in group),
            statistics.median(run.hosts for run in group),
            statistics.median(run.commands for run in group),
            group[0].changed,
        )
        for (name, condition), group in groups.items()
        if group
    }


def in_pings(row: Figures, rows: Rows) -> tuple[float, float, float]:
    """What a run costs, in pings of the fleet under the same condition: seconds, and the processor time of the
    controller and of all together."""
    ping = rows[PING, COLD if row.condition == COLD else WARM]
    return row.wall / ping.wall, row.controller / ping.controller, row.processor / ping.processor


def ratios(rows: Rows, compared: Sequence[str]) -> dict[str, float]:
    """Everything in pings, and of two ways to the same end the slower one in the faster one."""
    result = {}
    for (name, condition), row in rows.items():
        if name != PING:
            wall, controller, processor = in_pings(row, rows)
            result[f"{name} / ping, {condition}"] = wall
            result[f"{name} / ping, {condition}, controller CPU"] = controller
            result[f"{name} / ping, {condition}, CPU"] = processor
    for condition in CONDITIONS:
        ways = [row for row in rows.values() if row.condition == condition and row.name in compared]
        if len(ways) == 2:
            slow, fast = sorted(ways, key=lambda row: -row.wall)
            result[f"{slow.name} / {fast.name}, {condition}"] = slow.wall / fast.wall
            result[f"{slow.name} / {fast.name}, {condition}, CPU"] = slow.processor / fast.processor
    return result


def as_text(setting: Mapping[str, object], rows: Rows, shown: Mapping[str, float], memory: Mapping[str, int]) -> str:
    title = (
        "{hosts} hosts, each with {nics} test NICs and {sysctl} kernel parameters to tune; "
        "ansible-core {ansible}, Linux {kernel}, {processors} processors; {date}"
    )
    lines = ["", title.format(**setting), "", *_table(rows), ""]
    for name, ratio in shown.items():
        if "ping" not in name and not name.endswith("CPU"):
            lines.append(f"{name}: {ratio:.1f} ({shown[name + ', CPU']:.1f} in processor time)")
    for name, size in memory.items():
        lines.append(f"{name}: up to {size / 1e6:.0f} MB of the controller's memory, with {setting['forks']} forks")
    return "\n".join(lines)


def _table(rows: Rows) -> list[str]:
    cells = [
        (
            name,
            LABELS.get((name, condition), condition),
            f"{row.wall:.2f}",
            f"{row.controller:.2f}",
            f"{row.hosts:.2f}",
            f"{row.commands:g}",
            *(f"{ratio:.2f}" for ratio in in_pings(row, rows)),
        )
        for (name, condition), row in rows.items()
    ]
    table = [("", "", *HEADINGS), *cells]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    lines = []
    for line in table:
        words = [cell.ljust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
        numbers = [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
        lines.append("  ".join(words + numbers))
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def write_json(
    path: Path,
    setting: Mapping[str, object],
    runs: Sequence[Figures],
    rows: Rows,
    shown: Mapping[str, float],
    memory: Mapping[str, int],
) -> None:
    data = {
        "setting": dict(setting),
        "medians": [row.as_data() for row in rows.values()],
        "ratios": {name: round(ratio, 3) for name, ratio in shown.items()},
        "memory": dict(memory),
        "runs": [run.as_data() for run in runs],
    }
    path.write_text(json.dumps(data, indent=2) + "\n")
