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


def in_pings(runs: Sequence[Figures]) -> Mapping[tuple[str, str], tuple[float, float, float]]:
    """What each kind of run costs, in pings of the fleet under the same condition: seconds, and the processor time of
    the controller and of all together.

    Each run is divided by the pings beside it, and the median of these counts: on a machine that becomes slower or
    faster meanwhile, the median of all pings would belong to another machine.
    """
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for index, run in enumerate(runs):
        if run.name != PING:
            pings = _beside(runs, index)
            found.setdefault((run.name, run.condition), []).append(
                (
                    run.wall / statistics.fmean(ping.wall for ping in pings),
                    run.controller / statistics.fmean(ping.controller for ping in pings),
                    run.processor / statistics.fmean(ping.processor for ping in pings),
                )
            )
    return {kind: tuple(map(statistics.median, zip(*costs, strict=True))) for kind, costs in found.items()}


def _beside(runs: Sequence[Figures], index: int) -> list[Figures]:
    """The last ping before a run and the first one after it, of those under the same condition."""
    condition = COLD if runs[index].condition == COLD else WARM
    before = [run for run in runs[:index] if (run.name, run.condition) == (PING, condition)]
    after = [run for run in runs[index:] if (run.name, run.condition) == (PING, condition)]
    return [*before[-1:], *after[:1]]


def ratios(runs: Sequence[Figures], compared: Sequence[str]) -> dict[str, float]:
    """Everything in pings, and of two ways to the same end the slower one in the faster one."""
    result = {}
    rows = medians(runs)
    for (name, condition), (wall, controller, processor) in in_pings(runs).items():
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


def as_text(
    setting: Mapping[str, object], runs: Sequence[Figures], shown: Mapping[str, float], memory: Mapping[str, int]
) -> str:
    title = (
        "{hosts} hosts, each with {nics} test NICs and {sysctl} kernel parameters to tune; "
        "ansible-core {ansible}, Linux {kernel}, {processors} processors; {date}"
    )
    lines = ["", title.format(**setting), "", *_table(runs), ""]
    for name, ratio in shown.items():
        if "ping" not in name and not name.endswith("CPU"):
            lines.append(f"{name}: {ratio:.1f} ({shown[name + ', CPU']:.1f} in processor time)")
    for name, size in memory.items():
        lines.append(f"{name}: up to {size / 1e6:.0f} MB of the controller's memory, with {setting['forks']} forks")
    return "\n".join(lines)


def _table(runs: Sequence[Figures]) -> list[str]:
    costs = in_pings(runs)
    cells = [
        (
            name,
            LABELS.get((name, condition), condition),
            f"{row.wall:.2f}",
            f"{row.controller:.2f}",
            f"{row.hosts:.2f}",
            f"{row.commands:g}",
            *(f"{ratio:.2f}" for ratio in costs.get((name, condition), (1.0, 1.0, 1.0))),
        )
        for (name, condition), row in medians(runs).items()
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
    shown: Mapping[str, float],
    memory: Mapping[str, int],
) -> None:
    data = {
        "setting": dict(setting),
        "medians": [row.as_data() for row in medians(runs).values()],
        "ratios": {name: round(ratio, 3) for name, ratio in shown.items()},
        "memory": dict(memory),
        "runs": [run.as_data() for run in runs],
    }
    path.write_text(json.dumps(data, indent=2) + "\n")
