# SPDX-License-Identifier: GPL-3.0-or-later
"""Take apart what would change into the steps of a proof one by one, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: prove_steps
short_description: Take apart what would change into the steps of a proof one by one
version_added: 0.3.0
description:
  - What belongs together is one step, on all hosts at once, such as the rings, the MTU, or the sizes of buffers.
  - What is switched in seconds comes first, then what resets links, then what needs the queues that are there by then.
    Made for the playbook C(prove) with C(prove_each).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - The names of the hosts that are tuned. C(tune_result) of each is what M(linuxnet.tuning.tune) has returned in
        check mode.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show what would be tried
  ansible.builtin.debug:
    msg: "{{ ansible_play_hosts | linuxnet.tuning.prove_steps(hostvars) }}"
"""

RETURN = r"""
_value:
  description:
    - The steps, each with its C(name), the changes by C(hosts), and the C(lines) of the inventory that ask for it.
  type: list
  elements: dict
  sample:
    - name: ring
      hosts: {router1: [{nic: eth0, key: ring rx, before: 256, after: 4096}]}
      lines: ["tuning_nics: {ring: {rx: max}}  # router1"]
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def prove_steps(tuned: Sequence[str], hostvars: Mapping[str, Any]) -> List[Json]:
    """The steps; AnsibleFilterError where a host has not said what it would change."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import steps
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result

    try:
        return steps.make(hostvars, [str(host) for host in tuned])
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"prove_steps": prove_steps}
