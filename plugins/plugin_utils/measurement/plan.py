# SPDX-License-Identifier: GPL-3.0-or-later
"""Work out a measurement: who is server and client in which step, on which port, and for how long at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from .options import PlanError, typed

Json = dict[str, Any]
Pair = tuple[str, str]

# The words of an entry by topology: those that name one host, and those that name many.
TOPOLOGIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "many_to_one": (("server",), ("clients",)),
    "one_to_many": (("client",), ("servers",)),
    "one_to_one": ((), ("clients", "servers")),
    "all_pairs": ((), ("hosts",)),
}
# What an iperf3 run takes beside its own duration to connect and to exchange results: on a slow host, and at most.
_OVERHEAD = 8
_LIMIT = 20
# What a whole measurement takes beside, with the patience for its first step.
LEAD = 60
# A fio job first writes the files that it reads, at whatever speed the mount has.
_LAYOUT = 300
# Probes go while nothing else does for so long: enough for a 99th percentile, and hardly noticed in the time it takes.
_IDLE = 5
# Before and after its own duration iperf3 connects, and may have to try again; no probe is sent meanwhile.
_MARGIN = 1
# After this share of its duration a run is looked at, which the slowest host has then begun and not ended.
_LATE = 0.7
# The payload of the smallest packet that is measured: what a queue, an interrupt and a rule of a firewall cost counts
# for each packet, whatever its size.
SMALL = 64


@dataclass
class Group:
    """One entry: its pairs of (client, server) by round, and the host that keeps the gate."""

    name: str
    topology: str
    gate: str
    rounds: list[list[Pair]]

    @property
    def hosts(self) -> list[str]:
        return list(dict.fromkeys(host for pairs in self.rounds for pair in pairs for host in pair))

    @property
    def clients(self) -> list[str]:
        return list(dict.fromkeys(client for pairs in self.rounds for client, _server in pairs))


@dataclass
class Step:
    """Flows that run at the same time."""

    id: str
    group: str
    kind: str
    repeat: int
    direction: str
    flows: list[Json] = field(default_factory=list)


def make(
    entries: Sequence[Json], inventory: Mapping[str, Sequence[str]], addresses: Mapping[str, str], options: Json
) -> Json:
    """The whole plan as data: `groups`, `options`, `steps`, what the module gets on each of `hosts`, and two times.

    After `seconds` everything ends in any case; for `busy` seconds at least it is measured.
    """
    options = typed(options)
    groups = [_group(entry, inventory, number) for number, entry in enumerate(entries, 1)]
    if not groups:
        raise PlanError(
            "benchmark_groups is empty: name who measures with whom, such as "
            "benchmark_groups: [{server: router1, clients: room1}]"
        )
    _check_apart(groups)
    steps = [step for group in groups for step in _steps(group, options)]
    own = {group.name: [step for step in steps if step.group == group.name] for group in groups}
    hosts: dict[str, Json] = {}
    for group in groups:
        hosts.update(_hosts(group, own[group.name], addresses, options))
    seconds = max(_seconds(group, own[group.name], options) for group in groups)
    return {
        "groups": [
            {"name": group.name, "topology": group.topology, "hosts": group.hosts, "gate": group.gate}
            for group in groups
        ],
        "options": options,
        # What firewalls have to let through beside TCP.
        "protocol": "udp" if options["udp"] or options["packets"] else options["protocol"],
        "steps": [vars(step) for step in steps],
        "addresses": {host: addresses[host] for group in groups for host in group.hosts},
        "hosts": hosts,
        "seconds": seconds,
        "busy": max(sum(_duration(step, options) for step in found) for found in own.values()),
    }


def _group(entry: Json, inventory: Mapping[str, Sequence[str]], number: int) -> Group:
    topology = str(entry.get("topology", "many_to_one"))
    if topology not in TOPOLOGIES:
        raise PlanError(f"topology: {topology} is none of {', '.join(TOPOLOGIES)}")
    one, many = TOPOLOGIES[topology]
    unknown = set(entry) - {"name", "topology", *one, *many}
    absent = [word for word in (*one, *many) if not entry.get(word)]
    if unknown or absent:
        wrong = f"has no {', '.join(absent)}" if absent else f"does not know {', '.join(sorted(unknown))}"
        raise PlanError(f"entry {number} of benchmark_groups {wrong}; {topology} needs {' and '.join((*one, *many))}")
    named = {word: _members(entry[word], inventory) for word in (*one, *many)}
    for word in many:
        if not named[word]:
            raise PlanError(f"{word}: {entry[word]} has no hosts")
    for word in one:
        if len(named[word]) != 1:
            raise PlanError(f"{word}: {entry[word]} is {len(named[word])} hosts, and {topology} needs one")
    rounds = _rounds(topology, named)
    for client, server in (pair for pairs in rounds for pair in pairs):
        if client == server:
            raise PlanError(f"{client} cannot measure with itself; take it out of one side of entry {number}")
    gate = {"many_to_one": "server", "one_to_many": "client", "one_to_one": "servers", "all_pairs": "hosts"}[topology]
    return Group(str(entry.get("name") or _title(entry, one, many)), topology, named[gate][0], rounds)


def _title(entry: Json, one: Sequence[str], many: Sequence[str]) -> str:
    return " and ".join(
        value if isinstance(value, str) else ", ".join(value) for value in (entry[word] for word in (*one, *many))
    )


def _members(words: Any, inventory: Mapping[str, Sequence[str]]) -> list[str]:
    """The hosts that are meant by names of hosts and groups, each once."""
    found: dict[str, None] = {}
    for word in [words] if isinstance(words, str) else words:
        if word in inventory:
            found.update(dict.fromkeys(inventory[word]))
        elif word in inventory.get("all", ()):
            found[word] = None
        else:
            raise PlanError(f"the inventory has no host and no group '{word}'")
    return list(found)


def _rounds(topology: str, named: Mapping[str, list[str]]) -> list[list[Pair]]:
    if topology == "many_to_one":
        return [[(client, named["server"][0]) for client in named["clients"]]]
    if topology == "one_to_many":
        return [[(named["client"][0], server) for server in named["servers"]]]
    if topology == "all_pairs":
        return list(_tournament(named["hosts"]))
    clients, servers = named["clients"], named["servers"]
    if len(clients) != len(servers):
        raise PlanError(f"one_to_one needs as many clients as servers, not {len(clients)} and {len(servers)}")
    return [list(zip(clients, servers, strict=True))]


def _tournament(hosts: Sequence[str]) -> Iterator[list[Pair]]:
    """Everybody with everybody in as few rounds as possible; in a round each host has one partner at most."""
    if len(hosts) < 2:
        raise PlanError("all_pairs needs two hosts at least")
    ring: list[str] = [*hosts, *([""] if len(hosts) % 2 else [])]
    for _round in range(len(ring) - 1):
        half = len(ring) // 2
        pairs = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [(one, other) for one, other in pairs if one and other]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _check_apart(groups: Sequence[Group]) -> None:
    seen: dict[str, str] = {}
    names = [group.name for group in groups]
    for group in groups:
        if names.count(group.name) > 1:
            raise PlanError(
                f"two entries of benchmark_groups have the name '{group.name}'; give them names of their own"
            )
        for host in group.hosts:
            if host in seen:
                raise PlanError(
                    f"{host} is in '{seen[host]}' and in '{group.name}', which would disturb each other; "
                    "measure them in two runs"
                )
            seen[host] = group.name


def _steps(group: Group, options: Json) -> Iterator[Step]:
    for repeat in range(1, options["repeat"] + 1):
        if options["latency"]:
            yield _step(
                group, f"{repeat}-idle", "idle", repeat, "idle", [pair for pairs in group.rounds for pair in pairs]
            )
        for direction in options["directions"]:
            if options["single"]:
                yield _step(group, f"{repeat}-{direction}-single", "single", repeat, direction, group.rounds[0][:1])
            for number, pairs in enumerate(group.rounds, 1):
                for kind in ("all", *(kind for kind in ("udp", "packets") if options[kind])):
                    name = (
                        f"{repeat}-{direction}-{number}" if kind == "all" else f"{repeat}-{direction}-{number}-{kind}"
                    )
                    yield _step(group, name, kind, repeat, direction, pairs)
        if options.get("fio"):
            step = Step(f"{repeat}-fio", group.name, "fio", repeat, "fio")
            step.flows = [{"client": client} for client in group.clients]
            yield step


def _step(group: Group, name: str, kind: str, repeat: int, direction: str, pairs: Sequence[Pair]) -> Step:
    step = Step(name, group.name, kind, repeat, direction)
    taken: dict[str, int] = {}
    for client, server in pairs:
        taken[server] = taken.get(server, 0) + 1
        step.flows.append({"client": client, "server": server, "port": taken[server]})
    return step


def _duration(step: Step, options: Json) -> int:
    if step.kind == "fio":
        return int(options["fio"].get("runtime", 60)) + 10
    if step.kind == "idle":
        return min(_IDLE, int(options["duration"]))
    return int(options["duration"]) + int(options["omit"])


def _sample(step: Step, options: Json) -> float:
    """When to look at the queues and streams of a run: late enough for TCP to have come to what limits it."""
    return float(options["omit"] + _LATE * options["duration"]) if step.kind == "all" else 0.0


def _drop(step: Step, options: Json) -> Json:
    """Whether all hosts of the entry forget what they have of files: the one that has them on its disks too."""
    drops = step.kind == "fio" and boolean(options["fio"].get("drop_caches") or False)
    return {"drop_caches": True} if drops else {}


def _slack(step: Step) -> int:
    """What a step may take beside its duration at most."""
    return _LAYOUT if step.kind == "fio" else _LIMIT


def _overhead(step: Step) -> int:
    """What it takes, on a slow host."""
    return _LAYOUT if step.kind == "fio" else _OVERHEAD


def _hosts(group: Group, steps: Sequence[Step], addresses: Mapping[str, str], options: Json) -> dict[str, Json]:
    """The options of the module, by host."""
    gate = f"{addresses[group.gate]}:{options['port']}"
    comers = [host for host in group.hosts if host != group.gate or host in group.clients]
    hosts: dict[str, Json] = {}
    for host in group.hosts:
        servers = max((flow["port"] for step in steps for flow in step.flows if flow.get("server") == host), default=0)
        partners = [pair for pairs in group.rounds for pair in pairs if host in pair]
        peers = [addresses[other] for pair in partners for other in pair if other != host]
        own = [_part(step, host, gate, addresses, options) for step in steps] if host in comers else []
        last = [{"id": "end", "gate": gate, "limit": _LIMIT, "runs": []}] if host in comers else []
        hosts[host] = {
            "peers": list(dict.fromkeys([*peers, *([addresses[group.gate]] if host != group.gate else [])])),
            "servers": servers,
            "answers": bool(servers) and options["latency"],
            "comers": _comers(host, comers if host == group.gate else [], partners),
            "steps": own + last,
            "gate": _gate(steps, comers, options) if host == group.gate else [],
        }
    return hosts


def _comers(host: str, to_gate: Sequence[str], partners: Sequence[Pair]) -> list[str]:
    """Who connects to this host, and has to get past its firewall."""
    found = [*to_gate, *(client for client, server in partners if server == host)]
    return [other for other in dict.fromkeys(found) if other != host]


def _gate(steps: Sequence[Step], comers: Sequence[str], options: Json) -> list[Json]:
    found = []
    wait = options["patience"]
    for step in steps:
        clients = [flow["client"] for flow in step.flows]
        order = list(dict.fromkeys([*clients, *comers]))
        staggered = len(set(clients)) > 1
        one = {"id": step.id, "hosts": order, "limit": wait, "staggered": staggered, "sample": _sample(step, options)}
        if step.kind == "fio":
            # Before they come, they write the files that they read.
            one["limit"] += _LAYOUT
        found.append({**one, **_drop(step, options)})
        # Whoever comes to the next step has this one behind; it must not wait for longer than this one can take.
        wait = int(_duration(step, options) + _slack(step) + 10 + options["retries"] + options["stagger"] * len(order))
    return [*found, {"id": "end", "hosts": list(comers), "limit": wait, "staggered": False}]


def _part(step: Step, host: str, gate: str, addresses: Mapping[str, str], options: Json) -> Json:
    part: Json = {"id": step.id, "gate": gate, "limit": _duration(step, options) + _slack(step), "runs": []}
    part["sample"] = _sample(step, options)
    part.update(_drop(step, options))
    mine = [flow for flow in step.flows if flow["client"] == host]
    if step.kind == "fio" and mine:
        return {**part, "fio": {key: value for key, value in options["fio"].items() if key != "drop_caches"}}
    servers = [addresses[flow["server"]] for flow in mine]
    if step.kind == "idle":
        return {**part, "probe": {"servers": servers, "lead": 0, "seconds": _duration(step, options)}} if mine else part
    if step.kind == "all" and mine and options["latency"]:
        time = max(options["duration"] - 2 * _MARGIN, 1)
        part["probe"] = {"servers": servers, "lead": options["omit"] + _MARGIN, "seconds": time}
    words = ("protocol", "duration", "omit", "parallel", "window", "bitrate", "retries")
    own = {
        "udp": {"protocol": "udp", "bitrate": options["udp"], "parallel": None, "window": None},
        # As fast as it goes.
        "packets": {"protocol": "udp", "bitrate": "0", "length": SMALL, "parallel": None, "window": None},
    }.get(step.kind, {})
    common = {key: options[key] for key in words if options.get(key) is not None}
    common = {key: value for key, value in {**common, **own}.items() if value is not None}
    way = {"reverse": step.direction == "down", "bidirectional": step.direction == "both"}
    part["runs"] = [
        {**common, **way, "server": addresses[flow["server"]], "port": options["port"] + flow["port"]} for flow in mine
    ]
    return part


def _seconds(group: Group, steps: Sequence[Step], options: Json) -> int:
    """After so long everything ends in any case."""
    whole = options["patience"] + LEAD + len(steps) * options["stagger"] * len(group.hosts)
    return int(whole + sum(_duration(step, options) + _overhead(step) for step in steps))
