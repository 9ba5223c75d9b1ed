# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a result in the terminal: figures by direction, and a bar for each flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

_BAR = 30
_FATES = {"kept": "the change stays", "rolled back": "ROLLED BACK"}
WAYS = {
    "up": "up, client to server",
    "down": "down, server to client",
    "both_up": "up while down, client to server",
    "both_down": "down while up, server to client",
    "read": "files read (fio)",
    "write": "files written (fio)",
}


_UNITS = {
    "bits": (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)),
    "fairness": (("1 is best", 1.0),),
}


def unit(name: str, value: float) -> tuple[str, float]:
    """The unit in which such a value of a figure is written, and its size."""
    units = _UNITS.get(name, _UNITS["bits"])
    return next((one for one in units if abs(value) >= one[1]), units[-1])


def rate(bits: float) -> str:
    """Bits per second with three digits that count, such as `9.41 Gbit/s`."""
    word, size = unit("bits", bits)
    number = bits / size
    return f"{number:.{0 if size == 1 or number >= 100 else 2 if number < 10 else 1}f} {word}"


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
        found += [f"{name}: {outcome(decided, name)}", f"  {group['why']}"]
        missed = [host for host, row in decided["hosts"].items() if row["group"] == name and row["missed"]]
        found += [f"  could not be reached, and go back when their time is over: {', '.join(missed)}"] if missed else []
        found += ["", *_compared(group["rows"])] if group["rows"] else []
    for host, rows in decided["differences"].items():
        found += [
            "",
            f"settings of {host} that differ",
            *(f"  {what}: {old} before, {new} after" for what, old, new in rows),
        ]
    return found


def outcome(decided: Json, name: str) -> str:
    """The verdict on a group in a few words, such as `better, the change stays on router`."""
    group = decided["groups"][name]
    hosts = [host for host, row in decided["hosts"].items() if row["group"] == name and row["changed"]]
    fate = _FATES.get(group["fate"], "")
    return f"{group['outcome']}, {fate} on {', '.join(hosts)}" if fate else str(group["outcome"])


def _compared(rows: Sequence[Json]) -> Iterator[str]:
    table = [("figure", "before", "after", "change", "surely between", "verdict")]
    for row in rows:
        old, new = (say(row["figure"], row[side]["median"]) for side in ("before", "after"))
        span = between(row)
        words = (f"{row['figure']} {row['direction']}", old, new, f"{row['change']:+.1%}", span, row["outcome"])
        table.append(words)
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
    yield f"  Only {rows[0]['figure']} decides. The others are asked by the way, and corrected for their number."


def between(row: Json) -> str:
    """The interval of a change, such as `+200% to +330%`."""
    return " to ".join(f"{end:+.1%}" for end in row["between"]) if row["between"] else "too few runs"


def say(name: str, value: float) -> str:
    """A figure in its unit; fairness has none."""
    return f"{value:.3f}" if name == "fairness" else rate(value)


def written(value: Any) -> str:
    """A value of a setting or an option as a person writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(written, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {written(one)}" for key, one in value.items()) or "none"
    return "none" if value is None else str(value)
