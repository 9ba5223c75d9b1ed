# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the report of a result, or of a change with the results before and after, as a page that stands on its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import page
from . import charts
from .table import WAYS, rate, say
from .verdict import directions

Json = dict[str, Any]

_TONES = {"worse": "high", "better": "good", "alike": ""}


def write(result: Json, before: Json | None = None, decided: Json | None = None) -> str:
    """The HTML of the whole page."""
    sections = [*_verdicts(decided), *_groups(result, before), _settings(result, decided), _about(result)]
    hosts = len(result["hosts"])
    lead = f"What {hosts} hosts carried on {result['ended'][:10]}, the median of {result['options']['repeat']} runs"
    lead += ", before the change and after it." if before else "."
    return page.document(
        "Network measurement" if not before else "Network measurement, before and after", lead, sections
    )


def _verdicts(decided: Json | None) -> Iterator[page.Section]:
    """What became of the change, first of all."""
    if not decided:
        return
    parts = []
    for name, group in decided["groups"].items():
        changed = [host for host, row in decided["hosts"].items() if row["group"] == name and row["changed"]]
        badge = page.badge(group["outcome"], "good" if group["keep"] else "high")
        where = f" on {', '.join(changed)}" if changed else ""
        missed = [host for host in changed if decided["hosts"][host]["missed"]]
        where += f"; {', '.join(missed)} could not be reached, and go back when their time is over" if missed else ""
        parts.append(page.tag("p", badge, " ", page.tag("b", name), where))
        parts.append(page.tag("p", group["why"], class_="lead"))
        rows = [
            (
                f"{row['figure']} {row['direction']}",
                say(row["figure"], row["before"]["median"]),
                say(row["figure"], row["after"]["median"]),
                f"{row['change']:+.1%}",
                page.badge(row["outcome"], _TONES[row["outcome"]]),
            )
            for row in group["rows"]
        ]
        if rows:
            parts.append(page.table(("figure", "before", "after", "change", ""), rows, numeric=(1, 2, 3)))
    yield page.Section("verdict", "Verdict", page.join(parts))


def _groups(result: Json, before: Json | None) -> Iterator[page.Section]:
    style = page.tag("style", page.Html(charts.CSS))
    for number, (name, group) in enumerate(result["groups"].items(), 1):
        earlier = before["groups"].get(name) if before else None
        parts: list[page.Html] = [style] if number == 1 else []
        for way in directions(group["figures"]):
            old = earlier["figures"].get(way) if earlier else None
            parts += _way(way, group["figures"][way], old)
            parts += _queues(way, name, result, "after" if before else "")
            parts += _queues(way, name, before, "before") if before else []
        lead = f"{group['topology'].replace('_', ' ').capitalize()}, {len(group['hosts'])} hosts."
        yield page.Section(f"group{number}", name, page.join(parts), lead)


def _way(way: str, found: Json, old: Json | None) -> Iterator[page.Html]:
    yield page.tag("h3", WAYS.get(way, way).capitalize())
    tiles = [("in all", rate(found["sum"]["median"]), ""), ("least", rate(found["minimum"]["median"]), "")]
    tiles.append(
        ("fairness", f"{found['fairness']['median']:.3f}", "good" if found["fairness"]["median"] > 0.95 else "medium")
    )
    if "single" in found:
        tiles.append(("one alone", rate(found["single"]["median"]), ""))
    if "retransmits" in found:
        tiles.append(("retransmits", f"{found['retransmits']['median']:.0f}", ""))
    yield page.tiles(tiles)
    rows = [
        charts.Row(name, figure, (old or {"flows": {}})["flows"].get(name)) for name, figure in found["flows"].items()
    ]
    yield page.tag("h4", "Throughput of each" + (", before (grey) and after" if old else ""))
    yield charts.bars(f"Throughput {way}", rows)
    yield page.tag("h4", "Each run")
    for name in ("sum", "minimum", "fairness"):
        yield charts.dots(f"{name} {way}", name, [charts.Row(name, found[name], old[name] if old else None)])


def _queues(way: str, group: str, result: Json, when: str) -> Iterator[page.Html]:
    """The transmit queues of the hosts that sent through several, in the last run."""
    both, _line, end = way.rpartition("_")
    wanted = (group, both or way, "all")
    runs = [run for run in result["runs"] if (run["group"], run["direction"], run["kind"]) == wanted]
    for host, nics in (runs[-1]["queues"] if runs else {}).items():
        sends = any(flow["server" if end == "down" else "client"] == host for flow in runs[-1]["flows"])
        for nic, numbers in nics.items():
            if sends and len(numbers) > 1:
                title = f"Bytes by transmit queue of {nic} of {host}, last run{f' {when}' if when else ''}"
                yield page.tag("h4", title)
                yield charts.columns(title, numbers)


def _settings(result: Json, decided: Json | None) -> page.Section:
    parts = []
    for host, rows in (decided or {}).get("differences", {}).items():
        parts.append(
            page.details(f"{host}: {len(rows)} settings differ", page.code("\n".join(rows), copy=False), open_=True)
        )
    for host, facts in result["hosts"].items():
        parts.append(page.details(host, page.code("\n".join(_lines(facts)), copy=False)))
    return page.Section("settings", "Settings in force", page.join(parts), "As they were during the last measurement.")


def _lines(content: Json, indent: str = "") -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}"


def _about(result: Json) -> page.Section:
    pairs = [(key, value) for key, value in result["options"].items() if value not in (None, "", {})]
    return page.Section(
        "options", "How it was measured", page.facts([("label", result["label"]), ("ended", result["ended"]), *pairs])
    )
