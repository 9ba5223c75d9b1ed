#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Comment out lines of files in which a host was tuned by hand."""

from __future__ import annotations

DOCUMENTATION = r"""
module: take_over
short_description: Comment out lines of files in which a host was tuned by hand
version_added: 0.3.0
description:
  - Comments out lines of scripts and configuration files that set what the inventory describes now, so that nothing
    else sets it at the next boot. The playbook C(linuxnet.tuning.capture) names them.
  - The original of each file is kept below C(/var/lib/linuxnet-tuning/taken). O(state=restored) brings the files
    back.
  - A line is commented out as a whole, and only if the rest of the file means the same without it. A line of a shell
    script with several commands or a continuation is an error that names it.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
options:
  files:
    description:
      - The files, each with its C(path), and with its C(lines) by their numbers. A line that has changed meanwhile
        is an error.
    type: list
    elements: dict
seealso:
  - module: linuxnet.tuning.tune
"""

EXAMPLES = r"""
- name: Leave the rings to the inventory
  linuxnet.tuning.take_over:
    files:
      - path: /etc/rc.local
        lines: {3: ethtool -G eth0 rx 4096}
"""

RETURN = r"""
before:
  description: What was in force, by key.
  returned: success
  type: dict
  sample: {"/etc/rc.local": "#!/bin/sh\nethtool -G eth0 rx 4096\n"}
after:
  description: The same after the call, read again; in check mode what it would be.
  returned: success
  type: dict
  sample: {"/etc/rc.local": "#!/bin/sh\n: # taken over by linuxnet.tuning: ethtool -G eth0 rx 4096\n"}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [write /etc/rc.local]
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
    module = AnsibleModule(argument_spec=engine.argument_spec("take_over"), supports_check_mode=True)
    engine.conduct(module, "take_over")


if __name__ == "__main__":
    main()
