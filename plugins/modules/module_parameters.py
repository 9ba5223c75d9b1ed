#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set and keep parameters of kernel modules."""

from __future__ import annotations

DOCUMENTATION = r"""
module: module_parameters
short_description: Set parameters of kernel modules, live where the kernel allows and for the next boot
version_added: 0.3.0
description:
  - Sets parameters of drivers and other modules of the kernel. A parameter that can be written under C(/sys/module)
    is in force at once. One that is read only when the module is loaded takes effect at the next boot, and the result
    says so.
  - Keeps them in C(/etc/modprobe.d/linuxnet-tuning.conf). Modules that are built into the kernel are never loaded, so
    systemd writes their parameters at boot, from C(/etc/tmpfiles.d/linuxnet-tuning.conf).
  - These files contain the parameters of this call only. One that is no longer there is removed; its value stays in
    force until the next boot.
  - A parameter that the module does not have is an error that suggests the nearest name. If a module is built in and
    the parameter cannot be written, the error says what to add to the kernel's command line.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.parameters.modules
requirements:
  - The program C(modinfo) on the host for modules that are not loaded, and for parameters without a file
notes:
  - A driver in the initramfs is loaded with the options in the initramfs. Update it after a change
    (C(update-initramfs -u), C(dracut -f)); this module does not do so.
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.sysctl
"""

EXAMPLES = r"""
- name: Begin slowly, but do not stop early on a path whose delay varies
  linuxnet.tuning.module_parameters:
    module_parameters:
      tcp_cubic.hystart: false
      nf_conntrack.hashsize: 65536

- name: Options of a driver, where the host has it
  linuxnet.tuning.module_parameters:
    module_parameters:
      ixgbe.allow_unsupported_sfp: {if_available: [1, 1]}
"""

RETURN = r"""
before:
  description: What was in force, by key.
  returned: success
  type: dict
  sample: {nf_conntrack.hashsize: '16384'}
after:
  description: The same after the call, read again from the kernel; in check mode what it would be.
  returned: success
  type: dict
  sample: {nf_conntrack.hashsize: '65536'}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [echo 65536 > /sys/module/nf_conntrack/parameters/hashsize, write /etc/modprobe.d/linuxnet-tuning.conf]
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
  sample: [{key: igb.max_vfs, file: /etc/modprobe.d/network.conf, value: '7'}]
  contains:
    key:
      description: The parameter.
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
    module = AnsibleModule(argument_spec=engine.argument_spec("module_parameters"), supports_check_mode=True)
    engine.conduct(module, "module_parameters")


if __name__ == "__main__":
    main()
