# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what came of a step of a proof one by one, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: prove_outcome
short_description: Say what came of a step of a proof one by one
version_added: 0.3.0
description:
  - A step is kept where it harms no entry of C(benchmark_groups), by the rule of the playbook C(prove). Otherwise it
    goes back on all hosts, for its changes belong together. Made for the playbook C(prove) with C(prove_each).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The step, as P(linuxnet.tuning.prove_step#filter) gives it.
    type: dict
    required: true
  verdict:
    description: What P(linuxnet.tuning.benchmark_verdict#filter) says of it; nothing of a step that was skipped.
    type: dict
    required: true
  seconds:
    description: How long it took.
    type: float
    default: 0
"""

EXAMPLES = r"""
- name: Remember what came of it
  ansible.builtin.set_fact:
    history: "{{ history + [step | linuxnet.tuning.prove_outcome(verdict, hostvars)] }}"
"""

RETURN = r"""
_value:
  description:
    - The C(name) and C(hosts) of the step with its C(outcome), whether it is C(kept), C(why), the C(rows) of the figure
      that decides, and the C(lines) to remove from the inventory.
  type: dict
"""

from typing import Any, Callable, Dict, Mapping

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def prove_outcome(step: Json, verdict: Json, hostvars: Mapping[str, Any], seconds: float = 0) -> Json:
    """What came of it; AnsibleFilterError for anything but a step."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import steps

    if not isinstance(step, Mapping) or "skipped" not in step:
        raise AnsibleFilterError("prove_outcome needs a step, as prove_step gives it")
    return steps.ended(step, verdict, hostvars, float(seconds))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"prove_outcome": prove_outcome}
