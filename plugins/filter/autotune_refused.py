# SPDX-License-Identifier: GPL-3.0-or-later
"""Say why hosts have not taken a setting, for the playbook autotune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: autotune_refused
short_description: Say why hosts have not taken a setting
version_added: 0.3.0
description:
  - Looks at what M(linuxnet.tuning.tune) has returned on each host of a turn. Made for the playbook C(autotune).
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The turn, as P(linuxnet.tuning.autotune_turn#filter) gives it.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show the reason
  ansible.builtin.debug:
    msg: "{{ autotune_now | linuxnet.tuning.autotune_refused(hostvars) }}"
"""

RETURN = r"""
_value:
  description: The reason. Empty where all have taken it.
  type: str
"""

from typing import Any, Callable, Dict, Mapping


def autotune_refused(turn: Dict[str, Any], hostvars: Mapping[str, Any]) -> str:
    """The reason, or nothing."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import session

    answers = {host: hostvars[host].get("autotune_applied") for host in turn["hosts"] if host in hostvars}
    return session.refusal(answers, turn)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"autotune_refused": autotune_refused}
