# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which hosts of a plan are not there, for the role benchmark."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_absent
short_description: Tell which hosts of a measurement are not there
version_added: 0.2.0
description:
  - Names the hosts of a plan on which a call of M(linuxnet.tuning.benchmark) has failed, or was not made, each with
    the reason. Made for the role P(linuxnet.tuning.benchmark#role).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  present:
    description: The hosts that are still in the play; write V(ansible_play_hosts). Answers of others are old ones.
    type: list
    elements: str
    required: true
  state:
    description: The state of the module that was requested, registered as C(benchmark_checked) and so on.
    type: str
    choices: [checked, started, collected]
    default: checked
"""

EXAMPLES = r"""
- name: Go on only when all are there
  ansible.builtin.assert:
    that: benchmark_plan | linuxnet.tuning.benchmark_absent(hostvars, ansible_play_hosts) is falsy
"""

RETURN = r"""
_value:
  description: The hosts and the reasons.
  type: list
  elements: str
  sample: ["pc3 (it is not in the play, or cannot be reached)"]
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence


def benchmark_absent(
    plan: Dict[str, Any], hostvars: Mapping[str, Any], present: Sequence[str], state: str = "checked"
) -> List[str]:
    """Who is missing."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, ways

    answers = {host: hostvars[host].get(f"benchmark_{state}") for host in plan["hosts"] if host in present}
    hints = {}
    if state == "collected":
        # Only hosts that go by a router have asked who that is, and then all have.
        checked = {host: hostvars[host].get("benchmark_checked") or {} for host in answers}
        routed = any(told.get("routers") for told in checked.values())
        between = {host: hostvars[host].get("benchmark_between") or {} for host in (hostvars if routed else ())}
        hints = {host: ways.hint(told, between) for host, told in checked.items()}
    return result.absent(plan, {host: found for host, found in answers.items() if found}, state, hints)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_absent": benchmark_absent}
