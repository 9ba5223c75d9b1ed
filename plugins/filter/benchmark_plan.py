# SPDX-License-Identifier: GPL-3.0-or-later
"""Work out who measures with whom, for the role benchmark."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_plan
short_description: Work out who measures with whom
version_added: 0.2.0
description:
  - Turns the entries of V(benchmark_groups) into steps, and into the options of M(linuxnet.tuning.benchmark) for each
    host. Made for the role P(linuxnet.tuning.benchmark#role).
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The entries.
    type: list
    elements: dict
    required: true
  groups:
    description: The groups of the inventory; write V(groups).
    type: dict
    required: true
  hostvars:
    description:
      - The variables of all hosts; write V(hostvars). The address of a host is its V(benchmark_address),
        V(tuning_address), V(ansible_host), or its name, whichever comes first.
    type: dict
    required: true
  options:
    description: What and how often to measure, as the role has it.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show who would measure with whom
  ansible.builtin.debug:
    msg: "{{ benchmark_groups | linuxnet.tuning.benchmark_plan(groups, hostvars, benchmark__options) }}"
"""

RETURN = r"""
_value:
  description:
    - The plan with its C(groups), C(steps) and C(hosts). After C(seconds) everything ends in any case; for C(busy)
      seconds at least it is measured.
  type: dict
"""

from typing import Any, Callable, Dict, List, Mapping

from ansible.errors import AnsibleFilterError


def benchmark_plan(
    entries: List[Dict[str, Any]], groups: Mapping[str, Any], hostvars: Mapping[str, Any], options: Dict[str, Any]
) -> Dict[str, Any]:
    """The plan; AnsibleFilterError for what cannot be measured."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import options as words
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import plan

    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise AnsibleFilterError("benchmark_groups needs a list of entries such as {server: router1, clients: room1}")
    try:
        return plan.make(entries, groups, Addresses(hostvars), options)
    except words.PlanError as error:
        raise AnsibleFilterError(str(error)) from None


class Addresses(Dict[str, str]):
    """The address of each host that is requested; looking up the variables of all would take long in a fleet."""

    def __init__(self, hostvars: Mapping[str, Any]) -> None:
        super().__init__()
        self._hostvars = hostvars

    def __missing__(self, name: str) -> str:
        variables = self._hostvars[name] if name in self._hostvars else {}  # noqa: SIM401 hostvars has no get()
        keys = ("benchmark_address", "tuning_address", "ansible_host")
        self[name] = str(next((variables[key] for key in keys if variables.get(key)), name))
        return self[name]


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_plan": benchmark_plan}
