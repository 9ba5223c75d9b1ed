# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a result in the terminal: figures by direction, and a bar for each flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

_BAR = 30
_OUTCOMES = {"kept": "the change stays", "rolled back": "ROLLED BACK", "worse": "WORSE"}
WAYS = {
    "up": "up, client to server",
    "down": "down, server to client",
    "both_up": "up while down, client to server",
    "both_down": "down while up, server to client",
    "read": "files read (fio)",
    "write": "files written (fio)",
}


def rate(bits: float) -> str:
    """Bits per second with three digits that count, such as `9.41 Gbit/s`."""
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if abs(bits) >= size:
            number = bits / size
            return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {unit}"
    return f"{bits:.0f} bit/s"


def lines(result: Json) -> list[str]:
    """The whole table."""
    return [line for name, group in result["groups"].items() for line in _group(name, group)]


def _group(name: str, group: Json) -> Iterator[str]:
    yield f"{name} ({group['topology'].replace('_', ' ')}, {len(group['hosts'])} hosts)"
    figures = group["figures"]
    for way, found in figures.items():
        if way != "asymmetry":
            yield ""
            yield from _way(way, found)
    if figures.get("asymmetry"):
        pair, worst = max(figures["asymmetry"].items(), key=lambda item: item[1])
        yield ""
        yield f"the directions differ by {worst:.0%} at most ({pair})"


def _way(way: str, found: Json) -> Iterator[str]:
    runs = len(found["sum"]["values"])
    yield f"{WAYS.get(way, way)}: {rate(found['sum']['median'])} in all{_spread(found['sum'], runs)}"
    yield f"  fairness {found['fairness']['median']:.3f} (1 is best), least {rate(found['minimum']['median'])}" + _more(
        found
    )
    most = max(figure["most"] for figure in found["flows"].values()) or 1
    width = max(len(name) for name in found["flows"])
    for name, figure in found["flows"].items():
        blocks = "█" * round(figure["median"] / most * _BAR)
        yield f"  {name:{width}}  {blocks:{_BAR}}  {rate(figure['median'])}"


def _spread(figure: Json, runs: int) -> str:
    return f" (median of {runs} runs, {rate(figure['least'])} to {rate(figure['most'])})" if runs > 1 else ""


def _more(found: Json) -> str:
    words = []
    if "single" in found:
        words.append(f"one alone {rate(found['single']['median'])}")
    if "retransmits" in found:
        words.append(f"{found['retransmits']['median']:.0f} retransmits")
    if "cpu_client" in found:
        words.append(
            f"CPU {found['cpu_client']['median']:.0f} % clients, {found['cpu_server']['median']:.0f} % servers"
        )
    return "".join(f", {word}" for word in words)


def verdict(decided: Json) -> list[str]:
    """What becomes of each group and host, and why; what differs in the figures and settings."""
    found = []
    for name, group in decided["groups"].items():
        hosts = [host for host, row in decided["hosts"].items() if row["group"] == name and row["changed"]]
        what = _OUTCOMES.get(group["outcome"], group["outcome"])
        found += [f"{name}: {what}{' on ' + ', '.join(hosts) if hosts else ''}", f"  {group['why']}"]
        missed = [host for host in hosts if decided["hosts"][host]["missed"]]
        found += [f"  could not be reached, and go back when their time is over: {', '.join(missed)}"] if missed else []
        found += ["", *_compared(group["rows"])] if group["rows"] else []
    for host, rows in decided["differences"].items():
        found += ["", f"settings of {host} that differ", *(f"  {row}" for row in rows)]
    return found


def _compared(rows: Sequence[Json]) -> Iterator[str]:
    table = [("figure", "before", "after", "change", "")]
    for row in rows:
        old, new = (say(row["figure"], row[side]["median"]) for side in ("before", "after"))
        table.append((f"{row['figure']} {row['direction']}", old, new, f"{row['change']:+.1%}", row["outcome"]))
    widths = [max(len(line[column]) for line in table) for column in range(5)]
    for line in table:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def say(name: str, value: float) -> str:
    """A figure in its unit; fairness has none."""
    return f"{value:.3f}" if name == "fairness" else rate(value)
