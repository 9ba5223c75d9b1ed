# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which hosts of a fleet need more of the playbook site than its one task."""

from __future__ import annotations

DOCUMENTATION = r"""
name: site_groups
short_description: Tell which hosts of a fleet need more than one task
version_added: 0.3.0
description:
  - Gives the groups that the playbook C(site) works with, C(tuning__first) for hosts with a
    profile of tuned or with bonds, C(tuning__rated) for hosts that ask for V(rate=auto) of C(multiq), and
    C(tuning__watched) for hosts that say whether they are watched.
  - Looks at the variables as they are written, for the whole fleet at once.
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: Names of hosts, such as V(ansible_play_hosts_all).
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Group the hosts by what they need
  ansible.builtin.add_host:
    name: "{{ item.name }}"
    groups: "{{ item.groups }}"
  loop: "{{ ansible_play_hosts_all | linuxnet.tuning.site_groups(hostvars) }}"
"""

RETURN = r"""
_value:
  description: A dictionary with C(name) and C(groups) for each host that is in a group.
  type: list
  elements: dict
  sample: [{name: router1, groups: [tuning__rated]}]
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def site_groups(names: Sequence[str], hostvars: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Each host that is in a group; AnsibleFilterError for anything but a list of names."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils import needs

    if isinstance(names, str) or not isinstance(names, Sequence) or not isinstance(hostvars, Mapping):
        raise AnsibleFilterError("site_groups needs a list of host names, and hostvars")
    # Without templating, which would cost each host as much as a task.
    read = getattr(hostvars, "raw_get", None) or hostvars.get
    found = ({"name": name, "groups": needs.groups(read(name) or {})} for name in names)
    return [one for one in found if one["groups"]]


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"site_groups": site_groups}
