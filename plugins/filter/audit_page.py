# SPDX-License-Identifier: GPL-3.0-or-later
"""Show findings as a page."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_page
short_description: Show findings as a page
version_added: 0.2.0
description:
  - One HTML file that needs no network, for a screen, a phone and paper.
extends_documentation_fragment:
  - linuxnet.tuning.filters.facts
  - linuxnet.tuning.filters.findings
  - linuxnet.tuning.filters.time
author:
  - The linuxnet.tuning maintainers (@linuxnet)
"""

EXAMPLES = r"""
- name: Save the report
  ansible.builtin.copy:
    content: "{{ facts | linuxnet.tuning.audit_page(found) }}"
    dest: audit.html
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The text of the page.
  type: str
"""

from typing import Any, Callable, Dict, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def audit_page(facts: Mapping[str, Any], found: Sequence[Mapping[str, Any]], when: str = "") -> str:
    """The page; AnsibleFilterError for anything but facts by host and findings."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import report
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

    if not isinstance(facts, Mapping) or isinstance(found, str) or not isinstance(found, Sequence):
        raise AnsibleFilterError("audit_page needs facts by host, and the list of findings")
    return report.document(plain(facts), plain(found), when)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"audit_page": audit_page}
