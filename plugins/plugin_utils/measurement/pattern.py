# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell from the pairs that are slow which part of the network they have in common and the others have not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import quantiles

Ends = tuple[str, str]

# Less of what the quick pairs carry is slow.
_SLOW = 0.7
# Of the pairs of a host, or between two parts, that have to be slow for it to be the reason.
_MOST = 0.8
# Names of hosts before the rest is a number.
_NAMED = 4


def find(rates: Mapping[Ends, float]) -> dict[Ends, str]:
    """By pair of sender and receiver where the slow hop lies; pairs that are as quick as most are left out."""
    if len(rates) < 2:
        return {}
    quick = quantiles(rates.values(), n=4)[2]
    slow = {ends for ends, rate in rates.items() if rate < _SLOW * quick}
    if not slow:
        return _all_alike(rates)
    for end, word in ((0, "sends"), (1, "receives"), (None, "carries")):
        host = _common(rates, slow, end)
        if host:
            return dict.fromkeys(slow, f"the cable, the switch port or the path of all that {host} {word}")
    parts = _parts(rates, slow)
    if len(parts) > 1:
        return {
            ends: f"between {_names(_of(parts, ends[0]))} on one side and {_names(_of(parts, ends[1]))} on the other"
            for ends in slow
            if _of(parts, ends[0]) is not _of(parts, ends[1])
        }
    return {}


def _all_alike(rates: Mapping[Ends, float]) -> dict[Ends, str]:
    """Pairs that have one end in common share the way to it, and whatever is the same for all."""
    hubs = set.intersection(*({*ends} for ends in rates))
    return {ends: f"a hop that all {len(rates)} pairs share, next to {min(hubs)}" for ends in rates} if hubs else {}


def _common(rates: Mapping[Ends, float], slow: Collection[Ends], end: int | None) -> str:
    """The one host that all slow pairs have in common, at this place or at either, and few quick ones."""

    def of(ends: Ends) -> set[str]:
        return {*ends} if end is None else {ends[end]}

    for host in sorted(set.intersection(*(of(ends) for ends in slow))):
        own = [ends for ends in rates if host in of(ends)]
        if len(own) < len(rates) and len(slow) >= _MOST * len(own):
            return host
    return ""


def _parts(rates: Mapping[Ends, float], slow: Collection[Ends]) -> list[set[str]]:
    """The hosts in parts within which pairs are quick, if nearly all pairs across are slow; else nothing."""
    parts: list[set[str]] = [{host} for host in dict.fromkeys(host for ends in rates for host in ends)]
    for ends in rates:
        if ends not in slow:
            joined = set().union(*(part for part in parts if part & {*ends}))
            parts = [*(part for part in parts if not part & joined), joined]
    return parts if len(parts) > 1 else []


def _of(parts: list[set[str]], host: str) -> set[str]:
    return next(part for part in parts if host in part)


def _names(hosts: Collection[str]) -> str:
    names = sorted(hosts)
    more = [f"{len(names) - _NAMED + 1} others"] if len(names) > _NAMED else []
    return ", ".join([*(names[: _NAMED - 1] if more else names), *more])
