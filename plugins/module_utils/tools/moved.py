# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand what moved on a host while it measured: packets that died, full queues, processors, and TCP's word."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from ..schema import Reader
from . import counters, interrupts, protocols, statistics, sysfs

Argv = Tuple[str, ...]
Texts = Mapping[Argv, str]
Json = Dict[str, Any]

_STAT: Argv = ("cat", "/proc/stat")
_SOFTNET: Argv = ("cat", "/proc/net/softnet_stat")
_PROTOCOLS: Argv = ("cat", "/proc/net/snmp", "/proc/net/netstat")


class Part(NamedTuple):
    """A NIC that packets go through, with those below it (the ports of a bond, what a VLAN stands on), and drivers."""

    nic: str
    drivers: Mapping[str, str]


def parts(host: Reader, nics: Sequence[str]) -> List[Part]:
    """The NICs with all below them."""
    found = []
    for nic in nics:
        names = [nic]
        for name in names:
            lower = [entry[6:] for entry in host.names(f"{sysfs.ROOT}/{name}") if entry.startswith("lower_")]
            names += [entry for entry in lower if entry not in names]
        found.append(Part(nic, {name: sysfs.driver(host, name) for name in names}))
    return found


def watch(nics: Sequence[Part]) -> List[List[str]]:
    """The commands that show what is compared, before a step and after it."""
    names = dict.fromkeys(name for part in nics for name in part.drivers)
    found = [list(argv) for name in names for argv in (*counters.watch(name), qdisc(name), kernel(name))]
    return [*found, [*_SOFTNET], [*_PROTOCOLS], [*_STAT]]


def sample(nics: Sequence[Part]) -> List[List[str]]:
    """The commands for the middle of a step: what stands in queues."""
    return [[*qdisc(name)] for name in dict.fromkeys(name for part in nics for name in part.drivers)]


def accounts(served: Sequence[int], remote: Sequence[int]) -> List[List[str]]:
    """The command for TCP's account of the streams on these ports, if there are any."""
    ends = [(end, ports) for end, ports in (("sport", served), ("dport", remote)) if ports]
    ways = [f"( {end} >= :{min(ports)} and {end} <= :{max(ports)} )" for end, ports in ends]
    return [["ss", "-tinH", "state", "established", " or ".join(ways)]] if ways else []


def qdisc(nic: str) -> Argv:
    """The command that shows what its queueing disciplines hold, and have dropped."""
    return ("tc", "-s", "qdisc", "show", "dev", nic)


def kernel(nic: str) -> Argv:
    """The command that shows what the kernel counts for a NIC."""
    # One command for all files, each with its name in front.
    return ("grep", "-r", ".", f"{sysfs.ROOT}/{nic}/statistics")


def growth(nics: Sequence[Part], before: Texts, after: Texts, meanwhile: Texts) -> Json:
    """What has moved: `nics`, `qdiscs`, `protocols`, `softnet` and `processors`; what has not is left out."""
    found: Json = {"nics": {}, "qdiscs": {}}
    for part in nics:
        found["nics"][part.nic] = _counters(part, before, after)
        rows = [row for name in part.drivers for row in _queues(name, before, after, meanwhile)]
        if rows:
            found["qdiscs"][part.nic] = rows
    grown = _grown(protocols.counters, _PROTOCOLS, before, after)
    found["protocols"] = {name: number for name, number in grown.items() if number}
    found["softnet"] = _grown(_softnet, _SOFTNET, before, after)
    found["processors"] = _processors(before, after)
    return {key: value for key, value in found.items() if value}


def _grown(parse: Callable[[str], Dict[str, int]], argv: Argv, before: Texts, after: Texts) -> Dict[str, int]:
    return statistics.growth(parse(before.get(argv, "")), parse(after.get(argv, "")))


def _counters(part: Part, before: Texts, after: Texts) -> Dict[str, int]:
    """Of the NIC itself what it carried, and with those below it what went wrong."""
    found: Dict[str, int] = {}
    for name, driver in part.drivers.items():

        def read(texts: Texts, name: str = name, driver: str = driver) -> Dict[str, int]:
            own = statistics.parse(texts.get(tuple(counters.watch(name)[1]), ""))
            return statistics.normalise(own, files(texts.get(kernel(name), "")), driver)

        for key, number in statistics.growth(read(before), read(after)).items():
            if number and (name == part.nic or key not in _CARRIED):
                found[key] = found.get(key, 0) + number
    return found


_CARRIED = ("rx_packets", "tx_packets", "rx_bytes", "tx_bytes")


def files(text: str) -> Dict[str, int]:
    """Parse what it prints."""
    rows = re.findall(r"^/\S*/(\w+):(\d{1,20})$", text, re.MULTILINE)
    return {name: int(number) for name, number in rows}


class _Counts(NamedTuple):
    kind: str
    sent: int
    dropped: int
    overlimits: int
    backlog: int


# The kernel counts these in 32 bits (struct gnet_stats_queue), so they begin anew.
_WIDTH = 1 << 32
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def qdiscs(text: str) -> Dict[str, _Counts]:
    """Parse `tc -s qdisc show`: what each has sent and dropped, and the bytes that stand in it, by its place."""
    found: Dict[str, _Counts] = {}
    for block in re.split(r"^(?=qdisc )", text, flags=re.MULTILINE):
        head = re.match(r"qdisc (\S+) [0-9a-f]+:(?: dev \S+)? (root|parent \S+)", block)
        sent = re.search(r"Sent (\d+) bytes \d+ pkts? \(dropped (\d+), overlimits (\d+) requeues \d+\)", block)
        backlog = re.search(r"backlog (\d+)([KMG]?)b ", block)
        if head and sent:
            parent = head[2].rpartition(" ")[2]
            size = int(backlog[1]) * _UNITS[backlog[2]] if backlog else 0
            found[parent] = _Counts(head[1], int(sent[1]), int(sent[2]), int(sent[3]), size)
    return found


def _queues(nic: str, before: Texts, after: Texts, meanwhile: Texts) -> Iterator[Json]:
    """The queueing disciplines in which packets stood, were held back or died."""
    old, new, held = (qdiscs(texts.get(qdisc(nic), "")) for texts in (before, after, meanwhile))
    for parent, now in new.items():
        then = old.get(parent, now._replace(dropped=0, overlimits=0))
        row: Json = {name: (getattr(now, name) - getattr(then, name)) % _WIDTH for name in ("dropped", "overlimits")}
        row["backlog"] = held[parent].backlog if parent in held else now.backlog
        if any(row.values()) and then.kind == now.kind:
            kept = {name: number for name, number in row.items() if number}
            yield {"nic": nic, "kind": now.kind, "place": parent, **kept}


def _softnet(text: str) -> Dict[str, int]:
    rows = interrupts.softnet(text)
    return {name: sum(row[name] for row in rows) for name in ("processed", "dropped", "squeezed")} if rows else {}


# Columns of a processor in /proc/stat: what is work, what of it serves interrupts, what a hypervisor has taken away.
_WORK, _INTERRUPTS, _STOLEN, _HERTZ = (0, 1, 2, 5, 6), (5, 6), (7,), 100


def _processors(before: Texts, after: Texts) -> Dict[str, List[float]]:
    """By number of the processor, seconds at work, of these for interrupts, and those that a hypervisor took away."""
    row = re.compile(r"^cpu(\d+) +([\d ]+)$", re.MULTILINE)
    old, new = (dict(row.findall(texts.get(_STAT, ""))) for texts in (before, after))
    found = {}
    for number in new.keys() & old.keys():
        then, now = ([int(word) for word in text[number].split()] for text in (old, new))
        if min(len(then), len(now)) > max(_STOLEN):
            grown = [two - one for one, two in zip(then, now)]
            seconds = [sum(grown[column] for column in columns) / _HERTZ for columns in (_WORK, _INTERRUPTS, _STOLEN)]
            found[number] = [max(round(value, 2), 0.0) for value in seconds]
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


# How ss names what a stream has waited for (struct tcp_info since Linux 4.9): for its own window and the network all
# the time that it was busy, but for what the receiver's window or its own buffer took.
_WAITED = {"busy": "busy_ms", "rwnd_limited": "receiver_ms", "sndbuf_limited": "buffer_ms"}


def streams(text: str) -> List[Json]:
    """Parse `ss -tin`: of each stream that has sent something both ports, the peer, and TCP's account of it."""
    found = []
    for head, about in zip(text.splitlines(), text.splitlines()[1:]):
        ends = re.match(r"(?:ESTAB\s+)?\d+\s+\d+\s+(\S+):(\d+)\s+(\S+):(\d+)\s*$", head)
        moved = re.search(r"\bbytes_acked:(\d{1,18})\b", about)
        if not ends or not moved or not about[:1].isspace():
            continue
        peer = re.sub(r"%.*$", "", ends[3].strip("[]"))
        row: Json = {"peer": peer[7:] if peer.startswith("::ffff:") else peer}
        row.update(local=int(ends[2]), remote=int(ends[4]), bytes=int(moved[1]))
        for name, key in _WAITED.items() if " busy:" in about else ():
            waited = re.search(rf"\b{name}:(\d{{1,12}})ms", about)
            row[key] = int(waited[1]) if waited else 0
        trips = {"rtt_ms": r"\brtt:([\d.]{1,20})/", "least_rtt_ms": r"\bminrtt:([\d.]{1,20})"}
        row.update({key: float(match[1]) for key, form in trips.items() for match in [re.search(form, about)] if match})
        found.append(row)
    # The connection on which the two ends talk about the measurement is none of its streams.
    most = max((row["bytes"] for row in found), default=0)
    return [row for row in found if row["bytes"] * 1000 > most]
