# SPDX-License-Identifier: GPL-3.0-or-later
"""Say which step of a proof one by one comes next, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: prove_step
short_description: Say which step of a proof one by one comes next
version_added: 0.3.0
description:
  - Tells what either side of the step leaves out, in which order it is measured, and how long.
    Made for the playbook C(prove) with C(prove_each).
extends_documentation_fragment:
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  steps:
    description: The steps, as P(linuxnet.tuning.prove_steps#filter) gives them.
    type: list
    elements: dict
    required: true
  history:
    description: What came of the steps so far, each as P(linuxnet.tuning.prove_outcome#filter) gives it.
    type: list
    elements: dict
    default: []
  budget:
    description:
      - C(seconds) for all, those that are C(elapsed), C(temporary) ones for which a change is made, and C(alternate) as
        for P(linuxnet.tuning.benchmark_blocks#filter).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Choose what comes next
  ansible.builtin.set_fact:
    step: "{{ benchmark_plan | linuxnet.tuning.prove_step(steps, history, budget) }}"
"""

RETURN = r"""
_value:
  description:
    - The step with C(without), the names of what each side leaves out; the C(blocks) to measure; C(seconds) until no
      further turn begins; and C(skipped), why it is not tried.
  type: dict
"""

from typing import Any, Callable, Dict, Sequence

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def prove_step(plan: Json, steps: Sequence[Json], history: Sequence[Json], budget: Json) -> Json:
    """The next step; AnsibleFilterError where there is no time for any."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import steps as leading
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    try:
        return leading.coming(plan, steps, history, budget)
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"prove_step": prove_step}
