# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what is worth trying on these hosts for a goal: only what their NICs and kernels have, and can change.

Each axis has values, the most promising first, and each value has entries for the hosts that it changes. Numbers come
from the machine: what a device states as its maximum, the processors, the speed of the link, the round trip measured.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils.tools import qdisc

Json = dict[str, Any]

GOALS = {"throughput": "sum", "fairness": "minimum", "latency": "latency_p99"}
# By goal, the axes in the order in which they are tried: what is most often the bottleneck of it comes first.
ORDER = {
    "throughput": (
        *("offloads", "buffers", "channels", "spread", "rings", "coalescing", "clients", "qdisc", "congestion"),
    ),
    "fairness": (
        *("clients", "qdisc", "channels", "congestion", "spread", "rings", "coalescing", "offloads", "buffers"),
    ),
    "latency": (
        *("qdisc", "congestion", "coalescing", "buffers", "rings", "offloads", "channels", "spread", "clients"),
    ),
}
ABOUT = {
    "offloads": "what the NIC does in the place of the processor",
    "buffers": "how much of a TCP stream may be on its way",
    "channels": "queues that packets are spread over",
    "spread": "processors that serve the queues",
    "rings": "packets that wait between NIC and kernel",
    "coalescing": "packets or time before an interrupt",
    "clients": "a transmit queue for each client",
    "qdisc": "the order in which packets leave",
    "congestion": "how TCP finds its speed",
}
# A full frame on the wire, with preamble and gap, in bits.
_FRAME = 1538 * 8
# One socket may hold this share of the memory at most.
_SHARE = 64


class Line(NamedTuple):
    """What the hosts have measured together before anything is tried: bits a second, and a round trip in seconds."""

    rate: float
    trip: float


class Here(NamedTuple):
    """A NIC of a host, and what matters to it."""

    host: str
    nic: str
    facts: Json
    whole: Json
    peers: Sequence[str]
    goal: str
    line: Line | None


# A value: its name, and what to write below the NIC, or as kernel parameters.
Value = tuple[str, Json, Json]


def nics(whole: Json, peers: Sequence[str]) -> list[str]:
    """The NICs of a host that lead to its peers, by the networks of its addresses; none where that is not known."""
    found: dict[str, None] = {}
    for peer in peers:
        best: tuple[int, Json] | None = None
        for item in whole.get("addresses", ()):
            try:
                network = ipaddress.ip_interface(item["address"]).network
                inside = ipaddress.ip_address(peer) in network
            except (ValueError, TypeError):
                continue
            if inside and (best is None or network.prefixlen > best[0]):
                best = network.prefixlen, item
        if best:
            found.update(dict.fromkeys(best[1].get("hardware") or [best[1]["nic"]]))
    return list(found)


def make(
    facts: Mapping[str, Json],
    peers: Mapping[str, Sequence[str]],
    goal: str,
    line: Line | None,
    only: Sequence[str] = (),
) -> list[Json]:
    """The axes with their values in the order of the goal. `facts` are those of nic_info, by host."""
    found: list[Json] = []
    for name in ORDER[goal]:
        if only and name not in only:
            continue
        values: dict[str, Json] = {}
        for host, read in facts.items():
            for nic, about in read["nics"].items():
                here = Here(host, nic, about, read["host"], peers.get(host, ()), goal, line)
                for label, keys, parameters in _MAKERS[name](here):
                    entry = values.setdefault(label, {}).setdefault(host, {"nics": [], "sysctl": {}})
                    entry["nics"] += [{"name": nic, **keys}] if keys else []
                    entry["sysctl"].update(parameters)
        if values:
            found.append({"name": name, "about": ABOUT[name], "values": values})
    return found


def _value(facts: Json, family: str, key: str, what: str = "value") -> Any:
    """One value, or nothing where the NIC does not have it, or cannot change it."""
    cell = facts.get(family, {}).get(key)
    return None if not isinstance(cell, dict) or cell.get("fixed") else cell.get(what)


def _number(facts: Json, family: str, key: str, what: str = "value") -> int:
    found = _value(facts, family, key, what)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def _channels(here: Here) -> Iterator[Value]:
    keys = [key for key in ("combined", "rx", "tx") if _number(here.facts, "channels", key, "maximum") > 1]
    cpus = here.whole.get("kernel", {}).get("cpu_count") or 0
    seen = [{key: _number(here.facts, "channels", key) for key in keys}]
    for label, most in (("one for each processor", cpus), ("all", None), ("one", 1)):
        counts = {key: min(_number(here.facts, "channels", key, "maximum"), most or 1 << 30) for key in keys}
        if counts and counts not in seen and (label != "one" or here.goal == "latency"):
            seen.append(counts)
            yield label, {"channels": {key: value if most else "max" for key, value in counts.items()}}, {}


def _rings(here: Here) -> Iterator[Value]:
    limits = {key: _number(here.facts, "ring", key, "maximum") for key in ("rx", "tx")}
    limits = {key: limit for key, limit in limits.items() if limit}
    now = {key: _number(here.facts, "ring", key) for key in limits}
    shares = ((12, "an eighth"), (50, "half"), (100, "all")) if here.goal == "latency" else ((100, "all"), (50, "half"))
    for share, label in shares:
        # What differs by less than a quarter would not be noticed.
        if any(abs(limit * share / 100 - now[key]) > now[key] / 4 for key, limit in limits.items()):
            yield label, {"ring": dict.fromkeys(limits, "max" if share == 100 else f"{share}%")}, {}


def _coalescing(here: Here) -> Iterator[Value]:
    facts = here.facts
    switches = [key for key in ("adaptive_rx", "adaptive_tx") if _value(facts, "coalesce", key) is not None]
    times = [key for key in ("rx_usecs", "tx_usecs") if _value(facts, "coalesce", key) is not None]
    off = {key: False for key in switches if _value(facts, "coalesce", key) is True}
    adaptive = [("adaptive", dict.fromkeys(switches, True))] if switches and len(off) < len(switches) else []
    steps: list[tuple[str, Json]] = []
    if times:
        # So long a part of the ring takes to fill at the speed of the link.
        fill = 1e6 * _FRAME * (_number(facts, "ring", "rx") or 0) / (1e6 * (facts.get("speed") or 0) or 1)
        for part in (16, 64):
            if fill >= part and facts.get("speed"):
                steps.append(
                    (f"until 1/{part} of the ring is full", {**off, **dict.fromkeys(times, round(fill / part))})
                )
        steps.append(("at once", {**off, **dict.fromkeys(times, 0)}))
    ordered = [*steps[::-1], *adaptive] if here.goal == "latency" else [*adaptive, *steps]
    for label, values in ordered:
        if any(_value(facts, "coalesce", key) != value for key, value in values.items()):
            yield label, {"coalesce": values}, {}


def _offloads(here: Here) -> Iterator[Value]:
    known = here.facts.get("features", {})
    off = [key for key in _OFFLOADS if _value(here.facts, "features", key) is False and _can(known, key)]
    if off:
        yield "on", {"features": dict.fromkeys(off, True)}, {}
    kernel = here.whole.get("kernel", {})
    forwards = kernel.get("forwards_ipv4") or kernel.get("forwards_ipv6")
    if here.goal != "latency" and not forwards and _value(here.facts, "features", "lro") is False:
        yield "also join in the NIC", {"features": {**dict.fromkeys(off, True), "lro": True}}, {}
    joined = [key for key in ("gro", "lro") if _value(here.facts, "features", key) is True]
    if here.goal == "latency" and joined:
        yield "no joining", {"features": dict.fromkeys(joined, False)}, {}


_OFFLOADS = ("rx", "tx", "sg", "tso", "gso", "gro", "rxhash")


def _can(known: Json, key: str) -> bool:
    """Whether a feature, or any member of a group, can change."""
    members = known[key].get("members") or [key]
    return any(not known.get(member, {}).get("fixed") for member in members)


def _spread(here: Here) -> Iterator[Value]:
    cpus = here.whole.get("kernel", {}).get("cpu_count") or 1
    table = _value(here.facts, "rss", "indirection")
    if table not in (None, "equal", "default"):
        yield "equal over the receive queues", {"rss": {"indirection": "equal"}}, {}
    if cpus > 1 and here.facts.get("irq", {}).get("affinity", {}).get("value"):
        yield "one processor for each queue", {"irq": {"affinity": "spread", "xps": "spread"}}, {}
    queues = here.facts.get("queues", {}).get("rx") or 0
    if 0 < queues < cpus and _value(here.facts, "irq", "rps") == "none":
        yield "packets over all processors", {"irq": {"rps": "all"}}, {}


def _clients(here: Here) -> Iterator[Value]:
    number = len(here.peers)
    if number < 2 or _value(here.facts, "multiq", "clients") != [] or not all(map(_is_address, here.peers)):
        return
    for key in ("combined", "tx"):
        most = _number(here.facts, "channels", key, "maximum")
        # Queue 0 is for everybody else.
        if most > number:
            more = {"channels": {key: "max"}} if _number(here.facts, "channels", key) <= number else {}
            yield "a queue for each", {**more, "multiq": {"clients": list(here.peers)}}, {}
            return
    if (here.facts.get("queues", {}).get("tx") or 0) > number:
        yield "a queue for each", {"multiq": {"clients": list(here.peers)}}, {}


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


_PLAIN = ("default", "mq", "fq", "fq_codel", "codel", "cake", "pfifo", "bfifo", "pfifo_fast", "noqueue")


def _qdisc(here: Here) -> Iterator[Value]:
    root = _value(here.facts, "qdisc_settings", "root")
    if not root or _value(here.facts, "multiq", "clients"):
        return
    kind, *words = str(root).split()
    if kind == "tbf":
        yield from _shaped(here, words)
    each = [leaf.split()[0] for leaf in str(_value(here.facts, "qdisc_settings", "leaves") or "default").split("; ")]
    if kind not in _PLAIN or "tbf" in each:
        return  # it has classes that somebody has made, or queues with rates
    if kind not in ("default", "mq", "noqueue") or {*each} != {"default"}:
        # What somebody has set may hold packets back, and only its options would tell.
        yield "what the kernel makes", {"qdisc": {"root": "default"}}, {}
    own = here.facts.get("queues", {}).get("qdisc") or {}
    now = {kind, *each}
    now |= {str(own.get("leaf")), str(own.get("root"))} if "default" in now else set()
    order = ("fq",) if here.goal == "throughput" else ("fq_codel", "fq")
    for other in order:
        if other not in now:
            yield other, {"qdisc": {"leaves": other}}, {}
    if here.goal != "throughput" and "cake" not in now:
        yield "cake", {"qdisc": {"root": "cake"}}, {}


def _shaped(here: Here, words: Sequence[str]) -> Iterator[Value]:
    """The same rate with a queue that is shorter, or with one for each flow."""
    try:
        now = qdisc.read("tbf", words)
    except ValueError:
        return
    rate = int(now["rate"])
    if here.goal != "throughput":
        yield "cake at this rate", {"qdisc": {"root": f"cake bandwidth {rate}bit"}}, {}
    # What the line itself holds, and never less than ten frames.
    least = max(2 * (here.line.trip if here.line else 0), 10 * _FRAME / rate)
    # Many streams need less than one does, and throughput that this costs shows.
    for share in (100, 400) if here.goal == "throughput" else (100, 25, 400):
        micros = round(1e4 * share * least)
        if micros < int(now["latency"]) or here.goal == "throughput":
            new = {**now, "latency": micros}
            yield f"{share} % of a short queue", {"qdisc": {"root": qdisc.words("tbf", new)}}, {}


def _buffers(here: Here) -> Iterator[Value]:
    known = here.whole.get("sysctl", {})
    now = {key: [int(word) for word in str(known[key]).split()] for key in _BUFFERS if key in known}
    if len(now) < len(_BUFFERS) or any(len(three) != 3 for three in now.values()) or not here.line:
        return
    whole = {key: 1 for key in ("net.ipv4.tcp_window_scaling", "net.ipv4.tcp_moderate_rcvbuf") if known.get(key) == "0"}
    most = (here.whole.get("kernel", {}).get("memory_kib") or 1 << 20) * 1024 // _SHARE
    trip = here.line.trip
    if here.goal == "latency":
        size = max(round(2 * here.line.rate * trip / 8), now["net.ipv4.tcp_wmem"][1])
        if size < now["net.ipv4.tcp_wmem"][2]:
            yield "what the line holds twice", {}, {"net.ipv4.tcp_wmem": _three(now["net.ipv4.tcp_wmem"], size)}
        return
    # Half of a buffer is for what the kernel keeps beside the data, and a loss costs as much once more. What was
    # measured may itself be what small buffers allow, so the steps are large.
    sizes = [16 * here.line.rate * trip / 8, 64 * here.line.rate * trip / 8]
    if here.facts.get("physical") and here.facts.get("speed"):
        sizes.insert(0, 4 * 1e6 * here.facts["speed"] * trip / 8)
    if whole:
        yield "free to grow", {}, whole
    # What was measured may be a small part of what the line carries, where these are too small.
    own = {key: min(size, most * _SHARE // _OWN_SHARE) for key, size in _OWN.items()}
    if any(three[2] < own[key] for key, three in now.items()):
        now = {key: [*three[:2], max(own[key], three[2])] for key, three in now.items()}
        yield "what the kernel makes", {}, {**whole, **{key: _three(three, three[2]) for key, three in now.items()}}
    seen: list[int] = []
    for size in (min(round(size), most) for size in sizes):
        if size in seen or all(size <= three[2] for three in now.values()):
            continue
        seen.append(size)
        values = {key: _three(three, max(size, three[2])) for key, three in now.items()}
        yield f"step {len(seen)}", {}, {**whole, **values}


# What a host has that nobody has tuned, up to this part of its memory (tcp_init in net/ipv4/tcp.c).
_OWN, _OWN_SHARE = {"net.ipv4.tcp_rmem": 6 << 20, "net.ipv4.tcp_wmem": 4 << 20}, 128
_BUFFERS = tuple(_OWN)


def _three(now: Sequence[int], most: int) -> str:
    return f"{min(now[0], most)} {min(now[1], most)} {most}"


def _congestion(here: Here) -> Iterator[Value]:
    key = "net.ipv4.tcp_congestion_control"
    now = here.whole.get("sysctl", {}).get(key)
    for name in here.whole.get("congestion", {}).get("available", ()):
        # reno is what every kernel falls back to, and slower than the others on all that is long or lossy.
        if now and name not in (now, "reno"):
            yield name, {}, {key: name}


_MAKERS: Mapping[str, Callable[[Here], Iterator[Value]]] = {
    "offloads": _offloads,
    "buffers": _buffers,
    "channels": _channels,
    "spread": _spread,
    "rings": _rings,
    "coalescing": _coalescing,
    "clients": _clients,
    "qdisc": _qdisc,
    "congestion": _congestion,
}


def together(axes: Sequence[Json], setting: Mapping[str, str], host: str) -> Json:
    """The options of `tune` for a host, with all values of the setting."""
    found: Json = {"nics": [], "sysctl": {}}
    for axis in axes:
        part = axis["values"].get(setting.get(axis["name"], ""), {}).get(host)
        if part:
            found["nics"] += part["nics"]
            found["sysctl"].update(part["sysctl"])
    return found
