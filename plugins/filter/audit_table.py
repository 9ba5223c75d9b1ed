# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the result of a tuning call as a table that a person can read."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_table
short_description: Show the result of a tuning call as a table
version_added: 0.1.0
description:
  - Turns what M(linuxnet.tuning.tune) returned into lines of a table. The first says how much differs; then follows
    one line for each value that differs, and one for each that the host cannot have.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result of M(linuxnet.tuning.tune).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show what differs
  ansible.builtin.debug:
    msg: "{{ tune_result | linuxnet.tuning.audit_table }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - 1 of 2 values differs
    - where   setting  is   should be
    - enp1s0  ring rx  256  4096
"""

from typing import Any, Callable, Dict, List, Mapping

from ansible.errors import AnsibleFilterError


def audit_table(result: Mapping[str, Any]) -> List[str]:
    """The lines of the table; AnsibleFilterError for anything but a result of `tune`."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils import drift

    if not isinstance(result, Mapping) or "before" not in result or "unsupported" not in result:
        raise AnsibleFilterError("audit_table needs the result of linuxnet.tuning.tune")
    return drift.table(result)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"audit_table": audit_table}
