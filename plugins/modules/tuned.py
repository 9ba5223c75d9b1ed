#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Switch tuned to a profile and see that the system is as the profile says."""

from __future__ import annotations

DOCUMENTATION = r"""
module: tuned
short_description: Switch tuned to a profile, and verify it
version_added: 0.1.0
description:
  - Switches to a profile if another one is active, and runs C(tuned-adm verify) to see whether its settings
    are in force. If they are not, the profile is applied once more; if that does not help, the call fails.
  - Does not install tuned; the role C(linuxnet.tuning.tuned) does, and starts its service.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.hold
options:
  profile:
    description:
      - The profile, such as V(throughput-performance), or a list of them, of which a later one wins.
      - V(none) turns tuned off.
    type: raw
  verify:
    description:
      - Whether all settings of the profile must be in force. Turn it off if another program or this collection sets
        some of them on purpose.
    type: bool
    default: true
requirements:
  - The program C(tuned-adm) and the running service tuned on the host
seealso:
  - module: linuxnet.tuning.tune
"""

EXAMPLES = r"""
- name: Serve files
  linuxnet.tuning.tuned:
    profile: throughput-performance

- name: A PC that runs virtual machines, with values of our own on top
  linuxnet.tuning.tuned:
    profile: virtual-host
    verify: false
"""

RETURN = r"""
before:
  description: What was in force, by key.
  returned: success
  type: dict
  sample: {profile: balanced, verified: true}
after:
  description: The same after the call, asked of tuned again; in check mode what it would be.
  returned: success
  type: dict
  sample: {profile: throughput-performance, verified: true}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [tuned-adm profile throughput-performance]
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
counters:
  description: What each NIC had counted before the change, to see later whether errors have grown.
  returned: with O(hold=true), when something is changed
  type: dict
  sample: {enp1s0: {rx_packets: 1000, rx_errors: 0}}
reverted:
  description: What the host has taken back since the last call, because nobody had confirmed it; told once.
  returned: when there is something to tell
  type: str
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine


def main() -> None:
    """Hand the options over to the engine."""
    module = AnsibleModule(argument_spec=engine.argument_spec("tuned"), supports_check_mode=True)
    engine.conduct(module, "tuned")


if __name__ == "__main__":
    main()
