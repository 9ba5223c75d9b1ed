# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a result of the role benchmark, or a verdict on two, as lines with bars."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_table
short_description: Show a result of a measurement, or a verdict on two, in the terminal
version_added: 0.2.0
description:
  - Turns a result of the role P(linuxnet.tuning.benchmark#role), or a verdict of
    P(linuxnet.tuning.benchmark_verdict#filter), into lines that a person can read.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result or the verdict.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show a saved result
  ansible.builtin.debug:
    msg: "{{ lookup('ansible.builtin.file', 'results/before.json') | from_json | linuxnet.tuning.benchmark_table }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""

from typing import Any, Callable, Dict, List

from ansible.errors import AnsibleFilterError


def benchmark_table(content: Dict[str, Any]) -> List[str]:
    """The lines; AnsibleFilterError for anything else."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, table

    if isinstance(content, dict) and {"groups", "hosts", "tolerance"} <= set(content):
        return table.verdict(content)
    try:
        return table.lines(result.check(content, "what was handed over"))
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_table": benchmark_table}
