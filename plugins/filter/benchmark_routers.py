# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which routers are between the hosts of a measurement, for the role benchmark."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_routers
short_description: Tell which routers are between the hosts of a measurement
version_added: 0.3.0
description:
  - Gathers the routers that the hosts of a plan send to first on their ways to each other, as
    M(linuxnet.tuning.benchmark) has told on each. Made for the role P(linuxnet.tuning.benchmark#role).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  what:
    description:
      - V(addresses) are those of the routers. V(obstacles) are sentences about those that would drop what goes through
        them, as the hosts of the inventory that they are have told.
    type: str
    choices: [addresses, obstacles]
    default: addresses
"""

EXAMPLES = r"""
- name: Show the routers
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.benchmark_routers(hostvars) }}"
"""

RETURN = r"""
_value:
  description: The addresses or the sentences.
  type: list
  elements: str
  sample: [10.0.0.254]
"""

from typing import Any, Callable, Dict, List, Mapping


def benchmark_routers(plan: Dict[str, Any], hostvars: Mapping[str, Any], what: str = "addresses") -> List[str]:
    """The routers."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import ways

    checked = {host: hostvars[host].get("benchmark_checked") or {} for host in plan["hosts"]}
    if what == "addresses":
        return ways.routers(checked)
    return ways.obstacles(checked, {host: hostvars[host].get("benchmark_between") or {} for host in hostvars})


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_routers": benchmark_routers}
