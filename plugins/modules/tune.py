#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Apply the whole network tuning of a host in one transaction."""

from __future__ import annotations

DOCUMENTATION = r"""
module: tune
short_description: Apply the whole network tuning of a host in one transaction
version_added: 0.1.0
description:
  - Does in one call what M(linuxnet.tuning.sysctl), M(linuxnet.tuning.module_parameters) and the modules for NICs do,
    with one plan and one verification.
  - If any part does not take effect, all of it is rolled back, and the message names that part.
  - This is what the playbook C(linuxnet.tuning.site) runs.
options:
  inventory:
    description:
      - Take each option that is not given from the variables of the inventory, in the layers that the role
        C(linuxnet.tuning.tune) documents.
      - The controller does this for all options at once, which is faster than templates in a task.
    type: bool
    default: false
    version_added: 0.3.0
  forget:
    description:
      - NICs that are gone for good, by name or pattern; with O(state=restored). Their original values are forgotten,
        with those of their kernel parameters (C(net.ipv4.conf.NIC)). A NIC that exists is restored all the same.
      - Otherwise the original values of a missing NIC are kept until it comes back, and RV(unsupported) names it.
    type: list
    elements: str
    default: []
    version_added: 0.3.0
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.hold
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
  - linuxnet.tuning.parameters
  - linuxnet.tuning.parameters.modules
requirements:
  - The program C(ethtool) on the host, in any version, where O(nics) is used
seealso:
  - module: linuxnet.tuning.ethtool
  - module: linuxnet.tuning.sysctl
  - module: linuxnet.tuning.nic_info
"""

EXAMPLES = r"""
- name: Tune a router
  linuxnet.tuning.tune:
    nics:
      - match: {driver: ixgbe, min_speed: 10000}
        features: {gro: false, lro: false}
        pause: {autoneg: true, rx: true, tx: true}
        ring: {rx: max, tx: max}
        channels: {combined: max}
    sysctl:
      net.core.netdev_max_backlog: {at_least: 250000}
"""

RETURN = r"""
before:
  description: The values in force before the call.
  returned: success
  type: dict
  sample: {nics: {enp1s0: {ring: {rx: 256}}}, sysctl: {net.core.rmem_max: '212992'}}
  contains:
    nics:
      description: By NIC, group and key, as M(linuxnet.tuning.ethtool) returns it.
      type: dict
      returned: always
    sysctl:
      description: By key, as M(linuxnet.tuning.sysctl) returns it.
      type: dict
      returned: always
    module_parameters:
      description: By key, as M(linuxnet.tuning.module_parameters) returns it.
      type: dict
      returned: always
after:
  description: The same after the call, read again from the host; in check mode what it would be.
  returned: success
  type: dict
  sample: {nics: {enp1s0: {ring: {rx: 4096}}}, sysctl: {net.core.rmem_max: '268435456'}}
  contains:
    nics:
      description: By NIC, group and key.
      type: dict
      returned: always
    sysctl:
      description: By key.
      type: dict
      returned: always
    module_parameters:
      description: By key.
      type: dict
      returned: always
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
negotiated:
  description:
    - Where this host asks for what is desired, and the other end of the link does not agree. The call succeeds, and
      the setting is kept.
  returned: success
  type: list
  elements: dict
  sample: [{nic: enp5s0, family: pause, partner: refuses, settings: [rx, tx]}]
  contains:
    nic:
      description: The NIC.
      type: str
      returned: always
    family:
      description: The group of settings, such as V(pause).
      type: str
      returned: always
    partner:
      description:
        - What the other end does, such as V(refuses), or V(half duplex) where the link has no flow control.
        - V(untold) where nobody tells, and V(more) where more comes of it than was requested; both are told only by the
          call that asks.
      type: str
      returned: always
    settings:
      description: The keys in it that have no effect for that reason.
      type: list
      elements: str
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
    module = AnsibleModule(argument_spec=engine.argument_spec("tune"), supports_check_mode=True)
    engine.conduct(module, "tune")


if __name__ == "__main__":
    main()
