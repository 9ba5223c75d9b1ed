# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which addresses a host has to let in, for the role benchmark."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_sources
short_description: Tell which addresses come to a host to measure
version_added: 0.3.0
description:
  - Gathers the addresses from which the hosts of a plan reach one of them, as M(linuxnet.tuning.benchmark) has told on
    each. Made for the role P(linuxnet.tuning.benchmark#role), which opens the firewalls for these only.
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  host:
    description: The name of the host that others come to.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Show who is let in
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.benchmark_sources(hostvars, inventory_hostname) }}"
"""

RETURN = r"""
_value:
  description: The addresses.
  type: list
  elements: str
  sample: [10.0.0.1, "2001:db8::1"]
"""

from typing import Any, Callable, Dict, List, Mapping


def benchmark_sources(plan: Dict[str, Any], hostvars: Mapping[str, Any], host: str) -> List[str]:
    """The addresses, in the order of the hosts that come."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import ways

    return ways.sources(plan, host, {one: hostvars[one]["benchmark_checked"] for one in plan["hosts"][host]["comers"]})


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_sources": benchmark_sources}
