# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn what is in force on a host into options of tune."""

from __future__ import annotations

DOCUMENTATION = r"""
name: capture_options
short_description: Turn what is in force on a host into options of tune
version_added: 0.3.0
description:
  - Takes facts of M(linuxnet.tuning.nic_info) with its option O(linuxnet.tuning.nic_info#module:configured) by host,
    and gives what somebody has tuned there by hand, as options of M(linuxnet.tuning.tune).
  - What the drivers and the kernel set by themselves is left out, and so is what files ask for although it is not in
    force.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: Facts of one host by its name, as P(linuxnet.tuning.audit_facts#filter) gives them.
    type: dict
    required: true
  check:
    description: What M(linuxnet.tuning.tune) says of it in check mode. What that would change is left out.
    type: dict
"""

EXAMPLES = r"""
- name: Read the host and the files by which it is tuned
  linuxnet.tuning.nic_info:
    configured: true
  register: audit_info

- name: Show what somebody has tuned
  ansible.builtin.debug:
    msg: "{{ [inventory_hostname] | linuxnet.tuning.audit_facts(hostvars) | linuxnet.tuning.capture_options }}"
"""

RETURN = r"""
_value:
  description: >-
    C(nics), C(sysctl) and C(module_parameters), as M(linuxnet.tuning.tune) takes them; C(files), the lines that set
    the same, as M(linuxnet.tuning.take_over) takes them; and C(by_hand), in a sentence each line that only a person can
    take out.
  type: dict
  sample:
    nics: [{name: eth0, ring: {rx: 4096}}]
    sysctl: {net.core.rmem_max: 16777216}
    module_parameters: {}
    files: [{path: /etc/rc.local, lines: {"3": ethtool -G eth0 rx 4096}}]
    by_hand: ["/etc/rc.local line 7: it is not a separate command"]
"""

from typing import Any, Callable, Dict, Mapping

from ansible.errors import AnsibleFilterError


def capture_options(facts: Any, check: Any = None) -> Dict[str, Any]:
    """What somebody has tuned on one host; AnsibleFilterError for anything but facts of one."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, inventory, take
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import tame

    if not isinstance(facts, Mapping) or len(facts) != 1 or not all(isinstance(one, Mapping) for one in facts.values()):
        raise AnsibleFilterError("capture_options needs the facts of one host by its name, as audit_facts gives them")
    ((name, host),) = facts.items()
    captured = compose.Composer(str(name), tame(host)).capture()
    if check is not None:
        captured = compose.checked(captured, tame(check))
    files, by_hand = take.files(captured, (host.get("host") or {}).get("configured") or {})
    return {**inventory.options(captured), "files": files, "by_hand": by_hand}


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"capture_options": capture_options}
