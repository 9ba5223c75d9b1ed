#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set and verify NIC settings through ethtool."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ethtool
short_description: Set link mode, EEE, FEC, channels, RSS, rings, offloads, coalescing and pause frames of NICs
version_added: 0.1.0
description:
  - Applies the desired settings of network interfaces (NICs), and verifies them by reading them again.
  - Reads first and writes only what differs, so a second run changes nothing and runs no set command.
  - All keys of one group go to the device in one command, because drivers reset the link or the queues for each
    command and because some keys depend on each other.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
requirements:
  - The program C(ethtool) on the host, in any version
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.nic_info
  - name: ethtool(8)
    description: The manual page of ethtool.
    link: https://man7.org/linux/man-pages/man8/ethtool.8.html
"""

EXAMPLES = r"""
- name: Tune the 10G NICs of a router
  linuxnet.tuning.ethtool:
    nics:
      - match: {driver: ixgbe, min_speed: 10000}
        features: {gro: false, lro: false}
        pause: {autoneg: true, rx: true, tx: true}
        ring: {rx: max, tx: max}
        channels: {combined: max}

- name: Stop the slow sends of an Intel I219
  linuxnet.tuning.ethtool:
    nics:
      - match: {driver: e1000e}
        features: {tso: false, gso: false}

- name: Let both directions of a flow meet on one queue, and leave queue 0 to everything else
  linuxnet.tuning.ethtool:
    nics:
      - name: enp1s0f*
        rss: {indirection: 1-7, key: symmetric, udp4: sdfn, udp6: sdfn}

- name: Let interrupts wait a little longer
  linuxnet.tuning.ethtool:
    nics:
      - name: enp1s0f*
        coalesce: {adaptive_rx: false, rx_usecs: 50}

- name: Negotiate no more than 1000 Mb/s, over a cable that does not carry more
  linuxnet.tuning.ethtool:
    nics:
      - name: enp1s0
        speed: {advertise: {at_most: 1000}}

- name: Go back to what an earlier call has found
  linuxnet.tuning.ethtool:
    nics: "{{ earlier.before | linuxnet.tuning.entries }}"
"""

RETURN = r"""
before:
  description: What was in force, by NIC, group and key, of what was requested. A group such as C(tso) is listed by its
    members. Each NIC has the shape of an entry of O(nics), so it can be requested again to go back.
  returned: success
  type: dict
  sample: {enp1s0: {ring: {rx: 256, tx: 256}, features: {gro: true}}}
after:
  description: The same after the call, read again from the device; in check mode what it would be.
  returned: success
  type: dict
  sample: {enp1s0: {ring: {rx: 4096, tx: 4096}, features: {gro: false}}}
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
    module = AnsibleModule(argument_spec=engine.argument_spec("ethtool"), supports_check_mode=True)
    engine.conduct(module, "ethtool")


if __name__ == "__main__":
    main()
