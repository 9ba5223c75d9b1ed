# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the plan or the end of a proof one by one, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: prove_table
short_description: Show the plan or the end of a proof one by one
version_added: 0.3.0
description:
  - Without a history it is the plan. With one it is the table of all steps, which of them helped most, and the lines to
    remove from the inventory. Made for the playbook C(prove) with C(prove_each).
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - The steps, as P(linuxnet.tuning.prove_steps#filter) gives them.
      - Or one step, as P(linuxnet.tuning.prove_step#filter) gives it, to tell what comes now.
    type: raw
    required: true
  history:
    description: What came of the steps so far, each as P(linuxnet.tuning.prove_outcome#filter) gives it.
    type: list
    elements: dict
    default: []
  first:
    description: The first step, as P(linuxnet.tuning.prove_step#filter) gives it, for the plan.
    type: dict
    default: {}
  aside:
    description: The hosts with a profile of C(tuned) and with C(bonds), which are left as they are.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show how it ended
  ansible.builtin.debug:
    msg: "{{ steps | linuxnet.tuning.prove_table(history) }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ansible.errors import AnsibleFilterError

Json = Dict[str, Any]


def prove_table(
    steps: Union[Json, Sequence[Json]],
    history: Sequence[Json] = (),
    first: Optional[Json] = None,
    aside: Optional[Mapping[str, Sequence[str]]] = None,
) -> List[str]:
    """The lines; AnsibleFilterError for anything but steps."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import tell

    if not isinstance(steps, (list, tuple, Mapping)):
        raise AnsibleFilterError("prove_table needs the steps, as prove_steps gives them")
    if isinstance(steps, Mapping):
        return tell.progress(steps)
    return tell.ending(history) if history else tell.plan(steps, first or {}, aside or {})


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"prove_table": prove_table}
