# SPDX-License-Identifier: GPL-3.0-or-later
"""Health: whether a host is well after a change, by the probes that somebody names, and by what its NICs count."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from ..host import ReadOnlyHost
from ..schema import InputError, Query, TuningError
from ..tools import sysfs

# Errors and drops, each beside the packets that they are a share of.
COUNTERS = {
    "rx_errors": "rx_packets",
    "rx_dropped": "rx_packets",
    "tx_errors": "tx_packets",
    "tx_dropped": "tx_packets",
}

_SHAPES = (
    "write a list of the command's words under `command`, an address that begins with http:// or https:// under `url`, "
    "the name of a host that must answer a ping under `host`, or a server under `iperf3`, and its `min_speed` in Mb/s"
)
_PING_SECONDS, _URL_SECONDS, _IPERF3_SECONDS = 3, 10, 2


class Probe(NamedTuple):
    """One question, in the word of its kind."""

    kind: str
    about: str
    argv: Sequence[str] = ()
    least: float = 0


def counters(host: ReadOnlyHost) -> Dict[str, Dict[str, int]]:
    """What each NIC has counted since it appeared; `lo` loses nothing."""
    found: Dict[str, Dict[str, int]] = {}
    for nic in host.names(sysfs.ROOT):
        if nic != "lo":
            names = (*COUNTERS, *COUNTERS.values())
            numbers = {name: sysfs.number(host, f"{sysfs.ROOT}/{nic}/statistics/{name}") for name in names}
            found[nic] = {name: number for name, number in numbers.items() if number is not None}
    return {nic: counted for nic, counted in found.items() if counted}


def look(host: ReadOnlyHost, given: Sequence[Any], patience: float) -> Dict[str, Any]:
    """The answer to each probe, and the counters after that. Links may need some seconds after a change, so a probe
    that fails is asked again until the `patience` is over, which is one for all. InputError for what is no probe."""
    every = probes(given)
    end = host.uptime() + patience
    return {"probes": [_answer(host, probe, end) for probe in every], "counters": counters(host)}


def _answer(host: ReadOnlyHost, probe: Probe, end: float) -> Dict[str, Any]:
    while True:
        figure = _ask(host, probe)
        if not figure or host.uptime() >= end:
            return {"probe": probe.about, "well": not figure, "figure": figure}
        host.wait_until(lambda: False, 1)


def _ask(host: ReadOnlyHost, probe: Probe) -> str:
    """What is wrong, or nothing."""
    if probe.kind == "url":
        return host.fetch(probe.about, _URL_SECONDS)
    try:
        answer = host.ask(Query(tuple(probe.argv), own=True))
    except TuningError as error:
        return str(error)
    if probe.kind == "iperf3":
        return _too_slow(answer.out, answer.err, probe)
    if not answer.rc:
        return ""
    said = next((line.strip() for line in f"{answer.err}\n{answer.out}".splitlines() if line.strip()), "")
    if probe.kind == "host":
        # Without a message nobody answered; else ping could not even ask: the name is unknown, or there is no route.
        why = next((line.strip() for line in answer.err.splitlines() if line.strip()), "")
        return why[:200] or f"no answer to a ping within {_PING_SECONDS} s"
    return f"exit code {answer.rc}" + (f": {said[:200]}" if said else "")


def _too_slow(out: str, err: str, probe: Probe) -> str:
    from ..tools import iperf3

    try:
        measured = iperf3.parse(out, err, {"server": probe.argv[-1], "port": 5201})
    except TuningError as error:
        return str(error)
    speed = max(measured["bits_per_second"].values()) / 1e6
    return "" if speed >= probe.least else f"{speed:.0f} Mb/s, and {probe.least:g} Mb/s is the least"


def probes(given: Sequence[Any]) -> List[Probe]:
    """What a person wrote; InputError names what is not valid, and what to write."""
    return [_probe(one) for one in given]


def _probe(one: Any) -> Probe:
    entry: Mapping[str, Any] = one if isinstance(one, Mapping) else _short(one)
    kinds = [kind for kind in ("command", "url", "host", "iperf3") if entry.get(kind)]
    if len(kinds) != 1 or set(entry) - {*kinds, *(["min_speed"] if kinds == ["iperf3"] else [])}:
        raise _wrong(one)
    kind, what = kinds[0], entry[kinds[0]]
    if kind == "command":
        if not isinstance(what, list) or not all(isinstance(word, (str, int, float)) for word in what):
            raise _wrong(one)
        return Probe(kind, " ".join(map(str, what)), [str(word) for word in what])
    if not isinstance(what, str) or what.startswith("-") or len(what.split()) != 1:
        raise _wrong(one)
    if kind == "url":
        if not what.lower().startswith(("http://", "https://")):
            raise _wrong(one)
        return Probe(kind, what)
    if kind == "host":
        return Probe(kind, f"ping {what}", ("ping", "-n", "-q", "-c", "1", "-w", str(_PING_SECONDS), what))
    least = entry.get("min_speed", 0)
    if isinstance(least, bool) or not isinstance(least, (int, float)):
        raise _wrong(one)
    return Probe(kind, f"iperf3 to {what}", ("iperf3", "-J", "-t", str(_IPERF3_SECONDS), "-c", what), least)


def _short(one: Any) -> Mapping[str, Any]:
    """A text is a URL or the name of a host; a list is a command."""
    if isinstance(one, list):
        return {"command": one}
    text = str(one)
    return {"url": text} if "://" in text else {"host": text}


def _wrong(one: Any) -> InputError:
    return InputError(f"tuning_probes: {one!r} is no probe; {_SHAPES}")
