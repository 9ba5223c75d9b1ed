# SPDX-License-Identifier: GPL-3.0-or-later
"""Make one result of what all hosts brought home: the runs as they were measured, and the figures of each group."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..results import OLD, too_old
from . import bottleneck, files, foreign
from .figures import Figure, asymmetry, fairness, figure, round_trips

Json = dict[str, Any]

_BOTH = "both_"
FORMAT, VERSION = "linuxnet.tuning measurement", 1


class ResultError(ValueError):
    """What is there is no whole measurement; the text says what is missing."""


def make(
    plan: Json, checked: Mapping[str, Json], started: Mapping[str, Json], collected: Mapping[str, Json], about: Json
) -> Json:
    """The result, as docs/benchmark.md describes it. `about` has label, begun, options and collection."""
    runs = [_run(step, collected, plan, checked) for step in plan["steps"]]
    hosts = {host: _host(checked[host], started[host]) for host in sorted(plan["hosts"])}
    held = {group["name"]: files.about(group, plan["steps"], plan["options"], checked) for group in plan["groups"]}
    groups = [{**group, **({"files": held[group["name"]]} if held[group["name"]] else {})} for group in plan["groups"]]
    return {
        "format": FORMAT,
        "version": VERSION,
        **about,
        "hosts": hosts,
        "groups": {group["name"]: _group(group, runs, hosts, plan["options"]) for group in groups},
        "runs": runs,
    }


def _group(group: Json, runs: Sequence[Json], hosts: Json, options: Json) -> Json:
    """The entry of a group with what its runs say."""
    own = [run for run in runs if run["group"] == group["name"]]
    others = foreign.summary(own)
    found = {**group, "figures": _figures(own), "bottlenecks": bottleneck.find(own, hosts, options)}
    # A group that is merged has the load of its first part only.
    found.pop("foreign", None)
    return {**found, **({"foreign": others} if others else {})}


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
        name: _group({**group, "name": name}, runs, last["hosts"], last["options"])
        for name, group in last["groups"].items()
    }
    repeat = max((run["repeat"] for run in runs), default=0)
    return {**last, "options": {**last["options"], "repeat": repeat}, "groups": groups, "runs": runs}


# What the module returns in each state when all went well.
_DONE = {"checked": "nics", "started": "unit", "collected": "steps"}


def absent(
    plan: Json, answers: Mapping[str, Any], state: str = "checked", hints: Mapping[str, str] | None = None
) -> list[str]:
    """The hosts of the plan that did not answer to this state of the module as they should, each with the reason.

    `hints` tell by host where else to look when it has not reached another one.
    """
    return [
        f"{host} ({_reason(answers.get(host), (hints or {}).get(host, ''))})"
        for host in sorted(plan["hosts"])
        if _DONE[state] not in (answers.get(host) or {})
    ]


def _reason(answer: Any, hint: str) -> str:
    if not answer:
        return "it is not in the play, or cannot be reached"
    said = OLD if too_old(answer) else " ".join(str(answer.get("msg", "it does not say why")).split())
    return said + (hint if re.search(r"cannot be reached|did not end within", said) else "")


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


def _run(step: Json, collected: Mapping[str, Json], plan: Json, checked: Mapping[str, Json]) -> Json:
    gate = next(group["gate"] for group in plan["groups"] if group["name"] == step["group"])
    counting = dict.fromkeys([gate, *(flow["server"] for flow in step["flows"] if "server" in flow)])
    queues: dict[str, Json] = {
        host: collected[host]["queues"][step["id"]]
        for host in counting
        if step["id"] in collected[host].get("queues", {})
    }
    flows, seen, probes = [], dict[str, int](), list[Json]()
    for flow in step["flows"]:
        client = flow["client"]
        part = collected[client]["steps"].get(step["id"])
        if part is None:
            raise ResultError(f"{client} has brought no result of step {step['id']}")
        if part.get("queues"):
            queues[client] = part["queues"]
        number = seen.get(client, 0)
        seen[client] = number + 1
        measured = part["fio"] if step["kind"] == "fio" else {} if step["kind"] == "idle" else part["runs"][number]
        probe = part["probes"][number] if part.get("probes") else None
        probes += [probe] if probe else []
        latency = {"latency": round_trips(probe["microseconds"], probe["sent"])} if probe else {}
        ends = {key: flow[key] for key in ("client", "server") if key in flow}
        more = _way(flow, step, collected, plan, checked) if step["kind"] == "all" else {}
        flows.append({**ends, **measured, **latency, **more})
    kept = {key: step[key] for key in ("id", "group", "kind", "repeat", "direction")}
    run: Json = {**kept, "flows": flows, "queues": queues, "cpu_seconds": _processors(step, collected)}
    moved = {
        host: {key: value for key, value in collected[host]["moved"][step["id"]].items() if key not in _WORKED_OUT}
        for host in dict.fromkeys(flow[end] for flow in step["flows"] for end in ("client", "server") if end in flow)
        if step["id"] in collected[host].get("moved", {})
    }
    run.update({"moved": moved} if moved else {})
    others = foreign.find(step, collected, plan["options"], checked)
    run.update({"foreign": others} if others else {})
    # What is left out at the beginning is work as well.
    run["seconds"] = plan["options"]["duration"] + plan["options"]["omit"]
    if probes:
        times = [time for probe in probes for time in probe["microseconds"]]
        run["latency"] = round_trips(times, sum(probe["sent"] for probe in probes))
    return run


# What is in the result in another form.
_WORKED_OUT = ("streams", "load")


def _way(
    flow: Json, step: Json, collected: Mapping[str, Json], plan: Json, checked: Mapping[str, Json]
) -> dict[str, Json]:
    """The NICs of a pair, and by direction TCP's account of its streams, as the host told that sent them."""
    addresses, port = plan.get("addresses", {}), plan["options"]["port"] + flow["port"]
    ends = {"client": flow["client"], "server": flow["server"]}
    others = {"client": addresses.get(flow["server"], ""), "server": addresses.get(flow["client"], "")}
    nics = {end: checked.get(host, {}).get("ways", {}).get(others[end]) for end, host in ends.items()}
    found: dict[str, Json] = {"nics": {end: nic for end, nic in nics.items() if nic}}
    told = {}
    for way, end, key in (("up", "client", "remote"), ("down", "server", "local")):
        seen = collected[ends[end]].get("moved", {}).get(step["id"], {})
        streams = [one for one in seen.get("streams", ()) if one[key] == port]
        # A name in the inventory tells no address. It does not have to, unless one client has several servers.
        mine = [one for one in streams if one["peer"] == others[end]] or streams
        if mine and way in (("up", "down") if step["direction"] == "both" else (step["direction"],)):
            told[way] = {
                name: round(statistics.fmean(one[name] for one in mine), 3)
                for name in mine[0]
                if name not in ("peer", "local", "remote") and all(name in one for one in mine)
            }
            told[way]["seconds"] = seen["seconds"]
    return {key: value for key, value in {**found, "tcp": told}.items() if value}


def _processors(step: Json, collected: Mapping[str, Json]) -> Json:
    """Seconds that the processors of each host were at work, where it has told."""
    found = {}
    for host in dict.fromkeys(flow[end] for flow in step["flows"] for end in ("client", "server") if end in flow):
        own = collected[host]["steps"].get(step["id"], {}).get("cpu_seconds")
        seconds = own if own is not None else collected[host].get("cpu_seconds", {}).get(step["id"])
        found.update({} if seconds is None else {host: seconds})
    return found


def _figures(runs: Sequence[Json]) -> Json:
    """By direction: sum, minimum, fairness and so on; and what both directions say about each pair."""
    directions = dict.fromkeys(
        (_meanwhile(run), way)
        for run in runs
        if run["kind"] in ("all", "fio")
        for flow in run["flows"]
        for way in flow["bits_per_second"]
    )
    figures: Json = {
        f"{prefix}{way}": dict(_one_way([run for run in runs if _meanwhile(run) == prefix], way))
        for prefix, way in directions
    }
    for way in dict.fromkeys(run["direction"] for run in runs if "latency" in run):
        figures.setdefault(way, {}).update(_latency([run for run in runs if run["direction"] == way]))
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
    yield from _small_figures(runs, way)
    yield from _cost(runs, way)
    names = [_name(flow) for flow in together[0]]
    yield "flows", {name: _of_flow(together, name, way) for name in names}


def _small_figures(runs: Sequence[Json], way: str) -> Iterator[tuple[str, Any]]:
    """Loss and jitter of UDP at the rate that was requested, how many small packets arrive, TCP's own round trip."""
    for name, key, kinds, whole in (
        ("loss", "lost_percent", ("udp", "all"), statistics.fmean),
        ("jitter", "jitter_ms", ("udp", "all"), statistics.fmean),
        ("packets", "packets_per_second", ("packets",), sum),
        ("tcp_rtt", "tcp_rtt_ms", ("all",), statistics.fmean),
    ):
        for kind in kinds:
            rows = [[flow.get(key, {}).get(way) for flow in flows] for flows in _repeats(runs, way, (kind,))]
            if rows and all(value is not None for row in rows for value in row):
                yield name, figure([whole(row) for row in rows])
                break


def _cost(runs: Sequence[Json], way: str) -> Iterator[tuple[str, Any]]:
    """Seconds of processor time for each gigabit, of the clients together and of the servers together."""
    ours = [run for run in runs if run["kind"] == "all" and len(run["flows"][0]["bits_per_second"]) == 1]
    ours = [run for run in ours if way in run["flows"][0]["bits_per_second"]]
    for end in ("client", "server"):
        spent: dict[int, list[float]] = {}
        for run in ours:
            hosts = {flow[end] for flow in run["flows"]}
            told = run.get("cpu_seconds", {})
            moved = sum(flow["bits_per_second"][way] for flow in run["flows"]) * run.get("seconds", 0) / 1e9
            if not hosts <= set(told):
                return
            row = spent.setdefault(run["repeat"], [0.0, 0.0])
            row[0] += sum(told[host] for host in hosts)
            row[1] += moved
        if spent and all(moved for _seconds, moved in spent.values()):
            yield f"cpu_per_gigabit_{end}", figure([seconds / moved for seconds, moved in spent.values()])


def _latency(runs: Sequence[Json]) -> Json:
    """Of the probes of all pairs, percentiles and the share that did not come back; of several rounds the mean."""
    found: Json = {}
    rounds: dict[int, list[Json]] = {}
    for run in runs:
        if "latency" in run:
            rounds.setdefault(run["repeat"], []).append(run)
    prefix = "idle" if runs[0]["direction"] == "idle" else "latency"
    for word in ("median", "p95", "p99", "lost_percent"):
        rows = [[run["latency"].get(word) for run in ours] for ours in rounds.values()]
        # Where no probe comes back at all there is nothing to say of how long they take.
        if all(value is not None for row in rows for value in row):
            found[f"{prefix}_{_SHORT.get(word, word)}"] = figure([statistics.fmean(row) for row in rows])
    flows = [[flow for run in ours for flow in run["flows"]] for ours in rounds.values()]
    if all("p99" in flow["latency"] for row in flows for flow in row):
        names = dict.fromkeys(_name(flow) for flow in flows[0])
        found[f"{prefix}_flows"] = {
            name: figure([flow["latency"]["p99"] for row in flows for flow in row if _name(flow) == name])
            for name in names
        }
    return found


# How a share of probes without an answer is called as a figure.
_SHORT = {"lost_percent": "lost"}


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
