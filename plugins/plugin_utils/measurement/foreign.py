# SPDX-License-Identifier: GPL-3.0-or-later
"""Notice what others sent through the NICs of a measurement: what was counted there, less all that may be ours.

All that may be ours is more than what it is: each segment with the longest headers, what was sent again, probes, what
stood in queues before. So what is left was somebody else's, and it was as much at least. Where a stream had ended when
its account was to be read, nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

Json = dict[str, Any]

# Bytes of a segment beside its payload, with a VLAN tag, the checksum of the frame and time stamps.
_HEADERS, _LONGER = 74, 20
# What the probes of a pair take each way, in bits per second.
_PROBES = 50_000
# What is less disturbs no figure: of what the measurement itself carries, and in bits per second.
_SHARE, _LEAST = 0.05, 1e6

_WAYS = {"rx": ("received", "segments_in"), "tx": ("sent", "segments_out")}


def find(step: Json, collected: Mapping[str, Json], options: Json, checked: Mapping[str, Json]) -> list[Json]:
    """By `host`, `nic` and `direction` the `bits_per_second` of others until the middle of a step.

    Of UDP no host can tell what it has sent so far.
    """
    if step["kind"] != "all" or options["protocol"] == "udp":
        return []
    hosts = dict.fromkeys(flow[end] for flow in step["flows"] for end in ("client", "server"))
    told = {host: collected[host].get("moved", {}).get(step["id"], {}).get("load") for host in hosts}
    loads = {host: load for host, load in told.items() if load}
    waiting = {host: sum(one["waiting"] for one in load["passed"].values()) for host, load in loads.items()}
    # Of each pair, one on which both ends talk about the run, and the streams.
    connections = 1 + int(options.get("parallel") or 1) * (2 if step["direction"] == "both" else 1)
    found = []
    for host, load in loads.items():
        pairs = sum(host in (flow["client"], flow["server"]) for flow in step["flows"])
        if sum(row["connections"] for row in load["accounts"].values()) < pairs * connections:
            continue
        probes = _PROBES * pairs * bool(options.get("latency"))
        earlier = {"tx": waiting[host], "rx": sum(waiting.values()) - waiting[host]}
        rows = _of_host(load, checked.get(host, {}).get("ways", {}), probes, earlier)
        found += [{"host": host, **row} for row in rows]
    return found


def _of_host(load: Json, ways: Mapping[str, str], probes: float, earlier: Mapping[str, int]) -> Iterator[Json]:
    links, accounts = load["links"], load["accounts"]
    seconds = max(one["seconds"] for one in load["passed"].values())
    # A peer whose address the inventory does not name may be reached by any of them.
    of_peer = {peer: links.get(ways[peer], "") if peer in ways else "" for peer in accounts}
    for way, (payload, segments) in _WAYS.items():
        whole = {peer: _whole(peer, row[payload], row[segments]) for peer, row in accounts.items()}
        rest = _rest(load["passed"].values(), way, whole.values())
        for nic, passed in load["passed"].items():
            own = [peer for peer in accounts if of_peer[peer] in ("", nic)]
            carried = max(sum(accounts[peer][key] for peer in own) for key, _segments in _WAYS.values()) * 8 / seconds
            # What leaves by one NIC may come back by another one.
            left = min(rest, _rest([passed], way, [whole[peer] for peer in own])) - earlier[way]
            others = left * 8 / seconds - probes
            if carried and others >= max(_LEAST, _SHARE * carried):
                yield {"nic": nic, "direction": way, "bits_per_second": round(others)}


def _whole(peer: str, payload: int, segments: int) -> int:
    return payload + segments * (_HEADERS + (_LONGER if ":" in peer else 0))


def _rest(passed: Iterable[Json], way: str, ours: Iterable[int]) -> int:
    return int(sum(one[f"{way}_bytes"] for one in passed) - sum(ours))


def summary(runs: Sequence[Json]) -> list[Json]:
    """What the runs of a group say together: in how many of them, how much in the median of these, and at most."""
    own = [run for run in runs if run["kind"] == "all"]
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in own:
        for row in run.get("foreign", ()):
            found.setdefault((row["host"], row["nic"], row["direction"]), []).append(row["bits_per_second"])
    return [
        {
            **{"host": host, "nic": nic, "direction": way, "runs": len(rates), "of": len(own)},
            **{"bits_per_second": median(rates), "most": max(rates)},
        }
        for (host, nic, way), rates in found.items()
    ]


_WORDS = {"rx": "received", "tx": "sent"}
_BEFORE, _AFTER = "before", "after"


def compared(results: Sequence[tuple[str, Json]], name: str) -> list[Json]:
    """The same of all results of a proof: in how many runs `before` and `after`, of how many each."""
    own = {
        chosen: [run for side, one in results if side == chosen for run in one["runs"] if run["group"] == name]
        for chosen in (_BEFORE, _AFTER)
    }
    number = {side: sum(run["kind"] == "all" for run in runs) for side, runs in own.items()}
    found: dict[tuple[str, str, str], Json] = {}
    for side, runs in own.items():
        for row in summary(runs):
            where = {key: row[key] for key in ("host", "nic", "direction")}
            one = found.setdefault((row["host"], row["nic"], row["direction"]), {**where, "most": 0.0})
            one[side] = row["runs"]
            one["most"] = max(one["most"], row["most"])
    return [{**row, **{side: [row.get(side, 0), number[side]] for side in own}} for row in found.values()]


def where(row: Json) -> str:
    """Where it was, such as `eth0 of router1 received`."""
    return f"{row['nic']} of {row['host']} {_WORDS[row['direction']]}"
