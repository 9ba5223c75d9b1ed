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
    description:
      - The hosts of the play; write V(ansible_play_hosts_all).
      - V(ansible_play_hosts) lacks hosts that are still in the play, once a task with C(run_once) has failed and was
        rescued.
    type: list
    elements: str
    required: true
  state:
    description: The state of the module that was requested, registered as C(benchmark_checked) and so on.
    type: str
    choices: [checked, started, collected]
    default: checked
  begun:
    description: What C(benchmark_begun) of a host is if it has begun this measurement. Answers of others are old ones.
    type: float
    version_added: 0.3.0
"""

EXAMPLES = r"""
- name: Go on only when all are there
  ansible.builtin.assert:
    that: benchmark_plan | linuxnet.tuning.benchmark_absent(hostvars, ansible_play_hosts_all) is falsy
"""

RETURN = r"""
_value:
  description: The hosts and the reasons.
  type: list
  elements: str
  sample: ["pc3 (it is not in the play, or cannot be reached)"]
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence


def benchmark_absent(
    plan: Dict[str, Any],
    hostvars: Mapping[str, Any],
    present: Sequence[str],
    state: str = "checked",
    begun: Optional[float] = None,
) -> List[str]:
    """Who is missing."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, ways

    there = [host for host in plan["hosts"] if host in present]
    there = [host for host in there if begun in (None, hostvars[host].get("benchmark_begun"))]
    answers = {host: hostvars[host].get(f"benchmark_{state}") or {} for host in there}
    hints = {}
    if state == "collected":
        # Only hosts that go by a router have asked who that is, and then all have.
        checked = {host: hostvars[host].get("benchmark_checked") or {} for host in answers}
        routed = any(told.get("routers") for told in checked.values())
        between = {host: hostvars[host].get("benchmark_between") or {} for host in (hostvars if routed else ())}
        hints = {host: ways.hint(told, between) for host, told in checked.items()}
    given = {host: found for host, found in answers.items() if not found.get("skipped")}
    return result.absent(plan, given, state, hints)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_absent": benchmark_absent}
