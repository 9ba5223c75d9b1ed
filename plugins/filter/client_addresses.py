# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the hosts of an inventory group into the addresses of clients."""

from __future__ import annotations

DOCUMENTATION = r"""
name: client_addresses
short_description: Turn the hosts of an inventory group into addresses for multiq
version_added: 0.1.0
description:
  - Takes names of hosts and gives their addresses in the order of the addresses, so that a host keeps its queue when
    the inventory is sorted differently.
  - The address of a host is the variable V(tuning_address), V(ansible_host), or its name, whichever comes first.
extends_documentation_fragment:
  - linuxnet.tuning.filters.hostvars
author:
  - The linuxnet.tuning maintainers (@linuxnet)
requirements:
  - The Python package netaddr on the controller
options:
  _input:
    description: Names of hosts, such as V(groups['room1']).
    type: list
    elements: str
    required: true
  within:
    description: Leave out addresses that are not in this network, such as those of another room.
    type: str
"""

EXAMPLES = r"""
- name: One queue for each PC of the room
  linuxnet.tuning.multiq:
    nics:
      - name: enp1s0f0
        multiq:
          clients: "{{ groups['room1'] | linuxnet.tuning.client_addresses(hostvars, within='192.168.32.0/24') }}"
"""

RETURN = r"""
_value:
  description: The addresses.
  type: list
  elements: str
  sample: [192.168.32.1, 192.168.32.2]
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence

from ansible.errors import AnsibleFilterError


def client_addresses(names: Sequence[str], hostvars: Mapping[str, Any], within: str = "") -> List[str]:
    """Addresses in their own order; AnsibleFilterError for a host without one, and for two with the same."""
    try:
        import netaddr
    except ImportError:
        raise AnsibleFilterError("client_addresses needs the Python package netaddr on the controller") from None
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise AnsibleFilterError("client_addresses needs a list of host names, such as groups['room1']")
    owners: Dict[Any, str] = {}
    for name in names:
        written = _written(name, hostvars)
        try:
            address = netaddr.IPAddress(written)
        except (netaddr.AddrFormatError, ValueError):
            raise AnsibleFilterError(
                f"{name} has no address but '{written}'; give it the variable tuning_address or ansible_host"
            ) from None
        if address in owners:
            raise AnsibleFilterError(f"{name} and {owners[address]} have the same address {address}")
        owners[address] = name
    try:
        network = netaddr.IPNetwork(within) if within else None
    except (netaddr.AddrFormatError, ValueError):
        raise AnsibleFilterError(f"within='{within}' is no network such as 192.168.32.0/24") from None
    return [str(address) for address in sorted(owners) if network is None or address in network]


def _written(name: str, hostvars: Mapping[str, Any]) -> str:
    variables = hostvars.get(name, {})
    return str(next((variables[key] for key in ("tuning_address", "ansible_host") if variables.get(key)), name))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"client_addresses": client_addresses}
