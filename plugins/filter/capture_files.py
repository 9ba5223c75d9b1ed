# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what is in force on hosts as files of an inventory."""

from __future__ import annotations

DOCUMENTATION = r"""
name: capture_files
short_description: Write what is in force on hosts as files of an inventory
version_added: 0.3.0
description:
  - Takes facts by host as P(linuxnet.tuning.capture_options#filter) does, and gives the files C(host_vars/NAME.yml)
    with a comment for each value. What all hosts of a group have in common goes to C(group_vars).
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: Facts by host, as P(linuxnet.tuning.audit_facts#filter) gives them.
    type: dict
    required: true
  checks:
    description:
      - By host what M(linuxnet.tuning.tune) says in check mode of what P(linuxnet.tuning.capture_options#filter) gives.
        What it would change is left out and told.
    type: dict
    default: {}
  groups:
    description: The hosts of each group, such as V(groups).
    type: dict
    default: {}
  group:
    description: The group that gets what its hosts have in common; without it the one that has just these hosts.
    type: str
    default: ''
  existing:
    description: The paths that are there already below the folder of the inventory, with V(true) for folders.
    type: dict
    default: {}
  overwrite:
    description: Whether an existing file may be overwritten.
    type: bool
    default: false
  about:
    description: What to say in the first line of each file, such as the time.
    type: str
    default: ''
"""

EXAMPLES = r"""
- name: Show the files
  ansible.builtin.debug:
    msg: "{{ facts | linuxnet.tuning.capture_files(groups=groups) }}"
  vars:
    facts: "{{ ansible_play_hosts | linuxnet.tuning.audit_facts(hostvars) }}"
"""

RETURN = r"""
_value:
  description: >-
    The files, each with its C(path), its C(content), and C(blocked) where a file is there already that must not be
    overwritten.
  type: list
  elements: dict
  sample:
    - {path: host_vars/files1.yml, content: "tuning_host_sysctl:\n  net.core.rmem_max: 16777216\n", blocked: false}
"""

from typing import Any, Callable, Dict, List, Mapping, Optional

from ansible.errors import AnsibleFilterError


def capture_files(
    facts: Any,
    checks: Optional[Mapping[str, Any]] = None,
    groups: Optional[Mapping[str, Any]] = None,
    group: str = "",
    existing: Optional[Mapping[str, bool]] = None,
    overwrite: bool = False,
    about: str = "",
) -> List[Dict[str, Any]]:
    """The files of an inventory; AnsibleFilterError for anything but facts by host."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, share
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import tame

    if not isinstance(facts, Mapping) or not all(isinstance(one, Mapping) for one in facts.values()):
        raise AnsibleFilterError("capture_files needs facts by host, as audit_facts gives them")
    found = []
    for name, host in facts.items():
        if host.get("unreachable") or not host.get("host"):
            continue
        captured = compose.Composer(str(name), tame(host)).capture()
        found.append(compose.checked(captured, tame((checks or {})[name])) if name in (checks or {}) else captured)
    try:
        chosen = share.group_of((one.host for one in found), str(group or ""), groups or {})
    except ValueError as error:
        raise AnsibleFilterError(str(error)) from None
    return share.files(found, chosen, existing or {}, str(about), bool(overwrite))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"capture_files": capture_files}
