# SPDX-License-Identifier: GPL-3.0-or-later
"""Name the NICs that lead to the peers of a host, for the playbook autotune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: autotune_nics
short_description: Name the NICs that lead to the peers of a host
version_added: 0.3.0
description:
  - Compares the networks of a host's addresses with the addresses of those that it measures with. Made for the
    playbook C(autotune).
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: What M(linuxnet.tuning.nic_info) has returned on the host.
    type: dict
    required: true
  peers:
    description: Addresses.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the NICs to the servers
  ansible.builtin.debug:
    msg: "{{ found | linuxnet.tuning.autotune_nics(['192.168.32.254']) }}"
"""

RETURN = r"""
_value:
  description: The names. None where the networks do not tell, as behind a router.
  type: list
  elements: str
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence


def autotune_nics(read: Mapping[str, Any], peers: Sequence[str]) -> List[str]:
    """The names of the NICs, or none."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import axes

    return axes.nics(read.get("host", {}), peers)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"autotune_nics": autotune_nics}
