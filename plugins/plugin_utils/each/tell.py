# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell what is proved one by one, and what came of each step: lines for the terminal, a section for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import page
from ..measurement.table import aligned, between, say
from ..results import listed
from . import steps as leading

Json = dict[str, Any]

# So many settings of a step are named, the rest is a number.
_SHOWN = 6
_HEADS = ("step", "hosts", "figure", "before", "after", "change", "99 % interval", "verdict")
_TONES = {"worse": "high", "better": "good", "refused": "medium"}


def plan(steps: Sequence[Json], first: Json, aside: Mapping[str, Sequence[str]]) -> list[str]:
    """What would be taken one by one, in which order, and for how long each."""
    if not steps:
        return ["one by one: nothing would change", *_aside(aside)]
    enough = int(first["left"] / first["least"])
    return [
        f"one by one, {len(steps)} steps in this order, each for about {first['seconds'] / 60:.0f} min at most:",
        *(f"  {number}. {step['name']}: {'; '.join(settings(step))}" for number, step in enumerate(steps, 1)),
        *([_short(enough, first["least"] * len(steps))] if enough < len(steps) else []),
        *_aside(aside),
    ]


def _short(enough: int, seconds: float) -> str:
    """Not a fault: what is not tried is not set, and told."""
    number = "one of them" if enough == 1 else f"about {enough} of them"
    return f"prove_time is enough for {number}; all need about {-(-seconds // 60) * 60:.0f} s"


def _aside(aside: Mapping[str, Sequence[str]]) -> list[str]:
    """What is no part of it, by its tag in `site`."""
    words = {"tuned": "profiles of tuned", "bonds": "bonds"}
    return [
        f"{words[tag]} are left as they are, on {listed(hosts)}; site sets them with --tags {tag}"
        for tag, hosts in aside.items()
        if hosts
    ]


def settings(step: Json) -> list[str]:
    """Each setting with the old and the new value, and the hosts on which it is so."""
    found: dict[str, list[str]] = {}
    for host, changes in step["hosts"].items():
        for one in changes:
            key = f"{one['nic']} {one['key']}".strip()
            change = "" if one["before"] is None is one["after"] else f" {_say(one['before'])} to {_say(one['after'])}"
            found.setdefault(f"{key}{change}", []).append(host)
    rows = [f"{what} on {listed(hosts)}" for what, hosts in found.items()]
    return rows[:_SHOWN] + ([f"and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else " ".join(str(value).split())


def progress(step: Json) -> list[str]:
    """What comes now."""
    what = step["skipped"] or "; ".join(settings(step))
    return [f"step {step['number']} of {step['of']}, {step['name']}: {what}"]


def ending(history: Sequence[Json]) -> list[str]:
    """The table, which one helped most, and what to remove from the inventory."""
    table = [_HEADS, *(cells for entry in history for cells in _cells(entry))]
    found = [*aligned(table), ""]
    for entry in history:
        found.append(f"{entry['name']}: {'; '.join(settings(entry))}")
        found.append(f"  {verdict(entry)}: {entry['why']}")
    found += ["", sentence(history), *_untried(history)]
    back = [entry for entry in history if entry["lines"]]
    found += (
        ["", "What was rolled back is still in the inventory, and site would set it again. Remove:"] if back else []
    )
    return found + [f"  {entry['name']}: {line}" for entry in back for line in entry["lines"]]


def _cells(entry: Json) -> Iterator[Sequence[str]]:
    on = listed(list(entry["hosts"]), 3)
    if not entry["rows"]:
        yield (entry["name"], on, "", "", "", "", "", verdict(entry))
    several = len({row["group"] for row in entry["rows"]}) > 1
    for number, row in enumerate(entry["rows"]):
        what = f"{row['figure']} {row['direction']}" + (f" of {row['group']}" if several else "")
        old, new = (say(row["figure"], row[side]["median"]) for side in ("before", "after"))
        end = f"{row['outcome']}" + (f", {_fate(entry)}" if not number else "")
        head = (entry["name"], on) if not number else ("", "")
        yield (*head, what, old, new, f"{row['change']:+.1%}", between(row), end)


def verdict(entry: Json) -> str:
    """The outcome and what became of it, such as `better, kept`."""
    return f"{entry['outcome']}, {_fate(entry)}"


def _fate(entry: Json) -> str:
    if entry["outcome"] in ("not tried", "refused"):
        return "not set"
    return "kept" if entry["kept"] else "ROLLED BACK"


def sentence(history: Sequence[Json]) -> str:
    """Which step helped most."""
    found = leading.best(history)
    if not found:
        return "None of them has proved to help."
    entry, row = found
    others = sum(1 for one in history if one["kept"] and one["outcome"] == "better") - 1
    rest = f"; {others} more helped" if others else "; no other has proved to help"
    return f"{entry['name']} helped most: {row['figure']} {row['direction']} {row['change']:+.1%}{rest}."


def _untried(history: Sequence[Json]) -> list[str]:
    names = [entry["name"] for entry in history if entry["outcome"] == "not tried"]
    return [f"Not tried and not set, as prove_time was over: {', '.join(names)}. Give it more time."] if names else []


def section(history: Sequence[Json]) -> page.Section:
    """The same for the page of a proof."""
    rows = [
        (*cells[:-1], page.badge(cells[-1], _TONES.get(entry["outcome"], "") if entry["rows"] else "medium"))
        for entry in history
        for cells in _cells(entry)
    ]
    parts = [page.tag("p", sentence(history)), page.table(_HEADS, rows, numeric=(3, 4, 5, 6))]
    for entry in history:
        parts.append(page.tag("h3", f"{entry['name']}: {verdict(entry)}"))
        parts.append(page.tag("p", entry["why"], class_="lead"))
        parts.append(page.code("\n".join(settings(entry)), copy=False))
        if entry["lines"]:
            parts.append(page.tag("p", "Remove from the inventory:"))
            parts.append(page.code("\n".join(entry["lines"])))
    return page.Section("steps", "One by one", page.join(parts))
