# SPDX-License-Identifier: GPL-3.0-or-later
"""Return findings as data for programs."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_data
short_description: Return findings as data for programs
version_added: 0.2.0
description:
  - Facts and findings as one document, which a JMESPath expression filters or reshapes.
requirements:
  - The Python package jmespath on the controller, for O(query)
extends_documentation_fragment:
  - linuxnet.tuning.filters.facts
  - linuxnet.tuning.filters.findings
  - linuxnet.tuning.filters.time
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  query:
    description: A JMESPath expression, such as C(rooms), or C(findings[].host).
    type: str
    default: ''
"""

EXAMPLES = r"""
- name: Save the hosts that have a finding
  ansible.builtin.copy:
    content: "{{ facts | linuxnet.tuning.audit_data(found, query='findings[].host') | to_json }}"
    dest: hosts.json
    mode: "0644"
"""

RETURN = r"""
_value:
  description:
    - C(format) and C(version) of the document, C(time), C(summary), C(findings), C(rooms), C(unreachable) and
      C(hosts), or what the query makes of them.
  type: raw
"""

from typing import Any, Callable, Dict, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def audit_data(facts: Mapping[str, Any], found: Sequence[Mapping[str, Any]], when: str = "", query: str = "") -> Any:
    """The document; AnsibleFilterError for anything but facts by host and findings."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import data
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

    if not isinstance(facts, Mapping) or isinstance(found, str) or not isinstance(found, Sequence):
        raise AnsibleFilterError("audit_data needs facts by host, and the list of findings")
    try:
        return data.document(plain(facts), plain(found), when, query)
    except data.QueryError as error:
        raise AnsibleFilterError(f"audit_query: {error}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"audit_data": audit_data}
