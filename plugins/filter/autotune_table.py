# SPDX-License-Identifier: GPL-3.0-or-later
"""Show what a search would try, or what it has found, for the playbook autotune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: autotune_table
short_description: Show what a search for the best settings would try, or what it has found
version_added: 0.3.0
description:
  - Without a history it is the plan, with the time that it takes. With one it is the verdict, the lines for the
    inventory, the evidence, and what did not matter. Made for the playbook C(autotune).
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
    description: The turns, as P(linuxnet.tuning.autotune_turn#filter) takes them.
    type: list
    elements: dict
    default: []
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
- name: Show what would be tried
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.autotune_table(autotune_axes, budget=budget) }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""

from typing import Any, Callable, Dict, List, Optional, Sequence

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def autotune_table(
    plan: Json,
    axes: List[Json],
    history: Sequence[Json] = (),
    goal: str = "throughput",
    budget: Optional[Json] = None,
) -> List[str]:
    """The lines; AnsibleFilterError for a budget that is none."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import conduct
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    try:
        return conduct.lines(plan, axes, history, goal, budget or {})
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"autotune_table": autotune_table}
