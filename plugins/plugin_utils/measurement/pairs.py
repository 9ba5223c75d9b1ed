# SPDX-License-Identifier: GPL-3.0-or-later
"""Each pair of a measurement with what was seen of it: both ends, TCP's account of its streams, and its neighbours.

All runs of one direction are taken together; counters are sums, and rates and round trips are medians.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

Json = dict[str, Any]

# Drivers whose speed is made up.
_SPEEDLESS = ("veth", "tun")


class End(NamedTuple):
    """One end of a pair: its host and NIC, and all that moved there in the runs together.

    `speed` is in bits per second, 0 where nobody knows. `processors` have seconds by number: at work, of these for
    interrupts, and taken away by a hypervisor. `process` is the share of a processor that iperf3 used, `queues` the
    bytes that each transmit queue has sent.
    """

    host: str
    nic: str
    speed: float
    counters: Json
    qdiscs: list[Json]
    protocols: Json
    softnet: Json
    processors: dict[str, list[float]]
    process: float
    queues: list[int]

    @property
    def where(self) -> str:
        return f"{self.nic} of {self.host}" if self.nic else self.host


class Pair(NamedTuple):
    """One pair in one direction, in bits per second and seconds.

    `tcp` has shares of the time, `trips` the round trips without and under load in ms, `rates` what the sender got to
    each of its receivers. `requested` is the rate that was to be reached; 0 for as fast as it goes.
    """

    sender: End
    receiver: End
    rate: float
    seconds: float
    retransmits: int
    tcp: Json
    trips: tuple[float, float] | None
    rates: dict[str, float]
    requested: float


def pairs_of(
    own: Sequence[Json], runs: Sequence[Json], way: str, hosts: Json, options: Json
) -> dict[tuple[str, str], Pair]:
    """By sender and receiver: each pair of `own` runs in one way (up, down); `runs` are all, those without load too."""
    ends = ("client", "server") if way == "up" else ("server", "client")
    flows: dict[tuple[str, str], list[tuple[Json, Json]]] = {}
    for run in own:
        for flow in run["flows"]:
            if way in flow.get("bits_per_second", {}):
                flows.setdefault((flow[ends[0]], flow[ends[1]]), []).append((run, flow))
    rates = {names: median(flow["bits_per_second"][way] for _run, flow in rows) for names, rows in flows.items()}
    found = {}
    for names, rows in flows.items():
        sender, receiver = (_end(name, end, rows, hosts) for name, end in zip(names, ends, strict=True))
        tcp = [flow["tcp"][way] for _run, flow in rows if way in flow.get("tcp", {})]
        others = {other: rate for (name, other), rate in rates.items() if name == names[0]}
        found[names] = Pair(
            sender,
            receiver,
            rates[names],
            sum(run.get("seconds", 0) for run, _flow in rows) or 1,
            sum(flow.get("retransmits", {}).get(way, 0) for _run, flow in rows),
            _mean(tcp),
            _trips(rows, runs),
            others,
            _requested(options),
        )
    return found


def _mean(tcp: Sequence[Json]) -> Json:
    """TCP's account as shares of the time until it was looked at."""
    keys = {"busy_ms": "busy", "receiver_ms": "receiver", "buffer_ms": "buffer"}
    whole = [one for one in tcp if one.get("seconds") and "busy_ms" in one]
    if not whole:
        return {}
    return {name: min(fmean(one[key] / 1000 / one["seconds"] for one in whole), 1.0) for key, name in keys.items()}


def _trips(rows: Sequence[tuple[Json, Json]], runs: Sequence[Json]) -> tuple[float, float] | None:
    """The 99th percentile of round trips without and under load, in ms."""
    names = {(flow["client"], flow["server"]) for _run, flow in rows}
    loaded = [flow["latency"]["p99"] for _run, flow in rows if "p99" in flow.get("latency", {})]
    idle = [
        flow["latency"]["p99"]
        for run in runs
        if run["kind"] == "idle"
        for flow in run["flows"]
        if (flow["client"], flow["server"]) in names and "p99" in flow.get("latency", {})
    ]
    return (median(idle), median(loaded)) if idle and loaded else None


def _end(name: str, end: str, rows: Sequence[tuple[Json, Json]], hosts: Json) -> End:
    nic = next((flow["nics"][end] for _run, flow in rows if end in flow.get("nics", {})), "")
    told = [run["moved"][name] for run, _flow in rows if name in run["moved"]]
    settings = hosts.get(name, {}).get("nics", {}).get(nic, {})
    speed = settings.get("speed") or 0
    processes = [flow["cpu"][end] for _run, flow in rows if "cpu" in flow]
    queues: list[int] = []
    for run, _flow in rows:
        sent = run.get("queues", {}).get(name, {}).get(nic, [])
        queues = [one + two for one, two in zip(queues, sent)] if len(queues) == len(sent) else list(sent)
    return End(
        name,
        nic,
        0.0 if settings.get("driver") in _SPEEDLESS or not isinstance(speed, (int, float)) else speed * 1e6,
        _sum(one.get("nics", {}).get(nic, {}) for one in told),
        _standing([one.get("qdiscs", {}).get(nic, []) for one in told]),
        _sum(one.get("protocols", {}) for one in told),
        _sum(one.get("softnet", {}) for one in told),
        _processors([one.get("processors", {}) for one in told]),
        fmean(processes) / 100 if processes else 0.0,
        queues,
    )


def _sum(rows: Any) -> Json:
    found: Json = {}
    for row in rows:
        for key, number in row.items():
            found[key] = found.get(key, 0) + number
    return found


def _processors(rows: Sequence[Json]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in rows:
        for number, seconds in row.items():
            found[number] = [one + two for one, two in zip(found.get(number, [0.0] * len(seconds)), seconds)]
    return found


def _standing(told: Sequence[Sequence[Json]]) -> list[Json]:
    """Each queueing discipline with its counts of all runs, and what stood in it in the middle of one."""
    found: dict[tuple[str, str, str], Json] = {}
    for rows in told:
        for row in rows:
            where = (row["nic"], row["kind"], row["place"])
            one = found.setdefault(where, {"dropped": 0, "overlimits": 0, "backlog": 0})
            for key in one:
                one[key] += row.get(key, 0)
    return [
        {"nic": nic, "kind": kind, "place": where, **one, "backlog": one["backlog"] // max(len(told), 1)}
        for (nic, kind, where), one in found.items()
    ]


_SIZES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def _requested(options: Json) -> float:
    """The rate of a pair that was requested, in bits per second; 0 for as fast as it goes."""
    match = re.match(r"([\d.]+)([kmgt]?)", str(options.get("bitrate") or "").lower())
    return float(match[1]) * _SIZES[match[2]] * int(options.get("parallel") or 1) if match else 0.0
