#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set and verify which CPUs serve the interrupts and queues of NICs."""

from __future__ import annotations

DOCUMENTATION = r"""
module: irq
short_description: Spread the interrupts and queues of NICs over the CPUs
version_added: 0.1.0
description:
  - Sets which CPU serves the interrupt of each queue, which CPUs share the packets of each receive queue (RPS), and
    which CPUs send through each transmit queue (XPS). With O(nics[].napi) also how the kernel polls a NIC.
  - Each value is converted to one list of CPUs for each interrupt or queue of this host. A list that is already in
    force is not written.
  - RV(before) has the lists of each interrupt and queue; as O(nics) of another call it restores exactly these.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
requirements:
  - The program C(systemctl) on the host where O(nics[].irq.irqbalance) or O(nics[].irq.irqbalance_ban) is used;
    nothing else needs a program
notes:
  - The kernel forgets all of this at the next boot, and drivers forget some of it when channels change. In one call of
    M(linuxnet.tuning.tune) the channels are set first; check mode predicts with the current queues.
  - One file has the NICs that irqbalance leaves alone, and contains those of O(nics) only. A call with O(nics) ends the
    exclusion of all NICs without O(nics[].irq.irqbalance_ban), whether or not the call names them.
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.ethtool
"""

EXAMPLES = r"""
- name: One core for each queue, near the NIC, and nobody who moves them away
  linuxnet.tuning.irq:
    nics:
      - match: {driver: ixgbe}
        irq: {affinity: spread, xps: spread, irqbalance_ban: true}

- name: Share the packets of a NIC with a single queue among four CPUs
  linuxnet.tuning.irq:
    nics:
      - name: enp0s31f6
        irq: {rps: 0-3, rps_flow_cnt: 4096}
"""

RETURN = r"""
before:
  description: The values in force before the call, by NIC, group and key. Each NIC has the shape of an entry of
    O(nics).
  returned: success
  type: dict
  sample: {enp1s0: {irq: {affinity: each 0-3}}}
after:
  description: The same after the call, read again from the device; in check mode what it would be.
  returned: success
  type: dict
  sample: {enp1s0: {irq: {affinity: 0 1}}}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: ['echo 0 > /proc/irq/45/smp_affinity_list', 'echo 1 > /proc/irq/46/smp_affinity_list']
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
    module = AnsibleModule(argument_spec=engine.argument_spec("irq"), supports_check_mode=True)
    engine.conduct(module, "irq")


if __name__ == "__main__":
    main()
