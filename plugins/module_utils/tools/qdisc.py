# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tc about queueing disciplines: what one is, in words that tc takes, whatever units it prints."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ..schema import Query, Reader, nearest

COUNT, BYTES, RATE, TIME, LIST = "count", "bytes", "rate", "time", "list"

Setting = Union[int, str]
Settings = Dict[str, Setting]

# By kind: its options with the form of their values. A star stands behind what tc prints only where it was set.
KINDS: Mapping[str, Mapping[str, str]] = {
    "fq": {
        **dict.fromkeys(("limit", "flow_limit", "buckets", "orphan_mask"), COUNT),
        **dict.fromkeys(("quantum", "initial_quantum"), BYTES),
        **{"maxrate": "rate*", "low_rate_threshold": RATE, "ce_threshold": "time*"},
        **dict.fromkeys(("refill_delay", "timer_slack", "horizon"), TIME),
    },
    "fq_codel": {
        **dict.fromkeys(("limit", "flows", "drop_batch"), COUNT),
        **dict.fromkeys(("quantum", "memory_limit"), BYTES),
        **{"target": TIME, "interval": TIME, "ce_threshold": "time*"},
    },
    "codel": {"limit": COUNT, "target": TIME, "interval": TIME, "ce_threshold": "time*"},
    "cake": {"bandwidth": RATE, "rtt": TIME, "overhead": "count*", "mpu": "count*", "memlimit": "bytes*"},
    "pfifo": {"limit": COUNT},
    "bfifo": {"limit": BYTES},
    "pfifo_fast": {},
    "tbf": {"rate": RATE, "burst": BYTES, "latency": TIME, "peakrate": "rate*", "minburst": "bytes*"},
    "ets": {"bands": COUNT, "strict": "count*", "quanta": LIST, "priomap": LIST},
    "mqprio": {"num_tc": COUNT, "map": LIST, "queues": LIST, "hw": "count*"},
    "mq": {},
    "noqueue": {},
}
# These have a limit of their own, whatever the queue length of the NIC (their init in net/sched).
OWN_LIMIT = (
    *("fq_codel", "fq", "noqueue", "cake", "fq_pie", "sfq", "codel", "pie"),
    *("dualpi2", "netem", "choke", "hhf", "tbf", "red"),
)
# Words without a value: one of each group holds. A star before the group: tc prints it only where it was set.
FLAGS: Mapping[str, Sequence[Tuple[str, ...]]] = {
    "fq": (("horizon_drop", "horizon_cap"), ("*pacing", "nopacing")),
    "fq_codel": (("noecn", "ecn"),),
    "codel": (("noecn", "ecn"),),
    "cake": (
        ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"),
        ("triple-isolate", "dual-srchost", "dual-dsthost", "srchost", "dsthost", "hosts", "flows", "flowblind"),
        ("nonat", "nat"),
        ("nowash", "wash"),
        ("no-ack-filter", "ack-filter", "ack-filter-aggressive"),
        ("split-gso", "no-split-gso"),
        ("*egress", "ingress"),
        ("*noatm", "atm", "ptm"),
    ),
}
NEEDED: Mapping[str, Tuple[str, ...]] = {"tbf": ("rate", "burst", "latency"), "mqprio": ("num_tc", "map", "queues")}
_RIGHT = {
    COUNT: "a whole number",
    BYTES: "bytes, such as 1514 or 64kb",
    RATE: "a rate, such as 20mbit or 1gbit",
    TIME: "a time, such as 5ms or 100us",
}
# TC_QOPT_MAX_QUEUE and TCQ_ETS_MAX_BANDS of the kernel.
_CLASSES = 16
_ONE_AT_LEAST = ("limit", "flow_limit", "flows", "buckets", "quantum", "initial_quantum", "burst", "memory_limit")
# Numbers without a unit that are below these are none that anybody means: tc counts bits per second and microseconds.
_LEAST = {RATE: 1000, TIME: 50}
# What tc prints under another name than it takes.
_PRINTED = {"lat": "latency", "tc": "num_tc", "buffer": "burst", "maxburst": "burst"}

_RATES = {"": 1, "bit": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZES = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}
_TIMES = {"": 1, "us": 1, "usec": 1, "usecs": 1, "ms": 1000, "msec": 1000, "s": 10**6, "sec": 10**6, "secs": 10**6}


class Qdisc(NamedTuple):
    """One queueing discipline: 0: is the handle of what the kernel made by itself."""

    kind: str
    handle: str = "0:"
    parent: str = ""
    settings: Mapping[str, Setting] = {}


def ask(host: Reader, nic: str) -> Optional[List[Qdisc]]:
    """All of a NIC, the root first; None where tc does not know the NIC."""
    answer = host.ask(Query(("tc", "qdisc", "show", "dev", nic)))
    return None if answer.rc else parse(answer.out)


def parse(text: str) -> List[Qdisc]:
    """Parse `tc qdisc show dev NIC`; mqprio goes over several lines."""
    found: List[Qdisc] = []
    blocks = re.split(r"^(?=qdisc )", text, flags=re.MULTILINE)
    for block in blocks:
        head = re.match(r"qdisc (\S+) ([0-9a-f]+:)(?: dev \S+)? (root|parent \S+)(.*)", block, re.DOTALL)
        if head:
            parent = "" if head[3] == "root" else head[3].split()[1]
            found.append(Qdisc(head[1], head[2], parent, _settings(head[1], head[4])))
    return sorted(found, key=lambda item: (item.parent != "", _minor(item.parent)))


def _minor(parent: str) -> int:
    word = parent.rpartition(":")[2]
    return int(word, 16) if re.fullmatch(r"[0-9a-f]{1,4}", word) else 0


def _settings(kind: str, text: str) -> Settings:
    if kind == "mqprio":
        pairs = re.findall(r"\((\d{1,5}):(\d{1,5})\)", text)
        text = re.sub(r"\b(mode|shaper):\S*|queues:.*", "", text)
        ranges = " ".join(f"{int(last) - int(first) + 1}@{first}" for first, last in pairs)
        text += f" queues {ranges} hw 0" if pairs else ""
    # So tc prints a cake to which nobody has given an overhead.
    text = text.replace(" raw overhead 0", "") if kind == "cake" else text
    try:
        return read(kind, text.split(), strict=False)
    except ValueError:
        return {}


def read(kind: str, words: Sequence[str], strict: bool = True) -> Settings:
    """The settings behind words; ValueError names what is wrong. What tc prints beside settings is passed over."""
    options = KINDS.get(kind, {})
    flags = {word.lstrip("*"): index for index, group in enumerate(FLAGS.get(kind, ())) for word in group}
    settings: Settings = {}
    rest = list(words)
    while rest:
        word = _PRINTED.get(rest[0], rest[0]) if rest[0] not in options else rest[0]
        rest.pop(0)
        form = options.get(word, "").rstrip("*")
        if word in flags:
            settings[_group(kind, flags[word])] = word
        elif form == LIST:
            taken = [rest.pop(0) for item in list(rest) if rest and re.fullmatch(r"\d{1,6}(@\d{1,5})?", rest[0])]
            settings[word] = " ".join(taken)
        elif form:
            said = rest.pop(0) if rest else ""
            value = number(form, said)
            if form == RATE and not value and word != "bandwidth":
                value = None  # only cake takes that, for no limit
            if strict and said.isdecimal() and 0 < int(said) < _LEAST.get(form, 0):
                unit = "bits per second" if form == RATE else "microseconds"
                raise ValueError(f"{word}: '{said}' would be {unit}; write {_RIGHT[form]}")
            if value is not None:
                settings[word] = value
            elif strict:
                raise ValueError(f"{word}: '{said}' is not valid; write {_RIGHT[form]}")
        elif strict:
            raise ValueError(f"{kind} has no option '{word}'{nearest(word, [*options, *flags])}")
    if strict:
        missing = [name for name in NEEDED.get(kind, ()) if name not in settings]
        if missing:
            raise ValueError(f"{kind} needs {' and '.join(missing)} as well")
    return settings


def check(kind: str, settings: Settings) -> None:
    """ValueError for what no kernel takes, or what lets no packet through."""
    nothing = [name for name in _ONE_AT_LEAST if settings.get(name) == 0]
    if nothing:
        raise ValueError(f"{nothing[0]}: 0 lets no packet through, or is refused by the kernel; write 1 or more")
    lists = {name: str(settings[name]).split() for name in ("map", "queues", "quanta", "priomap") if name in settings}
    classes = int(settings.get("num_tc", settings.get("bands", _CLASSES)))
    if not 1 <= classes <= _CLASSES:
        raise ValueError(f"{'num_tc' if kind == 'mqprio' else 'bands'}: {classes} is not valid; write 1 to {_CLASSES}")
    for name in ("map", "priomap"):
        beyond = [word for word in lists.get(name, ()) if int(word.partition("@")[0]) >= classes]
        if beyond:
            raise ValueError(f"{name}: {beyond[0]} is no class; there are {classes}, counted from 0")
    if "queues" in lists and len(lists["queues"]) != classes:
        raise ValueError(f"queues: {len(lists['queues'])} ranges for {classes} classes; write COUNT@FIRST for each")
    strict = int(settings.get("strict", 0))
    if kind == "ets" and strict + len(lists.get("quanta", ())) > classes:
        raise ValueError(f"ets has {classes} bands, and strict and quanta name {strict + len(lists.get('quanta', ()))}")


def _group(kind: str, index: int) -> str:
    return "/".join(word.lstrip("*") for word in FLAGS[kind][index])


def number(form: str, word: str) -> Optional[int]:
    """What tc means by a number with a unit: packets, bytes, bit/s or microseconds; None if it is none."""
    text = word.lower()
    if form == RATE and text == "unlimited":
        return 0
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([a-z]*)", text)
    if not match:
        return None
    unit = match[2]
    if form == COUNT:
        return int(match[1]) if match[1].isdecimal() and unit in ("", "p") else None
    if form == RATE:
        # As tc(8): bps are bytes a second, and ki, mi, gi count by 1024.
        found = re.fullmatch(r"([kmgt]?)(i?)(bit|bps|)", unit)
        if not found or (found[2] and not found[1]):
            return None
        step = _RATES[found[1]] if not found[2] else 1024 ** ("kmgt".index(found[1]) + 1)
        return round(float(match[1]) * step * (8 if found[3] == "bps" else 1))
    units = _SIZES if form == BYTES else _TIMES
    return round(float(match[1]) * units[unit]) if unit in units else None


def words(kind: str, settings: Mapping[str, Setting]) -> str:
    """A qdisc in words that tc takes and a person reads."""
    said = [kind]
    for name, value in settings.items():
        form = KINDS.get(kind, {}).get(name, "").rstrip("*")
        if not form:
            said.append(str(value))
        elif form == LIST:
            said += [name, *str(value).split()]
        else:
            said += [name, _spelled(form, int(value))]
    return " ".join(said)


def _spelled(form: str, number: int) -> str:
    if form == RATE and not number:
        return "unlimited"
    steps = {
        RATE: (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3), ("bit", 1)),
        TIME: (("s", 10**6), ("ms", 1000), ("us", 1)),
    }.get(form, (("", 1),))
    return next(f"{number // step}{unit}" for unit, step in steps if number % step == 0)


def same(kind: str, desired: Mapping[str, Setting], current: Mapping[str, Setting]) -> bool:
    """Whether a qdisc is as requested: tc rounds what it prints, and the rest may be as the kernel made it."""
    for name, value in desired.items():
        if name == "hw":
            continue  # never printed
        if name not in current:
            # The first word of a group is what holds where tc prints none.
            if value != name.split("/")[0]:
                return False
        elif isinstance(value, int) and isinstance(current[name], int):
            # codel counts in 1.024 microseconds.
            least = 2 if KINDS.get(kind, {}).get(name, "").startswith(TIME) else 0
            if abs(value - int(current[name])) > max(value // 200, least):
                return False
        elif not f"{current[name]} ".startswith(f"{value} "):
            return False
    return not [
        name for name in current if name not in desired and rare(kind, name) and current[name] != name.split("/")[0]
    ]


def rare(kind: str, name: str) -> bool:
    """Whether tc prints an option only where somebody has set it."""
    form = KINDS.get(kind, {}).get(name, "")
    groups = [group for group in FLAGS.get(kind, ()) if "/".join(word.lstrip("*") for word in group) == name]
    return form.endswith("*") or any(group[0].startswith("*") for group in groups)
