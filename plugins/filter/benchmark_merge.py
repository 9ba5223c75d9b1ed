# SPDX-License-Identifier: GPL-3.0-or-later
"""Make one result of several measurements of the same, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_merge
short_description: Make one result of several measurements of the same
version_added: 0.2.0
description:
  - Puts the runs of several results of the role P(linuxnet.tuning.benchmark#role) together, and computes the figures of
    all of them. Settings and time are those of the last one.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The results, of the same groups with the same options.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Take the runs of two evenings together
  ansible.builtin.set_fact:
    whole: "{{ [monday, tuesday] | linuxnet.tuning.benchmark_merge }}"
"""

RETURN = r"""
_value:
  description: One result.
  type: dict
"""

from typing import Any, Callable, Dict, List

from ansible.errors import AnsibleFilterError


def benchmark_merge(results: List[Dict[str, Any]]) -> Dict[str, Any]:
    """The whole; AnsibleFilterError for anything but results."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    try:
        return result.merge([result.check(one, "what was handed over") for one in results])
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_merge": benchmark_merge}
