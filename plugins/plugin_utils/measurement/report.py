# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the report of a result, or of a change with the results before and after, as a page that stands on its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import page
from . import charts, files
from .bottleneck import ADVICE
from .table import (
    SMALL,
    WAYS,
    between,
    bloat,
    bottlenecks,
    latencies,
    others,
    others_compared,
    others_mean,
    outcome,
    rate,
    retransmits,
    say,
    written,
)
from .verdict import directions

Json = dict[str, Any]

_MEANING = (
    "A change is better or worse when chance alone would hardly ever show as much: of a hundred proofs of a change "
    "that does nothing, one at most says so. Undecided does not mean equal: these runs cannot tell. With 99 % "
    "certainty the true change lies in the interval. Only {figure} decides; the others are additional, and corrected "
    "for multiple comparisons."
)
_TONES = {"worse": "high", "better": "good"}


def write(
    result: Json, before: Json | None = None, decided: Json | None = None, first: Sequence[page.Section] = ()
) -> str:
    """The HTML of the whole page; other sections may come `first`."""
    sections = [*first, *_verdicts(decided), *_groups(result, before), _settings(result), _about(result)]
    count = f"{len(result['hosts'])} hosts on {result['ended'][:10]}"
    runs = result["options"]["repeat"]
    if before:
        lead = (
            f"What {count} carried before the change ({before['options']['repeat']} runs) and after it ({runs} runs)."
        )
    else:
        lead = f"What {count} carried, the median of {runs} runs."
    return page.document(
        "Network measurement" if not before else "Network measurement, before and after", lead, sections
    )


def _verdicts(decided: Json | None) -> Iterator[page.Section]:
    """What became of the change, first of all."""
    if not decided:
        return
    parts = []
    for name, group in decided["groups"].items():
        missed = [host for host, row in decided["hosts"].items() if row["group"] == name and row["missed"]]
        where = f"; {', '.join(missed)} could not be reached, and revert when their time is over" if missed else ""
        word, _comma, rest = outcome(decided, name).partition(", ")
        badge = page.badge(word, _TONES.get(word, ""))
        parts.append(page.tag("p", badge, " ", page.tag("b", name), f": {rest}{where}" if rest else where))
        parts.append(page.tag("p", group["why"], class_="lead"))
        for load in group.get("foreign", ()):
            parts.append(page.tag("p", page.badge("other traffic", "medium"), " ", others_compared(load)))
        rows = [
            (
                f"{row['figure']} {row['direction']}",
                say(row["figure"], row["before"]["median"]),
                say(row["figure"], row["after"]["median"]),
                f"{row['change']:+.1%}",
                between(row),
                page.badge(row["outcome"], _TONES.get(row["outcome"], "")),
            )
            for row in group["rows"]
        ]
        if rows:
            heads = ("figure", "before", "after", "change", "99 % interval", "verdict")
            parts.append(page.table(heads, rows, numeric=(1, 2, 3, 4)))
        parts += [page.tag("p", retransmits(way, *pair)) for way, pair in group.get("retransmits", {}).items()]
        deciding = [row for row in group["rows"] if row["figure"] == decided["figure"]]
        parts += [_key("each run is a dot, the number is their median", True)] if deciding else []
        for row in deciding:
            parts.append(page.tag("h3", f"{row['figure']} {row['direction']}".capitalize()))
            parts += _runs(row["direction"], row["figure"], charts.Row(row["figure"], row["after"], row["before"]))
        if rows:
            parts.append(page.tag("p", _MEANING.format(figure=decided["figure"]), class_="soft screen"))
    # On paper a few hosts stand for all of them.
    for number, (host, rows) in enumerate(decided["differences"].items()):
        about = page.tag("h3", f"Settings of {host} that differ"), page.table(("setting", "before", "after"), rows)
        parts.append(page.tag("div", *about, class_="screen" if number > 1 else None))
    yield page.Section("verdict", "Verdict", page.join(parts))


def _groups(result: Json, before: Json | None) -> Iterator[page.Section]:
    style = page.tag("style", page.Html(charts.CSS))
    for number, (name, group) in enumerate(result["groups"].items(), 1):
        earlier = before["groups"].get(name) if before else None
        parts: list[page.Html] = [style] if number == 1 else []
        for way in directions(group["figures"]):
            if "sum" not in group["figures"][way]:
                continue
            old = earlier["figures"].get(way) if earlier else None
            parts += _way(way, group["figures"][way], old)
            queues = [*_queues(way, name, before, "before"), *_queues(way, name, result, "after" if before else "")]
            parts += [page.tag("div", *queues, class_="screen")] if queues else []
        if group.get("files"):
            parts += [page.tag("p", f"{line}.", class_="soft") for line in files.lines(group["files"])]
        parts += _latency(group["figures"], earlier["figures"] if earlier else {})
        parts += _others(group.get("foreign", []), len(result["groups"]) > 1)
        reasons = _bottlenecks(group.get("bottlenecks", {}))
        # On paper the proof of a change has two pages.
        parts.append(page.tag("div", *reasons, class_="screen" if earlier else None))
        lead = f"{group['topology'].replace('_', ' ').capitalize()}, {len(group['hosts'])} hosts."
        yield page.Section(f"group{number}", name, page.join(parts), lead)


def _way(way: str, found: Json, old: Json | None) -> Iterator[page.Html]:
    yield page.tag("h3", WAYS.get(way, way).capitalize())
    tone = "good" if found["fairness"]["median"] > 0.95 else "medium"
    tiles = [("in all", rate(found["sum"]["median"]), ""), ("least", rate(found["minimum"]["median"]), "")]
    tiles.append(("fairness", f"{found['fairness']['median']:.3f}", tone))
    if "single" in found:
        tiles.append(("one alone", rate(found["single"]["median"]), ""))
    if "retransmits" in found:
        tiles.append(("retransmits", f"{found['retransmits']['median']:.0f}", ""))
    tiles += [(title, say(name, found[name]["median"]), "") for name, title in SMALL.items() if name in found]
    yield page.tiles([(f"{label}, after" if old else label, value, tone) for label, value, tone in tiles])
    flows = (old or {"flows": {}})["flows"]
    rows = [charts.Row(name, figure, flows.get(name)) for name, figure in found["flows"].items()]
    yield page.tag("h4", "Throughput of each")
    yield _key("median of the runs; the line goes from the least to the most", bool(old))
    yield charts.bars(f"Throughput {way}", "rate", rows)
    yield _data("rate", rows)
    each: list[page.Html] = []
    for name in ("sum", "minimum", "fairness"):
        each.append(page.tag("h4", f"Each run: {name}"))
        each += _runs(way, name, charts.Row(name, found[name], old[name] if old else None))
    yield page.tag("div", *each, class_="screen" if old else None)


def _latency(figures: Json, before: Json) -> Iterator[page.Html]:
    """Round trips without and under load on one scale, then of each pair."""
    found = list(latencies(figures))
    if not found:
        return
    yield page.tag("h3", "Latency: round trips of small packets")
    words = bloat(figures)
    if words:
        yield page.tag("p", page.badge("latency", "high"), " ", words)
    rows, pairs = [], []
    for way, prefix, values in found:
        old = before.get(way, {})
        about = WAYS["idle"] if way == "idle" else f"during {way}"
        for word, title in (("median", "median"), ("p95", "95 % below"), ("p99", "99 % below")):
            name = f"{prefix}_{word}"
            if name in values:
                rows.append(charts.Row(f"{about}, {title}", values[name], old.get(name)))
        flows = old.get(f"{prefix}_flows", {})
        pairs += [
            charts.Row(f"{name}, {about}", one, flows.get(name))
            for name, one in values.get(f"{prefix}_flows", {}).items()
        ]
    if rows:
        yield _key("median of the runs; the line goes from the least to the most", bool(before))
        yield charts.bars("Round trips", "latency", rows)
        yield _data("latency", rows)
    if len(pairs) > len(found):
        shown = [
            page.tag("h4", "99 % of the round trips of each pair are below"),
            charts.bars("Pairs", "latency", pairs),
        ]
        yield page.tag("div", *shown, _data("latency", pairs), class_="screen")
    lost = []
    for way, prefix, values in found:
        share = say(f"{prefix}_lost", values[f"{prefix}_lost"]["median"])
        lost.append(f"{share} {WAYS['idle'] if way == 'idle' else f'during {way}'}")
    yield page.tag("p", f"Probes without an answer: {', '.join(lost)}.", class_="soft")


def _bottlenecks(found: Json) -> Iterator[page.Html]:
    """What holds back which pairs, what shows it, and what to do about it."""
    rows = [
        (way, pairs, page.tag("b", row["where"]), row["at"], "; ".join(row["evidence"]), ADVICE.get(row["where"], ""))
        for way, pairs, row in bottlenecks(found)
    ]
    if rows:
        yield page.tag("h3", "What holds them back")
        yield page.table(("direction", "pairs", "what", "where", "what shows it", "what to do"), rows)


def _others(found: Sequence[Json], several: bool) -> Iterator[page.Html]:
    """What passed besides."""
    if found:
        yield page.tag("h3", "Other traffic")
        mean = others_mean(several)
        yield page.tag("p", page.badge("other traffic", "medium"), f" {mean[0].upper()}{mean[1:]}.")
        yield page.tag("ul", *(page.tag("li", others(row)) for row in found))


def _runs(way: str, name: str, row: charts.Row) -> list[page.Html]:
    return [charts.dots(f"{name} {way}", name, row), _data(name, [row])]


def _key(about: str, both: bool) -> page.Html:
    """Which colour is what."""
    kinds = [("before", "before"), ("now", "after")] if both else [("now", "measured")]
    return page.tag("p", *(page.tag("span", word, class_=kind) for kind, word in kinds), f"({about})", class_="key")


def _data(name: str, rows: Sequence[charts.Row]) -> page.Html:
    """What a chart is drawn of, as a table."""
    cells = [
        (
            row.label + ("" if not row.before else ", before" if kind == "before" else ", after"),
            *(say(name, figure[key]) for key in ("median", "least", "most")),
            ", ".join(say(name, value) for value in figure["values"]),
        )
        for row in rows
        for kind, figure in row.parts
    ]
    heads = ("of", "median", "least", "most", "each run")
    return page.details("The data of this chart", page.table(heads, cells, numeric=(1, 2, 3)), class_="screen")


def _queues(way: str, group: str, result: Json | None, when: str) -> Iterator[page.Html]:
    """The transmit queues of the hosts that sent through several, in the last run."""
    both, _line, end = way.rpartition("_")
    chosen = (group, both or way, "all")
    runs = [run for run in (result or {"runs": []})["runs"] if (run["group"], run["direction"], run["kind"]) == chosen]
    for host, nics in (runs[-1]["queues"] if runs else {}).items():
        sends = any(flow["server" if end == "down" else "client"] == host for flow in runs[-1]["flows"])
        for nic, numbers in nics.items():
            if sends and len(numbers) > 1:
                title = f"Bytes by transmit queue of {nic} of {host}, last run{f' {when}' if when else ''}"
                yield page.tag("h4", title)
                yield charts.columns(title, numbers)
                table = page.table(("queue", "bytes"), enumerate(numbers), numeric=(0, 1))
                yield page.details("The data of this chart", table)


def _settings(result: Json) -> page.Section:
    parts = [
        page.details(host, page.code("\n".join(_lines(facts)), copy=False)) for host, facts in result["hosts"].items()
    ]
    return page.Section(
        "settings",
        "Settings in force",
        page.join(parts),
        "As they were during the last measurement.",
    )


def _lines(content: Json, indent: str = "") -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{key}: {written(value)}"


def _about(result: Json) -> page.Section:
    pairs = [(key, written(value)) for key, value in result["options"].items() if value not in (None, "", {})]
    facts = page.facts([("label", result["label"]), ("ended", result["ended"]), *pairs])
    return page.Section("options", "How it was measured", facts)
