# SPDX-License-Identifier: GPL-3.0-or-later
"""Take apart what `site` would change into steps, and lead a proof through them: what comes next, what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import yaml

from ..layers import LAYERS
from ..measurement import order
from ..measurement.result import ResultError
from ..plain import plain
from . import units

Json = dict[str, Any]

# Hosts go from one state to another, and confirm it.
_SWITCH = 30
# A host goes back by itself where nobody has come so long after the end of a turn.
_LATE = 120
# What resets links, in the order in which a call makes it; and what stands on the queues that are there by then.
_SLOW = (
    "pci",
    "private_flags",
    "devlink",
    "sriov",
    "mtu",
    "channels",
    "ring",
    "module",
    "phy",
    "fec",
    "eee",
    "speed",
    "pause",
)
_ON_QUEUES = ("rss", "ntuple_rules", "qdisc", "multiq", "napi", "interrupts", "routes")


def make(hostvars: Mapping[str, Any], tuned: Sequence[str]) -> list[Json]:
    """The steps in their order, of what each host has answered in check mode; ResultError where one has not."""
    _check(hostvars, tuned)
    found: dict[str, dict[str, list[Json]]] = {}
    for host in sorted(tuned):
        for unit, change in _changes(hostvars[host]["tune_result"]):
            found.setdefault(unit, {}).setdefault(host, []).append(change)
    names = sorted(found, key=lambda name: _rank(name, "channels" in found))
    return [
        {"name": name, "hosts": found[name], "lines": _lines(hostvars, name, sorted(found[name]))} for name in names
    ]


def _check(hostvars: Mapping[str, Any], tuned: Sequence[str]) -> None:
    for host in tuned:
        told = hostvars[host].get("tune_result") or {}
        if told.get("failed") or told.get("unreachable") or "diff" not in told:
            why = " ".join(str(told.get("msg") or "no answer").split())
            raise ResultError(f"prove_each: {host} cannot say what it would change: {why}")
        if hostvars[host].get("tuning_state") == "restored":
            raise ResultError(f"prove_each: {host} is to be restored, which is done at once and not one by one")


def _changes(told: Json) -> Iterator[tuple[str, Json]]:
    old = {row[:3]: row[3] for row in units.in_state(told["diff"].get("before", {}))}
    new = {row[:3]: row[3] for row in units.in_state(told["diff"].get("after", {}))}
    for unit, nic, key in {**new, **old}:
        where = (unit, nic, key)
        yield unit, {"nic": nic, "key": key, "before": plain(old.get(where)), "after": plain(new.get(where))}


def _rank(name: str, channels: bool) -> tuple[int, int, str]:
    """What is quick goes first, since it has to go back and forth; what needs the queues comes after them."""
    if name in _ON_QUEUES and (channels or name == "routes"):
        return 2, _ON_QUEUES.index(name), name
    if name in _SLOW or name.startswith("module "):
        return 1, _SLOW.index(name) if name in _SLOW else -1, name
    return 0, 0, name


def _lines(hostvars: Mapping[str, Any], unit: str, hosts: Sequence[str]) -> list[str]:
    """Where the inventory asks for it, and with which lines; and what a profile is overridden with."""
    found: dict[str, list[str]] = {}
    for host in hosts:
        variables = hostvars[host]
        for option in ("nics", "sysctl", "module_parameters"):
            for name in (f"tune_{option}", *(layer.format(option) for layer in LAYERS)):
                value = variables.get(name)
                entries = [value] if option == "nics" and isinstance(value, Mapping) else value
                for mine in units.within({option: plain(entries)}, unit) if entries else ():
                    found.setdefault(f"{name}: {_flow(mine)}", []).append(host)
        profile = variables.get("tune_profile") or variables.get("tuning_profile")
        if profile:
            words = ", ".join(profile) if isinstance(profile, list) else profile
            text = f"of the profile {words}, if it sets that: lines of your own override it"
            found.setdefault(text, []).append(host)
    return [f"{text}  # {', '.join(on)}" for text, on in found.items()]


def _flow(value: Any) -> str:
    return str(yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6)).strip()


def coming(plan: Json, steps: Sequence[Json], history: Sequence[Json], budget: Json) -> Json:
    """The next step: what each side leaves out, in which order it is measured, and until when.

    Where there is no time to see anything of it, `skipped` tells so. ResultError where that is so from the start.
    """
    try:
        whole, elapsed, temporary = (float(budget[key]) for key in ("seconds", "elapsed", "temporary"))
    except (TypeError, ValueError):
        raise ResultError("prove_time and prove_seconds are numbers") from None
    step = steps[len(history)]
    kept = [entry["name"] for entry in history if entry["kept"]]
    made = order.make(plan, _would(steps, {*kept, step["name"]}), False, None, str(budget["alternate"]).lower())
    least = _to_first_look(plan, made["blocks"])
    left = whole - elapsed
    if left < least and not history:
        raise ResultError(
            f"prove_time: {whole:.0f} s is too short for {step['name']}, the first of {len(steps)} steps: each takes "
            f"about {least:.0f} s until something can be seen"
        )
    stretch = max(_stretches(plan, made["blocks"]))
    before = [one["name"] for one in steps if one["name"] not in kept]
    return {
        **step,
        "number": len(history) + 1,
        "of": len(steps),
        "without": {"before": before, "after": [name for name in before if name != step["name"]]},
        "stands": bool(kept),
        "blocks": made["blocks"],
        # The last turn of one step and the first of the next may be in the same state.
        "temporary": int(max(temporary, 2 * stretch + _SWITCH + _LATE)),
        # Each of those that are left has the same share, and no less than it takes to see anything.
        "seconds": max(left / (len(steps) - len(history)), least),
        "least": least,
        "left": left,
        "skipped": f"not tried, for of prove_time only {max(left, 0):.0f} s were left" if left < least else "",
    }


def _would(steps: Sequence[Json], names: set[str]) -> list[Json]:
    """What would be switched back and forth, as a call in check mode tells it."""
    found: dict[str, set[str]] = {}
    for step in steps:
        for host, changes in step["hosts"].items() if step["name"] in names else ():
            # Parameters of modules may need the module anew.
            slow = {step["name"]} if step["name"].startswith("module ") else set()
            found.setdefault(host, set()).update(slow, (one["key"].split()[0] for one in changes if one["nic"]))
    return [{"diff": {"after": {"nics": {"": dict.fromkeys(keys)}}}} for keys in found.values()]


def _to_first_look(plan: Json, blocks: Sequence[Json]) -> float:
    first = next((where for where, block in enumerate(blocks) if block["look"]), len(blocks) - 1)
    each = plan["busy"] / plan["options"]["repeat"]
    return float(sum(block["runs"] * each + _SWITCH for block in blocks[: first + 1]))


def _stretches(plan: Json, blocks: Sequence[Json]) -> Iterator[int]:
    """How long a state is in force at most."""
    for _side, together in groupby(blocks, lambda block: str(block["side"])):
        yield sum(order.seconds(plan, block["runs"]) for block in together)


def ended(step: Json, decided: Json, told: Mapping[str, Any], took: float) -> Json:
    """What came of a step: it goes back on all hosts where it harms one entry, for it belongs together."""
    entry = {"name": step["name"], "hosts": step["hosts"], "rows": [], "seconds": round(took), "kept": False}
    if step["skipped"]:
        return {**entry, "outcome": "not tried", "why": step["skipped"], "lines": []}
    refused = [host for host in step["hosts"] if (told[host].get("tune_result") or {}).get("failed")]
    if refused:
        words = [f"{host}: {' '.join(str(told[host]['tune_result'].get('msg', '')).split())}" for host in refused]
        return {**entry, "outcome": "refused", "why": "; ".join(words), "lines": step["lines"]}
    groups = decided["groups"]
    rows = [
        {**row, "group": name}
        for name, group in groups.items()
        for row in group["rows"]
        if row["figure"] == decided["figure"]
    ]
    kept = all(group["keep"] for group in groups.values())
    said = {row["outcome"] for row in rows} or {"worse"}
    outcome = next(word for word in ("worse", "better", "undecided") if word in said)
    why = "; ".join(dict.fromkeys(str(group["why"]) for group in groups.values()))
    lines = [] if kept else step["lines"]
    return {**entry, "rows": rows, "kept": kept, "outcome": outcome, "why": why, "lines": lines}


def best(history: Sequence[Json]) -> tuple[Json, Json] | None:
    """The step that has proved to help most, with its row."""
    found = [
        (abs(row["change"]), entry, row)
        for entry in history
        if entry["kept"]
        for row in entry["rows"]
        if row["outcome"] == "better"
    ]
    return max(found, key=lambda one: one[0])[1:] if found else None
