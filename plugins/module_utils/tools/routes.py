# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `ip route`: metrics of the routes through a NIC, as text, which every iproute2 prints alike.

`ip route change` replaces all metrics of a route, and takes the first one of that prefix and metric, be it through
another NIC. Since a route was read a network manager may have given it another gateway. So a command looks the route up
by itself, leaves it alone where another one has the same metric, leaves out the metrics that it is about and what `ip`
prints but does not take, and gives all the rest again.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple, Union

from ..schema import Query, Reader, Run, Value
from ..text import quote

METRICS = ("initcwnd", "initrwnd", "quickack", "rto_min", "congctl", "mtu", "advmss")
_METRIC = rf" ({'|'.join(METRICS)})( lock)? (\S+)"

# Routes that are left to who made them, by a word of theirs, with the reason and what to do.
_FOREIGN: Mapping[str, str] = {
    "nexthop ": "it has several next hops, each with a route of its own for the kernel",
    " nhid ": "it has a nexthop object (nhid), which belongs to the routing daemon that made it",
    " proto ra ": (
        "a router announces it (proto ra), and the next announcement makes it anew; to have metrics, add a route of "
        "your own with a lower metric"
    ),
    " expires ": "it expires, and who made it makes it anew; set the metrics there",
}
_SAME = (
    "another route to it has the same metric, and `ip route change` would put this one in its place; give each a "
    "metric of its own"
)
_TYPES = ("local", "broadcast", "multicast", "throw", "unreachable", "prohibit", "blackhole", "anycast")

# How `ip route` says what holds at the moment, and cannot be requested.
_STATES = "linkdown|dead|pervasive|offload_failed|(rt_)?(offload|trap)|notify"
_FIND = (
    "/ (from|tos) / { next } "
    '{ m = 0; for (i = 2; i < NF; i++) if ($i == "metric") m = $(i + 1); n[m]++ } '
    'r == "" && index($0 " ", " dev " ENVIRON["nic"] " ") && !/nexthop | (nhid|expires|proto ra) / { r = $0; k = m } '
    'END { if (n[k] != 1) exit; gsub(/ (METRICS)( lock)? [^ ]+/, "", r); gsub(/ (STATES)/, "", r); '
    'sub(/ rto_min lock/, " rto_min", r); print r }'
)


# How often commands at boot look for a route, each time after a second; systemd gives their unit 180 seconds.
LOOKS = 60

# So many routes of a NIC are named where one is requested that it does not have.
NAMED = 7


class Route(NamedTuple):
    """The metrics of a route by name, and why it is left alone."""

    metrics: Mapping[str, Value]
    problem: str = ""


def version(prefix: str) -> str:
    """The option of `ip` for the protocol of a prefix."""
    return "-6" if ":" in prefix else "-4"


def ask(host: Reader, nic: str, prefixes: Sequence[str]) -> Tuple[Dict[str, Route], str]:
    """The routes of the main table through a NIC by prefix, and what `ip` complained of.

    About these prefixes the other NICs are asked as well, for a change of one route may hit another.
    """
    found: Dict[str, Route] = {}
    complaint = ""
    for protocol in sorted({version(prefix) for prefix in prefixes} or ("-4", "-6")):
        answer = host.ask(Query(("ip", protocol, "-o", "route", "show", *(() if prefixes else ("dev", nic)))))
        found.update(parse(answer.out, protocol, nic if prefixes else "", prefixes))
        complaint = complaint or (answer.complaint if answer.rc else "")
    return found, complaint


def parse(text: str, protocol: str, nic: str = "", named: Sequence[str] = ()) -> Dict[str, Route]:
    """By prefix, the routes through a NIC, which is the only one where it has no name: those that have metrics, or
    those that are requested with a few others to name.

    Of several to one prefix it is the first that may be changed, which has the lowest metric; else the first one.
    """
    found: Dict[str, Route] = {}
    chosen: Dict[str, str] = {}
    counts: Dict[Tuple[str, str], int] = {}
    for line in _relevant(text, nic, named):
        first, _blank, rest = line.partition(" ")
        if first in _TYPES:
            first, _blank, rest = rest.partition(" ")
        rest = f" {rest} "
        # A route for some packets only is another one, and stays as it is.
        if not first or " from " in rest or " tos " in rest:
            continue
        prefix, metric = _prefix(first, protocol), _word(rest, "metric") or "0"
        if prefix in named:
            counts[prefix, metric] = counts.get((prefix, metric), 0) + 1
        if nic and f" dev {nic} " not in rest:
            continue
        problem = next((why for word, why in _FOREIGN.items() if word in rest), "")
        if prefix not in found or (found[prefix].problem and not problem):
            found[prefix], chosen[prefix] = Route(dict(_metrics(rest)), problem), metric
    return {
        prefix: route._replace(problem=_SAME) if not route.problem and counts.get(where, 1) > 1 else route
        for prefix, route in found.items()
        for where in ((prefix, chosen[prefix]),)
    }


def _relevant(text: str, nic: str, named: Sequence[str]) -> Iterator[str]:
    """The lines to look at, for a router may have a million."""
    lines = text.splitlines()
    words = {"default" if prefix == "::/0" else _spelled(prefix) for prefix in named}
    words = words or {line.partition(" ")[0] for line in lines if re.search(_METRIC, line)}
    others = 0
    for line in lines:
        if line.partition(" ")[0] in words or line.startswith(_TYPES):
            yield line
        elif named and others < NAMED and f" dev {nic} " in f"{line} ":
            others += 1
            yield line


def _spelled(prefix: str) -> str:
    """A prefix as `ip` has it, which leaves out the length of an address."""
    address, _slash, length = prefix.partition("/")
    return address if length == ("128" if ":" in address else "32") else prefix


def _prefix(word: str, protocol: str) -> str:
    if word == "default":
        return "::/0" if protocol == "-6" else word
    return word if "/" in word else f"{word}/{128 if protocol == '-6' else 32}"


def _word(rest: str, label: str) -> str:
    return rest.partition(f" {label} ")[2].partition(" ")[0]


def _metrics(rest: str) -> Iterator[Tuple[str, Value]]:
    for name, lock, word in re.findall(_METRIC, rest):
        if name == "congctl":
            yield name, word
        elif name == "quickack":
            yield name, word != "0"
        elif name == "rto_min":
            yield name, _milliseconds(word)
        else:
            yield name, f"lock {word}" if lock and name == "mtu" else int(word) if word.isdecimal() else word


def _milliseconds(word: str) -> Union[int, str]:
    """`50ms`, or `1.5s` from a second on."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(m?s)", word)
    return round(float(match[1]) * (1 if match[2] == "ms" else 1000)) if match else word


def change(nic: str, prefix: str, metrics: Mapping[str, Value], looks: int = 0) -> Run:
    """Give metrics to a route, or take those away that are None or False; `looks` is how often to look for it."""
    words: List[str] = []
    for name, value in metrics.items():
        if value is not None and value is not False:
            text = f"{value}ms" if name == "rto_min" else str(int(value)) if value is True else str(value)
            words += [name, *text.split()]
    ip = f"ip {version(prefix)}"
    program = _FIND.replace("METRICS", "|".join(metrics)).replace("STATES", _STATES)
    find = f"r=$({ip} -o route show exact {quote(prefix)} | nic={quote(nic)} awk {quote(program)})"
    if looks:
        find = f'i=0; while {find}; [ -z "$r" ] && [ $((i += 1)) -le {looks} ]; do sleep 1; done'
    set_it = " ".join(
        [f"{ip} route change ${{r:?no such route, or not the only one of its metric}}", *map(quote, words)]
    )
    return Run(("sh", "-fc", f"{find}; {set_it}"))


def together(changes: Sequence[Run]) -> Run:
    """Changes side by side, so that no route waits for another; the last failure is the status."""
    begun = " ".join(f"({change.argv[-1]}) & p{where}=$!;" for where, change in enumerate(changes))
    ended = " ".join(f'wait "$p{where}" || r=$?;' for where in range(len(changes)))
    return Run(("sh", "-fc", f"{begun} r=0; {ended} exit $r"))
