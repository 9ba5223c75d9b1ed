# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring together what a verdict is made of: saved results or turns, and what the hosts have told of their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Dict, List, Optional, Set, Tuple, Union

from . import result, sequence, verdict

Json = Dict[str, Any]


def judge(
    measured: Union[Json, List[Json]],
    after: Sequence[Json],
    hostvars: Optional[Mapping[str, Any]],
    figure: str,
    tolerance: Union[float, str],
    schedule: Sequence[Json],
    last: bool,
    plan: Optional[Json],
) -> Json:
    """The verdict, or nothing where only a plan is looked at; ResultError for results that cannot be compared."""
    share = _share(tolerance)
    results = _results(measured, after)
    if plan:
        verdict.foresee(results[0][1] if results else None, plan, figure, share)
        return {}
    first = results[0][1]
    told = None if hostvars is None else {host: hostvars[host] for host in first["hosts"] if host in hostvars}
    order = [sequence.Block(**block) for block in schedule]
    return verdict.decide(results, _changed(told), figure, share, _failure(told), _missed(told), order, last)


def _results(measured: Union[Json, List[Json]], after: Sequence[Json]) -> List[Tuple[str, Json]]:
    if isinstance(measured, (list, tuple)):
        return [(one["side"], result.check(one["result"], f"a measurement {one['side']}")) for one in measured]
    first = [(sequence.BEFORE, result.check(measured, "the first result"))]
    return first + [(sequence.AFTER, result.check(one, "the second result")) for one in after]


def _share(tolerance: Union[float, str]) -> float:
    try:
        return float(tolerance)
    except ValueError:
        raise result.ResultError(f"prove_tolerance: '{tolerance}' is no number") from None


def _changed(told: Optional[Mapping[str, Any]]) -> Optional[Set[str]]:
    """The hosts on which site has changed something, be it the profile of tuned alone."""
    if told is None:
        return None
    results = [(host, told[host].get(name)) for host in told for name in ("tune_result", "tuned_result")]
    return {host for host, result in results if result and result.get("changed")}


def _failure(told: Optional[Mapping[str, Any]]) -> str:
    """The reason, which only a host that has failed itself knows."""
    return next((str(one["prove_failure"]) for one in (told or {}).values() if one.get("prove_failure")), "")


def _missed(told: Optional[Mapping[str, Any]]) -> Set[str]:
    """The hosts that were told to go back and have not said that they did."""
    back = {host: one.get("prove_rolled_back") for host, one in (told or {}).items()}
    return {host for host, said in back.items() if said and (said.get("failed") or said.get("unreachable"))}
