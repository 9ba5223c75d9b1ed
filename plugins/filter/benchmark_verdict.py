# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide by two results whether a change stays, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_verdict
short_description: Decide by two results whether a change stays
version_added: 0.2.0
description:
  - Compares one figure of two results of the role P(linuxnet.tuning.benchmark#role), in each direction.
  - A figure is worse when its median fell by more than the tolerance, and by more than the runs of both results differ
    among themselves, and all runs after are below all runs before. Then the change goes back.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result before the change.
    type: dict
    required: true
  after:
    description:
      - The results after the change. With several, a figure is worse only when it is in each of them.
      - Without one, measuring was impossible after the change, and everything goes back.
    type: list
    elements: dict
    required: true
  hostvars:
    description:
      - The variables of all hosts; write V(hostvars). C(tune_result) and C(tuned_result) tell which were changed, and
        C(prove_failure) why measuring was impossible. C(prove_rolled_back) tells what went back.
      - Leave it out for two saved results, to compare them only.
    type: dict
  figure:
    description: V(sum), V(minimum) of all clients, V(fairness), or a V(single) client alone.
    type: str
    default: sum
  tolerance:
    description: How much of it may be lost in any case, as a share of 1.
    type: float
    default: 0.05
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
    - C(groups) by name, each with C(keep), C(why) and C(rows). C(hosts) by name, each with C(roll_back) and C(why).
  type: dict
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Union

from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, verdict


def benchmark_verdict(
    before: Dict[str, Any],
    after: List[Dict[str, Any]],
    hostvars: Optional[Mapping[str, Any]] = None,
    figure: str = "sum",
    tolerance: Union[float, str] = 0.05,
    plan: Optional[Dict[str, Any]] = None,
) -> Dict[str, Any]:
    """The verdict; AnsibleFilterError for results that cannot be compared."""
    try:
        share = _share(tolerance)
        result.check(before, "the first result")
        for one in after:
            result.check(one, "the second result")
        if plan:
            verdict.foresee(before, plan, figure, share)
        told = None if hostvars is None else {host: hostvars[host] for host in before["hosts"] if host in hostvars}
        return verdict.decide(before, after, _changed(told), figure, share, _failure(told), _missed(told))
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


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
