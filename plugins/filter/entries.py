# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the state of NICs, as a call has returned it, into entries that can be requested."""

from __future__ import annotations

DOCUMENTATION = r"""
name: entries
short_description: Turn a returned state into entries of the option nics
version_added: 0.1.0
description:
  - Modules take a list of entries and return a dictionary by NIC. This filter converts the latter into the former, so
    that one more call restores an earlier state.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - RV(linuxnet.tuning.ethtool#module:before) of a call, or the part C(nics) of what M(linuxnet.tuning.tune)
        returned.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Try larger rings
  linuxnet.tuning.ethtool:
    nics:
      - match: {driver: igb}
        ring: {rx: max, tx: max}
  register: tried

- name: Go back
  linuxnet.tuning.ethtool:
    nics: "{{ tried.before | linuxnet.tuning.entries }}"
"""

RETURN = r"""
_value:
  description: The entries.
  type: list
  elements: dict
  sample: [{name: enp1s0, ring: {rx: 256, tx: 256}}]
"""

from typing import Any, Callable, Dict, List, Mapping

from ansible.errors import AnsibleFilterError


def entries(state: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """One entry for each NIC; AnsibleFilterError for anything but a dictionary of dictionaries."""
    if not isinstance(state, Mapping) or not all(isinstance(families, Mapping) for families in state.values()):
        raise AnsibleFilterError("entries needs a dictionary of NICs, such as `before` of linuxnet.tuning.ethtool")
    if "sysctl" in state and "nics" in state:
        raise AnsibleFilterError("entries needs the NICs alone; of linuxnet.tuning.tune take `before.nics`")
    return [{"name": nic, **families} for nic, families in state.items()]


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"entries": entries}
