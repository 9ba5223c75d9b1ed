# SPDX-License-Identifier: GPL-3.0-or-later
"""Make one result of what all hosts brought home: the runs as they were measured, and the figures of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .figures import Figure, asymmetry, fairness, figure

Json = dict[str, Any]

_BOTH = "both_"
FORMAT, VERSION = "linuxnet.tuning measurement", 1


class ResultError(ValueError):
    """What is there is no whole measurement; the text says what is missing."""


def make(
    plan: Json, checked: Mapping[str, Json], started: Mapping[str, Json], collected: Mapping[str, Json], about: Json
) -> Json:
    """The result, as docs/benchmark.md describes it. `about` has label, begun, options and collection."""
    runs = [_run(step, collected, plan) for step in plan["steps"]]
    return {
        "format": FORMAT,
        "version": VERSION,
        **about,
        "hosts": {host: _host(checked[host], started[host]) for host in sorted(plan["hosts"])},
        "groups": {
            group["name"]: {**group, "figures": _figures([run for run in runs if run["group"] == group["name"]])}
            for group in plan["groups"]
        },
        "runs": runs,
    }


def check(result: Any, where: str) -> Json:
    """A saved result; ResultError for anything else, and for a version that is not ours."""
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise ResultError(f"{where} is no result of the playbook linuxnet.tuning.benchmark")
    if result.get("version") != VERSION:
        raise ResultError(
            f"{where} has version {result.get('version')} of the format, and this collection reads {VERSION}"
        )
    return result


def merge(results: Sequence[Json]) -> Json:
    """One result of several that measured the same: all their runs, with the settings and the end of the last one."""
    runs: list[Json] = []
    for one in results:
        done = max((run["repeat"] for run in runs), default=0)
        runs += [{**run, "repeat": run["repeat"] + done} for run in one["runs"]]
    last = results[-1]
    groups = {
        name: {**group, "figures": _figures([run for run in runs if run["group"] == name])}
        for name, group in last["groups"].items()
    }
    repeat = max((run["repeat"] for run in runs), default=0)
    return {**last, "options": {**last["options"], "repeat": repeat}, "groups": groups, "runs": runs}


# What the module returns in each state when all went well.
_DONE = {"checked": "nics", "started": "unit", "collected": "steps"}


def absent(plan: Json, answers: Mapping[str, Any], state: str = "checked") -> list[str]:
    """The hosts of the plan that did not answer to this state of the module as they should, each with the reason."""
    return [
        f"{host} ({_reason(answers.get(host))})"
        for host in sorted(plan["hosts"])
        if _DONE[state] not in (answers.get(host) or {})
    ]


def _reason(answer: Any) -> str:
    if not answer:
        return "it is not in the play, or cannot be reached"
    return " ".join(str(answer.get("msg", "it does not say why")).split())


def _host(checked: Json, started: Json) -> Json:
    """The settings in force, without the limits that do not change from one run to the next."""
    nics = {name: _settings(facts) for name, facts in checked["nics"].items()}
    kept = {key: checked[key] for key in ("kernel", "iperf3", "sysctl")}
    return {**kept, "nics": nics, "firewall": started["firewall"]}


def _settings(facts: Json) -> Json:
    keep = ("driver", "driver_version", "firmware_version", "speed", "mtu", "txqueuelen", "qdisc")
    no_setting = ("mapping_holds",)
    settings: Json = {key: facts[key] for key in keep if key in facts}
    for family, keys in facts.items():
        if isinstance(keys, dict) and family not in ("missing", "pcie"):
            cells = {key: cell for key, cell in keys.items() if isinstance(cell, dict) and key not in no_setting}
            settings[family] = {key: cell["value"] for key, cell in cells.items()}
    return settings


def _run(step: Json, collected: Mapping[str, Json], plan: Json) -> Json:
    gate = next(group["gate"] for group in plan["groups"] if group["name"] == step["group"])
    counting = dict.fromkeys([gate, *(flow["server"] for flow in step["flows"] if "server" in flow)])
    queues: dict[str, Json] = {
        host: collected[host]["queues"][step["id"]]
        for host in counting
        if step["id"] in collected[host].get("queues", {})
    }
    flows, seen = [], dict[str, int]()
    for flow in step["flows"]:
        client = flow["client"]
        part = collected[client]["steps"].get(step["id"])
        if part is None:
            raise ResultError(f"{client} has brought no result of step {step['id']}")
        if part.get("queues"):
            queues[client] = part["queues"]
        number = seen.get(client, 0)
        seen[client] = number + 1
        measured = part["fio"] if step["kind"] == "fio" else part["runs"][number]
        flows.append({**{key: flow[key] for key in ("client", "server") if key in flow}, **measured})
    kept = {key: step[key] for key in ("id", "group", "kind", "repeat", "direction")}
    return {**kept, "flows": flows, "queues": queues}


def _figures(runs: Sequence[Json]) -> Json:
    """By direction: sum, minimum, fairness and so on; and what both directions say about each pair."""
    directions = dict.fromkeys(
        (_meanwhile(run), way) for run in runs for flow in run["flows"] for way in flow["bits_per_second"]
    )
    figures: Json = {
        f"{prefix}{way}": dict(_one_way([run for run in runs if _meanwhile(run) == prefix], way))
        for prefix, way in directions
    }
    ways = ("up", "down") if "up" in figures and "down" in figures else (f"{_BOTH}up", f"{_BOTH}down")
    if all(way in figures for way in ways):
        up, down = (figures[way]["flows"] for way in ways)
        figures["asymmetry"] = {
            name: asymmetry(up[name]["median"], down[name]["median"]) for name in up if name in down
        }
    return figures


def _meanwhile(run: Json) -> str:
    """In front of the direction where the other one was in use at the same time, which is another figure."""
    return _BOTH if run["direction"] == "both" else ""


def _one_way(runs: Sequence[Json], way: str) -> Iterator[tuple[str, Any]]:
    together = _repeats(runs, way, ("all", "fio"))
    rates = [[flow["bits_per_second"][way] for flow in flows] for flows in together]
    yield "sum", figure([sum(row) for row in rates])
    yield "minimum", figure([min(row) for row in rates])
    yield "fairness", figure([fairness(row) for row in rates])
    alone = _repeats(runs, way, ("single",))
    if alone:
        yield "single", figure([flows[0]["bits_per_second"][way] for flows in alone])
    if all("retransmits" in flow for flows in together for flow in flows):
        yield "retransmits", figure([sum(flow["retransmits"].get(way, 0) for flow in flows) for flows in together])
    if all("cpu" in flow for flows in together for flow in flows):
        for end in ("client", "server"):
            yield f"cpu_{end}", figure([sum(flow["cpu"][end] for flow in flows) for flows in together])
    names = [_name(flow) for flow in together[0]]
    yield "flows", {name: _of_flow(together, name, way) for name in names}


def _repeats(runs: Sequence[Json], way: str, kinds: Sequence[str]) -> list[list[Json]]:
    """The flows of each repetition, all rounds together."""
    found: dict[int, list[Json]] = {}
    for run in runs:
        if run["kind"] in kinds and run["flows"] and way in run["flows"][0]["bits_per_second"]:
            found.setdefault(run["repeat"], []).extend(run["flows"])
    return [found[repeat] for repeat in sorted(found)]


def _of_flow(together: Sequence[Sequence[Json]], name: str, way: str) -> Figure:
    return figure([flow["bits_per_second"][way] for flows in together for flow in flows if _name(flow) == name])


def _name(flow: Json) -> str:
    return f"{flow['client']} - {flow['server']}" if "server" in flow else str(flow["client"])
