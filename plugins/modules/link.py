#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set MTU, queue length, packet sizes, virtual functions and routes of NICs, and check the path."""

from __future__ import annotations

DOCUMENTATION = r"""
module: link
short_description: Set MTU, queue length, packet sizes, virtual functions and routes of NICs, and check the path
version_added: 0.1.0
description:
  - Sets MTU, queue length, packet sizes, virtual functions, devlink parameters and metrics of routes, and verifies them
    by reading them again.
  - Refuses an MTU outside the limits of the device with both numbers in the message, before anything is changed.
  - When the MTU is raised, NICs above others (VLANs, bonds) follow those below them; when it is lowered, they come
    first. A bond sets the MTU of its ports itself.
  - With O(nics[].path_check) a new MTU stays only if the named peers answer a packet of just that size.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
requirements:
  - The program C(ip) on the host, in any version; C(ping) where O(nics[].path_check) is used
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.ethtool
"""

EXAMPLES = r"""
- name: Jumbo frames, if the whole path to the storage carries them
  linuxnet.tuning.link:
    nics:
      - name: enp1s0f0
        mtu: 9000
        path_check: [192.168.10.2, 192.168.10.3]

- name: The largest frames that an Intel I219 does not lose, and a longer queue
  linuxnet.tuning.link:
    nics:
      - match: {driver: e1000e}
        mtu: 8500
        txqueuelen: 10000

- name: BIG TCP between the servers of a rack, and names for people
  linuxnet.tuning.link:
    nics:
      - match: {driver: mlx5_core}
        gso_max_size: max
        gro_max_size: max
        alias: uplink to the spine
"""

RETURN = r"""
before:
  description: The values in force before the call, by NIC and key. Each NIC has the shape of an entry of
    O(nics).
  returned: success
  type: dict
  sample: {enp1s0: {mtu: 1500, txqueuelen: 1000}}
after:
  description: The same after the call, read again from the device; in check mode what it would be.
  returned: success
  type: dict
  sample: {enp1s0: {mtu: 9000, txqueuelen: 10000}}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [ip link set dev enp1s0 mtu 9000]
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
computed:
  description: Numbers that formulas came to on this host.
  returned: when there are formulas
  type: list
  elements: dict
  sample:
    - {nic: enp1s0, family: irq, key: rps_flow_cnt, value: '8192', how: '8192: 1024 for each of 8 CPUs'}
  contains:
    nic:
      description: The NIC; empty for settings of the host itself.
      type: str
      returned: always
    family:
      description: The group of settings, such as V(sysctl).
      type: str
      returned: always
    key:
      description: The key in it.
      type: str
      returned: always
    value:
      description: The value to set, including what is there already if that is more than desired.
      type: raw
      returned: always
    how:
      description: Each number, and how it came about.
      type: str
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
    module = AnsibleModule(argument_spec=engine.argument_spec("link"), supports_check_mode=True)
    engine.conduct(module, "link")


if __name__ == "__main__":
    main()
