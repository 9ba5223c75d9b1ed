# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the report of a measurement as a page."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_report
short_description: Write the report of a measurement as a page
version_added: 0.2.0
description:
  - Turns a result of the role P(linuxnet.tuning.benchmark#role) into one HTML file with charts, which needs no network.
  - With the result before a change and the verdict on it, it shows both side by side.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result.
    type: dict
    required: true
  before:
    description: The result before the change.
    type: dict
  verdict:
    description: What P(linuxnet.tuning.benchmark_verdict#filter) has made of both.
    type: dict
  steps:
    description: What P(linuxnet.tuning.prove_outcome#filter) has made of each change that was proved alone.
    type: list
    elements: dict
    default: []
    version_added: 0.3.0
"""

EXAMPLES = r"""
- name: Write a report of a saved result
  ansible.builtin.copy:
    content: "{{ lookup('ansible.builtin.file', 'today.json') | from_json | linuxnet.tuning.benchmark_report }}"
    dest: today.html
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The HTML text.
  type: str
"""

from typing import Any, Callable, Dict, Optional, Sequence

from ansible.errors import AnsibleFilterError


def benchmark_report(
    content: Dict[str, Any],
    before: Optional[Dict[str, Any]] = None,
    verdict: Optional[Dict[str, Any]] = None,
    steps: Sequence[Dict[str, Any]] = (),
) -> str:
    """The page; AnsibleFilterError for anything but a result."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import tell
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import report, result

    try:
        result.check(content, "what was handed over")
        if before:
            result.check(before, "the result before")
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None
    return report.write(content, before, verdict, [tell.section(steps)] if steps else [])


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_report": benchmark_report}
