# SPDX-License-Identifier: GPL-3.0-or-later
"""Show findings as a table."""

from __future__ import annotations

DOCUMENTATION = r"""
name: findings_table
short_description: Show findings as a table
version_added: 0.2.0
description:
  - By classroom, which is the smallest group of the inventory that a host is in, worst first; what several hosts
    of it have is one line with their names.
extends_documentation_fragment:
  - linuxnet.tuning.filters.facts
  - linuxnet.tuning.filters.findings
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  differences:
    description: Whether each value that differs from the inventory is shown too, before the findings.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ facts | linuxnet.tuning.findings_table(facts | linuxnet.tuning.findings) }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - 2 hosts; 1 high; 1 without a finding
    - ''
    - 'routers: 1 high'
    - 'high  router1  enp1s0f0  The receive ring overflows and could be larger (rx ring 256 of 4096)'
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def findings_table(
    facts: Mapping[str, Any], found: Sequence[Mapping[str, Any]], differences: bool = False
) -> List[str]:
    """The lines; AnsibleFilterError for anything but facts by host and findings."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import table
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

    if not isinstance(facts, Mapping) or isinstance(found, str) or not isinstance(found, Sequence):
        raise AnsibleFilterError("findings_table needs facts by host, and the list of findings")
    return table.lines(plain(facts), plain(found), bool(differences))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"findings_table": findings_table}
