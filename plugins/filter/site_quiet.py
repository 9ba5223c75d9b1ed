# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell whether a batch of the playbook site needs no verdict."""

from __future__ import annotations

DOCUMENTATION = r"""
name: site_quiet
short_description: Tell whether nobody in a run of the playbook site has to be judged
version_added: 0.3.0
description:
  - Tells whether each host that was asked so far was there, has changed nothing and has not failed, and no hosts
    were off before.
  - The playbook C(site) ends such a batch at once. Each of the tasks that judge a batch would take the controller as
    long as a host, while nothing else can be done.
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
  off_file:
    description: The file with the hosts that were off, as in O(linuxnet.tuning.rollout#module:file).
    type: str
    required: true
"""

EXAMPLES = r"""
- name: End the batch where there is nothing to judge
  ansible.builtin.meta: end_batch
  when: ansible_play_hosts_all | linuxnet.tuning.site_quiet(hostvars, 'site.off')
"""

RETURN = r"""
_value:
  description: Whether there is nothing to judge.
  type: bool
"""

import os
from typing import Any, Callable, Dict, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def site_quiet(names: Sequence[str], hostvars: Mapping[str, Any], off_file: str) -> bool:
    """Whether nobody has to be judged; AnsibleFilterError for anything but a list of names."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils import rollout
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.files import beside
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import notes, registered

    if isinstance(names, str) or not isinstance(names, Sequence) or not isinstance(hostvars, Mapping):
        raise AnsibleFilterError("site_quiet needs a list of host names, and hostvars")
    read = notes(hostvars)
    told = {name: registered(read(name), "tune_result") for name in names}
    # Who was off may have come back, and does not belong into the file then.
    return not os.path.lexists(beside(str(off_file))) and rollout.quiet(
        {name: rollout.Said([call], {}, {}) for name, call in told.items() if call}
    )


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"site_quiet": site_quiet}
