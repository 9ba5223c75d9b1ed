# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a result in the terminal: figures by direction, and a bar for each flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import files, foreign

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
    "idle": "without load",
    "both": "up and down at the same time",
}


_UNITS = {
    "bits": (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)),
    "fairness": (("1 is best", 1.0),),
    "time": (("s", 1e3), ("ms", 1.0), ("µs", 1e-3)),
    "share": (("%", 1.0),),
    "packets": (("M packets/s", 1e6), ("k packets/s", 1e3), ("packets/s", 1.0)),
    "cost": (("s/Gbit", 1.0), ("ms/Gbit", 1e-3)),
    "retransmits": (("segments", 1.0),),
}
# What a figure is measured in, where it is not a rate.
_KINDS = {
    **dict.fromkeys(("latency_lost", "idle_lost", "loss"), "share"),
    **dict.fromkeys(("latency", "idle", "jitter", "tcp_rtt"), "time"),
    **{f"{prefix}_{word}": "time" for prefix in ("latency", "idle") for word in ("median", "p95", "p99", "flows")},
    **{f"cpu_per_gigabit_{end}": "cost" for end in ("client", "server")},
}


def unit(name: str, value: float) -> tuple[str, float]:
    """The unit in which such a value of a figure is written, and its size."""
    units = _UNITS.get(_KINDS.get(name, name), _UNITS["bits"])
    return next((one for one in units if abs(value) >= one[1]), units[-1])


def rate(bits: float) -> str:
    """Bits per second with three digits that count, such as `9.41 Gbit/s`."""
    return _written("bits", bits)


def _written(name: str, value: float) -> str:
    word, size = unit(name, value)
    number = value / size
    whole = word in ("bit/s", "packets/s", "bytes") or abs(number) >= 100
    return f"{number:.{0 if whole else 2 if abs(number) < 10 else 1}f} {word}"


def lines(result: Json) -> list[str]:
    """The whole table."""
    several = len(result["groups"]) > 1
    return [line for name, group in result["groups"].items() for line in _group(name, group, several)]


def _group(name: str, group: Json, several: bool) -> Iterator[str]:
    yield f"{name} ({group['topology'].replace('_', ' ')}, {len(group['hosts'])} hosts)"
    figures = group["figures"]
    for way, found in figures.items():
        if "sum" in found and way != "asymmetry":
            yield ""
            yield from _way(way, found)
    if group.get("files"):
        yield from (f"  {line}" for line in files.lines(group["files"]))
    yield from _latency(figures)
    yield from _bottlenecks(group.get("bottlenecks", {}))
    if group.get("foreign"):
        yield ""
        yield f"other traffic: {others_mean(several)}"
        yield from (f"  {others(row)}" for row in group["foreign"])
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


def latencies(figures: Json) -> Iterator[tuple[str, str, Json]]:
    """What was measured of round trips: without load first, then in each direction, with the prefix of the figures."""
    for way in sorted(figures, key=lambda way: way != "idle"):
        prefix = "idle" if way == "idle" else "latency"
        if way != "asymmetry" and f"{prefix}_lost" in figures[way]:
            yield way, prefix, figures[way]


def _latency(figures: Json) -> Iterator[str]:
    found = list(latencies(figures))
    if not found:
        return
    yield ""
    yield "round trips of small packets"
    table: list[Sequence[str]] = [("", "median", "95 %", "99 %", "lost")]
    for way, prefix, values in found:
        cells = [
            say(f"{prefix}_{word}", values[f"{prefix}_{word}"]["median"]) if f"{prefix}_{word}" in values else "none"
            for word in ("median", "p95", "p99", "lost")
        ]
        table.append((WAYS.get(way, way) if way == "idle" else f"during {way}", *cells))
    yield from aligned(table)
    words = bloat(figures)
    if words:
        yield f"  {words}"


def bottlenecks(found: Json) -> list[tuple[str, str, Json]]:
    """The direction, the pairs and what holds these back: pairs with the same reason at the same place together."""
    rows: dict[tuple[str, str, str], tuple[list[str], Json]] = {}
    for way, pairs in found.items():
        for pair, row in pairs.items():
            rows.setdefault((way, row["where"], row["at"]), ([], row))[0].append(pair)
    return [(way, _pairs(pairs, found[way]), row) for (way, _where, _at), (pairs, row) in rows.items()]


def _pairs(pairs: Sequence[str], among: Json) -> str:
    if len(pairs) == len(among):
        return pairs[0] if len(pairs) == 1 else f"all {len(pairs)} pairs"
    return ", ".join(pairs[:_SHOWN]) + (f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else "")


# Pairs that are named before the rest is a number.
_SHOWN = 4


def _bottlenecks(found: Json) -> Iterator[str]:
    rows = bottlenecks(found)
    if rows:
        yield ""
        yield "what holds them back"
    for way, pairs, row in rows:
        yield f"  {way}, {pairs}: {row['where']}, {row['at']}"
        yield f"    {'; '.join(row['evidence'])}"


def others(row: Json) -> str:
    """The load of others on a NIC during the runs, in a sentence."""
    most = f", {rate(row['most'])} at most" if row["most"] > row["bits_per_second"] else ""
    runs = f"in {row['runs']} of {row['of']} runs"
    return (
        f"{foreign.where(row)} {rate(row['bits_per_second'])} that no stream of the measurement explains, {runs}{most}"
    )


def others_mean(several: bool) -> str:
    """What that means for the figures."""
    more = ", possibly another entry that is measured at the same time" if several else ""
    return f"something else used these links at the same time{more}, so the figures are not those of an idle network"


def others_compared(row: Json) -> str:
    """The same of a proof."""
    sides = " and ".join(f"in {row[side][0]} of {row[side][1]} runs {side}" for side in ("before", "after"))
    return f"{foreign.where(row)} up to {rate(row['most'])} beside the measurement, {sides}"


# So many times as long under load as without, and no less than so many milliseconds more, is what people feel.
_TIMES, _FELT = 10, 10.0


def bloat(figures: Json) -> str:
    """Whether packets wait long in a queue that is full, in a sentence; nothing where they do not."""
    idle = figures.get("idle", {}).get("idle_p99")
    if not idle:
        return ""
    loaded = {way: found["latency_p99"]["median"] for way, found in figures.items() if "latency_p99" in found}
    way = max(loaded, key=lambda one: loaded[one], default="")
    if not way or loaded[way] < _TIMES * idle["median"] or loaded[way] - idle["median"] < _FELT:
        return ""
    under, without = say("latency_p99", loaded[way]), say("idle_p99", idle["median"])
    return (
        f"Latency under load is high: {under} instead of {without} during {way}. A queue fills up at the "
        "slowest hop; fq_codel or cake there keeps it short."
    )


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
    for name, title in SMALL.items():
        if name in found:
            words.append(f"{title} {say(name, found[name]['median'])}")
    return "".join(f", {word}" for word in words)


# Figures that are told by the way, where there are any.
SMALL = {
    "cpu_per_gigabit_client": "processors of clients",
    "cpu_per_gigabit_server": "of servers",
    "tcp_rtt": "round trip by TCP",
    "loss": "UDP loss",
    "jitter": "UDP jitter",
    "packets": "small packets",
}


def verdict(decided: Json) -> list[str]:
    """What becomes of each group and host, and why; what differs in the figures and settings."""
    found = []
    for name, group in decided["groups"].items():
        found += [f"{name}: {outcome(decided, name)}", f"  {group['why']}"]
        found += [f"  other traffic: {others_compared(row)}" for row in group.get("foreign", ())]
        missed = [host for host, row in decided["hosts"].items() if row["group"] == name and row["missed"]]
        found += [f"  could not be reached, and revert when their time is over: {', '.join(missed)}"] if missed else []
        found += ["", *_compared(group["rows"])] if group["rows"] else []
        found += [f"  {retransmits(way, *pair)}" for way, pair in group.get("retransmits", {}).items()]
    for host, rows in decided["differences"].items():
        found += [
            "",
            f"settings of {host} that differ",
            *(f"  {what}: {old} before, {new} after" for what, old, new in rows),
        ]
    return found


def retransmits(way: str, before: float, after: float) -> str:
    """How many segments were sent again, in a sentence: beside a rate that has grown more may be lost."""
    return f"retransmits {way}: {before:.0f} in a run before, {after:.0f} after (shown only, not tested)"


def outcome(decided: Json, name: str) -> str:
    """The verdict on a group in a few words, such as `better, the change stays on router`."""
    group = decided["groups"][name]
    hosts = [host for host, row in decided["hosts"].items() if row["group"] == name and row["changed"]]
    fate = _FATES.get(group["fate"], "")
    return f"{group['outcome']}, {fate} on {', '.join(hosts)}" if fate else str(group["outcome"])


def _compared(rows: Sequence[Json]) -> Iterator[str]:
    table = [("figure", "before", "after", "change", "99 % interval", "verdict")]
    for row in rows:
        old, new = (say(row["figure"], row[side]["median"]) for side in ("before", "after"))
        span = between(row)
        words = (f"{row['figure']} {row['direction']}", old, new, f"{row['change']:+.1%}", span, row["outcome"])
        table.append(words)
    yield from aligned(table)
    yield f"  Only {rows[0]['figure']} decides. The others are additional, and corrected for multiple comparisons."


def aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, in columns."""
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def between(row: Json) -> str:
    """The interval of a change, such as `+200% to +330%`."""
    return " to ".join(f"{end:+.1%}" for end in row["between"]) if row["between"] else "too few runs"


def say(name: str, value: float) -> str:
    """A figure in its unit; fairness has none."""
    return f"{value:.3f}" if name == "fairness" else _written(name, value)


def written(value: Any) -> str:
    """A value of a setting or an option as a person writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(written, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {written(one)}" for key, one in value.items()) or "none"
    return "none" if value is None else str(value)
