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
    cases. What is worse by more than the tolerance is rolled back.
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
      - Without one, measuring was impossible after the change, and everything is rolled back.
    type: list
    elements: dict
    default: []
  hostvars:
    description:
      - The variables of all hosts; write V(hostvars). C(tune_result) and C(tuned_result) tell which were changed, and
        C(prove_failure) why measuring was impossible, or why it ended early. C(prove_rolled_back) tells what went back.
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
    description: How much of it may be lost before the change is rolled back, as a share of 1.
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

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ansible.errors import AnsibleFilterError

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
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import comparison, result

    try:
        return comparison.judge(measured, after, hostvars, figure, tolerance, schedule, last, plan)
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_verdict": benchmark_verdict}
