# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what an audit has read on each host."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_facts
short_description: Collect what an audit has read on each host
version_added: 0.2.0
description:
  - Takes names of hosts and gives what was registered on them as C(audit_info), with their groups. Where that holds no
    comparison, C(tune_result) does. A host without either was not reached.
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: Names of hosts, such as V(ansible_play_hosts_all).
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show who was not reached
  ansible.builtin.debug:
    msg: "{{ facts | dict2items | selectattr('value.unreachable') | map(attribute='key') }}"
  vars:
    facts: "{{ ansible_play_hosts_all | linuxnet.tuning.audit_facts(hostvars) }}"
"""

RETURN = r"""
_value:
  description: Facts by host.
  type: dict
"""

from typing import Any, Callable, Dict, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def audit_facts(names: Sequence[str], hostvars: Mapping[str, Any]) -> Dict[str, Any]:
    """Facts by host; AnsibleFilterError for anything but a list of names."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import collect

    if isinstance(names, str) or not isinstance(names, Sequence) or not isinstance(hostvars, Mapping):
        raise AnsibleFilterError("audit_facts needs a list of host names, and hostvars")
    return collect.facts(names, hostvars)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"audit_facts": audit_facts}
