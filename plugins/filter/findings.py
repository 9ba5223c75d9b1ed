# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge the facts of hosts by all rules."""

from __future__ import annotations

DOCUMENTATION = r"""
name: findings
short_description: Judge the facts of hosts by all rules
version_added: 0.2.0
description:
  - Gives what is wrong, worst first, each with the values that prove it, the reason in two sentences, what to do, and
    what to write in the inventory.
  - Pure, so it also judges facts that were saved before.
extends_documentation_fragment:
  - linuxnet.tuning.filters.facts
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  measured:
    description: A result of the playbook C(linuxnet.tuning.benchmark), whose figures some rules look at.
    type: dict
"""

EXAMPLES = r"""
- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ facts | linuxnet.tuning.findings | map(attribute='title') }}"
"""

RETURN = r"""
_value:
  description: The findings.
  type: list
  elements: dict
  sample:
    - id: ring-too-small
      severity: high
      host: router1
      groups: [routers]
      nic: enp1s0f0
      title: The receive ring overflows and could be larger
      evidence: {rx ring: 256 of 4096, 'lost, ring full': 250000 of 80000000 packets since the driver was loaded}
      explanation: The ring holds what arrives until a processor fetches it.
      action: Raise the ring to what the hardware has; the link is down for some seconds.
      remedy: {tuning_host_nics: [{name: enp1s0f0, ring: {rx: max}}]}
      reference: https://man7.org/linux/man-pages/man8/ethtool.8.html
"""

from typing import Any, Callable, Dict, List, Mapping

from ansible.errors import AnsibleFilterError


def findings(facts: Mapping[str, Any], measured: Any = None) -> List[Dict[str, Any]]:
    """The findings; AnsibleFilterError for anything but facts by host."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge

    if not isinstance(facts, Mapping):
        raise AnsibleFilterError("findings needs facts by host, as linuxnet.tuning.audit_facts gives them")
    return judge.findings(facts, measured)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"findings": findings}
