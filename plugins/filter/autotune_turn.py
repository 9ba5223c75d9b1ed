# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what to measure next, for the playbook autotune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: autotune_turn
short_description: Say what to measure next in a search for the best settings
version_added: 0.3.0
description:
  - Follows the search through all that was measured so far. Each value is tried on top of the best so far, several at
    once where there are many; the last turns prove the winner against the start. Made for the playbook C(autotune).
extends_documentation_fragment:
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  axes:
    description: What is tried, as P(linuxnet.tuning.autotune_axes#filter) gives it.
    type: list
    elements: dict
    required: true
  history:
    description:
      - The turns so far, each with the C(turn), its C(result), and the seconds that have C(elapsed) by then. One that
        brought nothing has a C(problem), and whether the hosts had C(applied) the setting.
    type: list
    elements: dict
    required: true
  goal:
    description: V(throughput), V(fairness) or V(latency).
    type: str
    default: throughput
  budget:
    description: C(measurements), C(runs) of each, C(seconds) for all, and the C(tolerance) for lost throughput.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show what comes next
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.autotune_turn(autotune_axes, autotune_history, budget=budget) }}"
"""

RETURN = r"""
_value:
  description:
    - C(over), and if it is not the C(kind) of the turn, its C(setting), C(runs) and C(side), the options of
      M(linuxnet.tuning.tune) for each of C(hosts), after how many seconds these go back by themselves (C(temporary)),
      and C(lines) that say what was measured and what comes.
  type: dict
"""

from typing import Any, Callable, Dict, List, Optional

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def autotune_turn(
    plan: Json,
    axes: List[Json],
    history: List[Json],
    goal: str = "throughput",
    budget: Optional[Json] = None,
) -> Json:
    """The turn; AnsibleFilterError for a budget that is none."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import conduct
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    try:
        return conduct.turn(plan, axes, history, goal, budget or {})
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"autotune_turn": autotune_turn}
