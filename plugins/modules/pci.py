#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set memory requests and link power saving (ASPM) of NICs on PCI Express or PCI-X."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pci
short_description: Set memory requests and link power saving (ASPM) of NICs on PCI Express or PCI-X
version_added: 0.1.0
description:
  - Sets the maximum read request size of the PCI Express capability, or the maximum memory read byte count of the
    PCI-X one, in bytes.
  - Sets relaxed ordering, extended tags and no snoop, and in which states of ASPM the link may sleep.
  - Finds the register by the capability's name, changes its bits only, and reads it again. A device that lacks the
    capability is never written to.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
requirements:
  - The program C(setpci) on the host, which is in the package pciutils; the states of ASPM need no program
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.nic_info
"""

EXAMPLES = r"""
- name: Let the NICs of a file server fetch 4 KiB at once
  linuxnet.tuning.pci:
    nics:
      - match: {driver: ixgbe}
        pci: {max_read_request: 4096}
"""

RETURN = r"""
before:
  description: The values in force before the call, by NIC, group and key. Each NIC has the shape of an entry of
    O(nics).
  returned: success
  type: dict
  sample: {enp1s0: {pci: {max_read_request: 512}}}
after:
  description: The same after the call, read again from the device; in check mode what it would be.
  returned: success
  type: dict
  sample: {enp1s0: {pci: {max_read_request: 4096}}}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: ['setpci -s 0000:01:00.0 CAP_EXP+8.w=5000:7000']
unsupported:
  description: What the host cannot have.
  returned: success
  type: list
  elements: dict
  sample: [{nic: enp5s0, family: pause, key: rx, asked: 'on', reason: the device does not have it}]
  contains:
    nic:
      description: The NIC; empty for settings of the host itself.
      type: str
      returned: always
    family:
      description: The group of settings, such as V(ring).
      type: str
      returned: always
    key:
      description: The key in it.
      type: str
      returned: always
    asked:
      description: The desired value.
      type: str
      returned: always
    reason:
      description: Why not, with the tool's own words where it said any.
      type: str
      returned: always
remarks:
  description: What to know about the result, in sentences that are the same on every host that they are true for.
  returned: success
  type: list
  elements: str
  sample: ['This host does not run systemd, so it cannot revert changes by itself']
side_effects:
  description: What the commands changed in addition. To restore the exact state, include C(before) of these as well.
  returned: success
  type: list
  elements: dict
  sample: [{nic: enp1s0, family: coalesce, key: tx_usecs, before: 3, after: 50}]
  contains:
    nic:
      description: The NIC; empty for settings of the host itself.
      type: str
      returned: always
    family:
      description: The group of settings, such as V(coalesce).
      type: str
      returned: always
    key:
      description: The key in it.
      type: str
      returned: always
    before:
      description: What was in force.
      type: raw
      returned: always
    after:
      description: What is in force now.
      type: raw
      returned: always
adjusted:
  description: Numbers that the device rounded. The next call takes the rounded value for right.
  returned: success
  type: list
  elements: dict
  sample: [{nic: enp1s0, family: ring, key: rx, asked: 1001, value: 1008}]
  contains:
    nic:
      description: The NIC.
      type: str
      returned: always
    family:
      description: The group of settings, such as V(ring).
      type: str
      returned: always
    key:
      description: The key in it.
      type: str
      returned: always
    asked:
      description: The desired value.
      type: int
      returned: always
    value:
      description: What the device made of it.
      type: int
      returned: always
guard:
  description: Seconds until the change is reverted, unless M(linuxnet.tuning.guard) confirms it.
  returned: when a change waits to be confirmed
  type: int
  sample: 120
reverted:
  description: What the host has taken back since the last call, because nobody had confirmed it; told once.
  returned: when there is something to tell
  type: str
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine


def main() -> None:
    """Hand the options over to the engine."""
    module = AnsibleModule(argument_spec=engine.argument_spec("pci"), supports_check_mode=True)
    engine.conduct(module, "pci")


if __name__ == "__main__":
    main()
