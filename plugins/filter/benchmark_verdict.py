# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide by two results whether a change stays, for the playbook prove."""

from __future__ import annotations

DOCUMENTATION = r"""
name: benchmark_verdict
short_description: Decide by two results whether a change stays
version_added: 0.2.0
description:
  - Compares one figure of two results of the role P(linuxnet.tuning.benchmark#role), in each direction.
  - A figure is worse when its median fell by more than the tolerance, and by more than the runs of both results differ
    among themselves, and all runs after are below all runs before. Then the change goes back.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result before the change.
    type: dict
    required: true
  after:
    description:
      - The results after the change. With several, a figure is worse only when it is in each of them.
      - Without one, measuring was impossible after the change, and everything goes back.
    type: list
    elements: dict
    required: true
  changed:
    description: The hosts that were changed. Leave it out for two saved results, to compare them only.
    type: list
    elements: str
  figure:
    description: V(sum), V(minimum) of all clients, V(fairness), or a V(single) client alone.
    type: str
    default: sum
  tolerance:
    description: How much of it may be lost in any case, as a share of 1.
    type: float
    default: 0.05
  failure:
    description: Why measuring was impossible, if it was.
    type: str
    default: ''
"""

EXAMPLES = r"""
- name: Compare two saved results
  ansible.builtin.debug:
    msg: "{{ before | linuxnet.tuning.benchmark_verdict([after], figure='minimum') | linuxnet.tuning.benchmark_table }}"
"""

RETURN = r"""
_value:
  description:
    - C(groups) by name, each with C(keep), C(why) and C(rows). C(hosts) by name, each with C(roll_back) and C(why).
  type: dict
"""

from typing import Any, Callable, Dict, List, Optional, Sequence

from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result, verdict


def benchmark_verdict(
    before: Dict[str, Any],
    after: List[Dict[str, Any]],
    changed: Optional[Sequence[str]] = None,
    figure: str = "sum",
    tolerance: float = 0.05,
    failure: str = "",
) -> Dict[str, Any]:
    """The verdict; AnsibleFilterError for results that cannot be compared."""
    try:
        result.check(before, "the first result")
        for one in after:
            result.check(one, "the second result")
        return verdict.decide(
            before, after, None if changed is None else set(changed), figure, float(tolerance), failure
        )
    except result.ResultError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"benchmark_verdict": benchmark_verdict}
