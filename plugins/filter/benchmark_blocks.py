# SPDX-License-Identifier: GPL-3.0-or-later
"""Say in which order before and after are measured, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_blocks
short_description: Say in which order before and after are measured
version_added: 0.2.0
description:
  - Before and after alternate where what would change can be switched in seconds, so that what the network does by
    itself meanwhile cancels out. What resets links is measured in blocks. Made for the playbook C(prove).
extends_documentation_fragment:
  - linuxnet.tuning.filters.plan
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  hostvars:
    description:
      - The variables of all hosts; write V(hostvars). C(tune_result) is what M(linuxnet.tuning.tune) has returned in
        check mode. A host with C(tuning_bonds) or C(tuning_tuned_profile) is not switched back meanwhile.
    type: dict
    required: true
  known:
    description: The result from which the proof starts, if there is one.
    type: dict
  alternate:
    description: V(true) alternates in any case, V(false) never, V(auto) where it is quick.
    type: str
    default: auto
"""

EXAMPLES = r"""
- name: Show the order
  ansible.builtin.debug:
    msg: "{{ benchmark_plan | linuxnet.tuning.benchmark_blocks(hostvars) }}"
"""

RETURN = r"""
_value:
  description:
    - The C(blocks) in their order, each with its C(side) and C(runs); C(switch), which is V(quick), V(slow) or V(stay);
      and C(seconds), for which a change is in force at most until it is switched or judged.
  type: dict
"""

from typing import Any, Callable, Dict, Mapping, Optional, Union

from ansible.errors import AnsibleFilterError


def benchmark_blocks(
    plan: Dict[str, Any],
    hostvars: Mapping[str, Any],
    known: Optional[Dict[str, Any]] = None,
    alternate: Union[bool, str] = "auto",
) -> Dict[str, Any]:
    """The order; AnsibleFilterError for a word that is none of those."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import order, result

    tuned = [host for host in hostvars if hostvars[host].get("tune_result")]
    would = [hostvars[host]["tune_result"] for host in tuned]
    stays = any(hostvars[host].get(word) for host in tuned for word in ("tuning_bonds", "tuning_tuned_profile"))
    try:
        return order.make(plan, would, stays, known, str(alternate).lower())
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_blocks": benchmark_blocks}
