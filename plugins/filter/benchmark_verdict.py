# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide by measurements before and after whether a change stays, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_verdict
short_description: Decide by measurements before and after whether a change stays
version_added: 0.2.0
description:
  - Compares one figure of results of the role P(linuxnet.tuning.benchmark#role), in each direction, by an exact rank
    test of the runs (Mann-Whitney) with the size of the change and its interval (Hodges-Lehmann).
  - The outcome is C(better), C(worse) or C(undecided). With nothing changed, it is C(undecided) in at least 99 of 100
    cases. What is worse by more than the tolerance goes back.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - The result before the change.
      - Or a list of measurements in the order of time, each with its C(side), V(before) or V(after), and C(result).
    type: raw
    required: true
  after:
    description:
      - The results after the change, when O(_input) is a result.
      - Without one, measuring was impossible after the change, and everything goes back.
    type: list
    elements: dict
    default: []
  hostvars:
    description:
      - The variables of all hosts; write V(hostvars). C(tune_result) and C(tuned_result) tell which were changed, and
        C(prove_failure) why measuring was impossible. C(prove_rolled_back) tells what went back.
      - Leave it out for two saved results, to compare them only.
    type: dict
  figure:
    description:
      - V(sum), V(minimum) of all clients, V(fairness), or a V(single) client alone.
      - V(latency_median), V(latency_p95), V(latency_p99) and V(latency_lost) of round trips under load; V(idle_median),
        V(idle_p95) and V(idle_p99) without.
      - V(tcp_rtt), V(loss) and V(jitter) of UDP, V(packets) per second that are small, V(cpu_per_gigabit_client) and
        V(cpu_per_gigabit_server). Of all of these but V(packets), less is better.
    type: str
    default: sum
  tolerance:
    description: How much of it may be lost before the change goes back, as a share of 1.
    type: float
    default: 0.02
  schedule:
    description:
      - The C(blocks) that P(linuxnet.tuning.benchmark_blocks#filter) has made, which say when to look.
      - Without one, all runs are looked at once.
    type: list
    elements: dict
    default: []
  last:
    description: Whether nothing more will be measured; then the last look takes all the chance of error that is left.
    type: bool
    default: true
  plan:
    description:
      - The plan of the measurement to come, as P(linuxnet.tuning.benchmark_plan#filter) has made it. The filter then
        fails where no result of it could be judged.
    type: dict
"""

EXAMPLES = r"""
- name: Compare two saved results
  ansible.builtin.debug:
    msg: "{{ before | linuxnet.tuning.benchmark_verdict([after], figure='minimum') | linuxnet.tuning.benchmark_table }}"
"""

RETURN = r"""
_value:
  description:
    - C(groups) by name, each with C(outcome), C(keep), C(why) and C(rows). C(hosts) by name, each with C(roll_back) and
      C(why). C(enough) tells that more runs are of no use.
  type: dict
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, sequence, verdict

Json = Dict[str, Any]


def benchmark_verdict(
    measured: Union[Json, List[Json]],
    after: Sequence[Json] = (),
    hostvars: Optional[Mapping[str, Any]] = None,
    figure: str = "sum",
    tolerance: Union[float, str] = 0.02,
    schedule: Sequence[Json] = (),
    last: bool = True,
    plan: Optional[Json] = None,
) -> Json:
    """The verdict; AnsibleFilterError for results that cannot be compared."""
    try:
        share = _share(tolerance)
        results = _results(measured, after)
        if plan:
            verdict.foresee(results[0][1] if results else None, plan, figure, share)
            return {}
        first = results[0][1]
        told = None if hostvars is None else {host: hostvars[host] for host in first["hosts"] if host in hostvars}
        order = [sequence.Block(**block) for block in schedule]
        return verdict.decide(results, _changed(told), figure, share, _failure(told), _missed(told), order, last)
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


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


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_verdict": benchmark_verdict}
