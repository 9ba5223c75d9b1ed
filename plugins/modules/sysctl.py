#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set and keep kernel parameters."""

from __future__ import annotations

DOCUMENTATION = r"""
module: sysctl
short_description: Set many kernel parameters at once, live and for the next boot
version_added: 0.1.0
description:
  - Sets kernel parameters where they differ, and keeps them in one file in C(/etc/sysctl.d).
  - The file contains the keys of this call only. A key that is no longer there is removed from it; its value stays in
    force until the next boot.
  - RV(overridden) names files that override a key at boot.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.parameters
seealso:
  - module: linuxnet.tuning.tune
"""

EXAMPLES = r"""
- name: Give TCP the buffers of a 10G network
  linuxnet.tuning.sysctl:
    sysctl:
      net.core.rmem_max: 268435456
      net.core.wmem_max: 268435456
      net.ipv4.tcp_rmem: 4096 87380 134217728
      net.ipv4.tcp_wmem: [4096, 65536, 134217728]
      net.core.netdev_max_backlog: {at_least: 250000}

- name: See what would change
  linuxnet.tuning.sysctl:
    sysctl:
      net.ipv4.tcp_congestion_control: htcp
  check_mode: true
  diff: true
"""

RETURN = r"""
before:
  description: What was in force, by key.
  returned: success
  type: dict
  sample: {net.core.rmem_max: '212992'}
after:
  description: The same after the call, read again from the kernel; in check mode what it would be.
  returned: success
  type: dict
  sample: {net.core.rmem_max: '268435456'}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [ethtool -G enp1s0 rx 4096 tx 4096, ethtool -K enp1s0 gro off]
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
overridden:
  description: Keys that a file read later at boot sets to something else, so that they will not survive the reboot.
  returned: success
  type: list
  elements: dict
  sample: [{key: net.core.rmem_max, file: /etc/sysctl.d/99-local.conf, value: '212992'}]
  contains:
    key:
      description: The kernel parameter.
      type: str
      returned: always
    file:
      description: The file that has the last word.
      type: str
      returned: always
    value:
      description: The value it sets.
      type: str
      returned: always
computed:
  description: Numbers that formulas came to on this host.
  returned: when there are formulas
  type: list
  elements: dict
  sample:
    - nic: ''
      family: sysctl
      key: net.core.rmem_max
      value: '50000000'
      how: '50000000: 40 ms at 10000 Mb/s, the link of enp1s0'
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
    module = AnsibleModule(argument_spec=engine.argument_spec("sysctl"), supports_check_mode=True)
    engine.conduct(module, "sysctl")


if __name__ == "__main__":
    main()
