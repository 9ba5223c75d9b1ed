# SPDX-License-Identifier: GPL-3.0-or-later
"""Make one result of what all hosts have measured, for the role benchmark."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_result
short_description: Make one result of what all hosts have measured
version_added: 0.2.0
description:
  - Puts together what the calls of M(linuxnet.tuning.benchmark) on all hosts of a plan returned, and computes the
    figures. Made for the role P(linuxnet.tuning.benchmark#role).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  about:
    description: What else belongs in the result, such as its label.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show the figures of all groups
  ansible.builtin.debug:
    msg: "{{ (benchmark_plan | linuxnet.tuning.benchmark_result(hostvars, {'label': 'today'})).groups }}"
"""

RETURN = r"""
_value:
  description: The result, whose form is described in the documentation of the benchmark.
  type: dict
"""

from typing import Any, Callable, Dict, Mapping

from ansible.errors import AnsibleFilterError


def benchmark_result(plan: Dict[str, Any], hostvars: Mapping[str, Any], about: Dict[str, Any]) -> Dict[str, Any]:
    """The result; AnsibleFilterError where a part of it is missing."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    names = ("benchmark_checked", "benchmark_started", "benchmark_collected")
    checked, started, collected = ({host: hostvars[host][name] for host in plan["hosts"]} for name in names)
    try:
        return result.make(plan, checked, started, collected, about)
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_result": benchmark_result}
