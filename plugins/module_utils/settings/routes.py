# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the metrics of routes: what TCP does for destinations behind one of a NIC's routes (`ip route change`).

A key is a prefix and a metric, so each metric has its own value, layer and way back; a person writes the metrics of a
prefix together. Where a NIC has several routes to one prefix, the one with the lowest `metric` is meant, for the kernel
takes it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Dict, Mapping, Sequence, Tuple

from ..deciding import inputs
from ..family import NIC, Family, Field
from ..schema import ABSENT, EXACTLY, Cell, Desired, InputError, Reader, Reading, Run, Value, nearest
from ..tools import routes as tool

_RIGHT = {
    "mtu": (
        r"(lock )?(6[89]|[7-9]\d|[1-9]\d{2,5})",
        "a number of bytes, 68 at least, or with lock in front, which also switches path MTU discovery off",
    ),
    "rto_min": (r"[1-9]\d{0,8}", "a whole number of milliseconds above 0"),
    "congctl": (r"[a-z0-9_]{1,15}", "the name of a congestion control such as bbr"),
}
_NUMBER = (r"[1-9]\d{0,8}", "a whole number above 0")


def _split(key: str) -> Tuple[str, str]:
    prefix, _blank, metric = key.rpartition(" ")
    return prefix, metric


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    prefixes = sorted({_split(key)[0] for key in keys})
    found, complaint = tool.ask(host, nic, prefixes)
    if complaint and not found:
        return Reading({}, complaint)
    if not keys:
        own = {prefix: route.metrics for prefix, route in found.items() if not route.problem}
        told = {f"{prefix} {name}": Cell(value) for prefix, metrics in own.items() for name, value in metrics.items()}
        return Reading(told, "no route through the NIC has such metrics")
    return Reading({key: _cell(found, *_split(key)) for key in keys})


def _cell(found: Mapping[str, tool.Route], prefix: str, metric: str) -> Cell:
    route = found.get(prefix)
    if route is None:
        others = [*list(found)[: tool.NAMED - 1], *(["others"] if len(found) >= tool.NAMED else [])]
        why = f"no route to {prefix} leaves by the NIC, which has routes to {', '.join(others) or 'nothing'}"
        return Cell(None, fixed=True, means=partial(_refuse, None, why))
    value = route.metrics.get(metric, False if metric == "quickack" else None)
    return Cell(value, fixed=True, means=partial(_refuse, value, route.problem)) if route.problem else Cell(value)


def _refuse(value: Value, problem: str, desired: str) -> Value:
    if desired != str(value):
        raise ValueError(problem)
    return value


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell], looks: int = 0) -> Tuple[Run, ...]:
    by_prefix: Dict[str, Dict[str, Value]] = {}
    for key, value in values.items():
        prefix, metric = _split(key)
        by_prefix.setdefault(prefix, {})[metric] = value
    return tuple(tool.change(nic, prefix, metrics, looks) for prefix, metrics in by_prefix.items())


def _boot(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Run, ...]:
    """Routes come when a network manager makes them, which may be long after the NIC is there."""
    changes = _write(nic, values, cells, tool.LOOKS)
    return changes if len(changes) < 2 else (tool.together(changes),)


def _unfold(keys: Mapping[str, Any]) -> Dict[str, Any]:
    """What stands under a prefix, key by key."""
    found: Dict[str, Any] = {}
    for prefix, raw in keys.items():
        below = isinstance(raw, Mapping) and raw
        found.update({f"{prefix} {name}": value for name, value in raw.items()} if below else {prefix: raw})
    return found


def _canonical(key: str) -> str:
    prefix, metric = _split(" ".join(key.split()))
    if metric not in tool.METRICS:
        if not prefix:
            raise InputError(f"routes: {key}: write metrics below it, such as {{initcwnd: 30}}")
        raise InputError(f"routes: {prefix} has no metric '{metric}'{nearest(metric, tool.METRICS)}")
    return f"{_network(prefix)} {metric}"


def _network(prefix: str) -> str:
    if prefix == "default":
        return prefix
    import ipaddress  # costs as much as the rest of the module, and few entries have routes

    try:
        whole = str(ipaddress.ip_network(prefix, strict=False))
        right = str(ipaddress.ip_interface(prefix))
    except ValueError:
        close = nearest(prefix, ("default",), otherwise=False) or "; write default, '10.0.0.0/8' or '::/0'"
        raise InputError(f"routes: '{prefix}' is no prefix{close}") from None
    if right != whole:
        raise InputError(f"routes: '{prefix}' is an address in a network; write '{whole}'")
    return "default" if whole == "0.0.0.0/0" else whole


def _parse(field: Field, raw: Any) -> Desired:
    metric = _split(field.name)[1]
    if raw is None or (isinstance(raw, str) and raw.strip() == "absent"):
        return Desired(EXACTLY, False) if metric == "quickack" else Desired(ABSENT)
    if metric == "quickack":
        return inputs.understand(field._replace(kind="switch", parse=None), raw)
    text = " ".join(str(raw).split())
    pattern, right = _RIGHT.get(metric, _NUMBER)
    if isinstance(raw, bool) or not re.fullmatch(pattern, text):
        raise InputError(f"{field.name}: {raw!r} is not valid; write {right}, or absent")
    return Desired(EXACTLY, int(text) if text.isdecimal() and metric != "congctl" else text)


routes = Family(
    name="routes",
    module="link",
    scope=NIC,
    read=_read,
    write=_write,
    boot=_boot,
    about=(
        "Metrics of routes of the main table that leave by the NIC, by prefix: C(default) or a network in quotes such "
        "as C('10.0.0.0/8') or C('::/0'), each with a dictionary of C(initcwnd) and C(initrwnd) (segments of a new "
        "connection), C(quickack) (true or false), C(rto_min) (milliseconds), C(congctl) (a congestion control), "
        "C(mtu) (bytes, or C(lock 1400)) and C(advmss) (bytes); C(absent) removes one. The rest of the route is not "
        "changed. A prefix to which no route leaves by the NIC is unsupported. At boot the "
        "commands wait for each route, up to a minute."
    ),
    open_kind="metric",
    like="default",
    open_parse=_parse,
    key_pattern=r"[0-9A-Za-z.:/]+ [a-z_]+",
    canonical=_canonical,
    unfold=_unfold,
    hint="`ip -4 route show dev NIC` and `ip -6 route show dev NIC` tell what there is; `dmesg` may say more.",
    refusals={"congestion algorithm": "the kernel has no such congestion control, nor a module of that name"},
    cuts=True,
    late=True,
)
