# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what is worth trying on some hosts, for the playbook autotune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: autotune_axes
short_description: Say what is worth trying on some hosts
version_added: 0.3.0
description:
  - Takes what M(linuxnet.tuning.nic_info) has read on each host, and gives the settings that can be changed there and
    matter to a goal, each with some values. Made for the playbook C(autotune).
extends_documentation_fragment:
  - linuxnet.tuning.filters.plan
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  hosts:
    description: The hosts that may be changed; those that take no part in the plan are left out.
    type: list
    elements: str
    required: true
  goal:
    description: V(throughput), V(fairness) or V(latency).
    type: str
    default: throughput
  only:
    description: The names of the settings that may be tried; all by default.
    type: list
    elements: str
    default: []
  start:
    description: The result of a measurement of the start. Buffers need the round trip and the rate that it tells.
    type: dict
"""

EXAMPLES = r"""
- name: Show what could be tried
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.autotune_axes(hostvars, ['files1'], goal='latency') }}"
"""

RETURN = r"""
_value:
  description:
    - The settings in the order in which they are tried, each with its C(name), what it is C(about), and its C(values)
      by name, with the options of M(linuxnet.tuning.tune) for each host.
  type: list
  elements: dict
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ansible.errors import AnsibleFilterError


def autotune_axes(
    plan: Dict[str, Any],
    hostvars: Mapping[str, Any],
    hosts: Sequence[str],
    goal: str = "throughput",
    only: Sequence[str] = (),
    start: Optional[Dict[str, Any]] = None,
) -> List[Dict[str, Any]]:
    """What is worth trying; AnsibleFilterError for a goal or a setting that nobody knows."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import axes, session
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    tuned = [host for host in hosts if host in plan["hosts"]]
    try:
        # A list of a command line is a text.
        only = [word.strip() for word in only.split(",")] if isinstance(only, str) else only
        session.check(plan, goal, only, tuned)
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None
    known = {host: hostvars[host].get("autotune_read") for host in tuned if host in hostvars}
    facts = {host: read for host, read in known.items() if read and "nics" in read}
    peers = {host: plan["hosts"][host]["peers"] for host in tuned}
    return axes.make(facts, peers, goal, session.line(start) if start else None, only)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"autotune_axes": autotune_axes}
