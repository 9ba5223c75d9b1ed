#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Give each client of a NIC a transmit queue of its own."""

from __future__ import annotations

DOCUMENTATION = r"""
module: multiq
short_description: Give each client a transmit queue of its own, and set queueing disciplines
version_added: 0.1.0
description:
  - A fast NIC hashes flows to queues, so two clients may share a queue and its bandwidth while other queues are idle.
    With fixed clients a filter for each sends its packets to a queue of its own, and everybody else to queue 0.
  - Clients get the queues 1, 2, ... in the order of the list. Each filter has a preference of its own.
  - The method V(clsact) filters before the queueing disciplines and keeps C(mq) with its lock for each queue; the
    kernel must honour the queue of the filter, as Linux does since 5.19. The method V(multiq) works on every
    kernel, with one lock for all queues. V(auto) looks for this function in the kernel, not for its version, and
    keeps the method in force.
  - Compares what the filters do, sends only the difference, in one C(tc -batch), and verifies it by reading again.
    Other filters are not changed, and a warning names them.
  - With O(nics[].multiq.rate) a C(tbf) below C(mq) or C(multiq) limits the queue of a client to the rate of its link.
    Then a switch has no reason to pause the port, and one slow client does not slow down all others.
    V(auto) takes the speed of the client's link from what was registered as C(tuning_links) on the hosts of the fleet,
    which the playbook C(site) does; a client that is not known keeps its rate, or has none.
  - When the number of channels changes, so does the number of bands of C(multiq). With O(nics[].channels) and
    M(linuxnet.tuning.tune) both are planned together.
  - With O(nics[].qdisc) sets the root qdisc, or the qdisc of each transmit queue below C(mq). Sizes, rates and times
    are compared as numbers, whatever units C(tc) prints them in. A NIC has one root, so the method V(multiq) and
    O(nics[].qdisc) exclude each other. A foreign root qdisc with classes is not changed.
  - A filter does not see packets with a VLAN tag, so clients that are reached through a VLAN on the NIC share queue 0;
    a warning names them.
  - If the clients are not known, or more than the queues, keep C(mq); a mapping for some of them slows the others.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.kept
  - linuxnet.tuning.common.temporary
  - linuxnet.tuning.nics
requirements:
  - The programs C(tc) and C(grep) on the host
  - The kernel modules cls_u32 and act_skbedit, sch_ingress or sch_multiq, and sch_tbf for rates
seealso:
  - module: linuxnet.tuning.tune
  - module: linuxnet.tuning.ethtool
"""

EXAMPLES = r"""
- name: One queue for each PC of a classroom, on its router
  linuxnet.tuning.multiq:
    nics:
      - name: enp1s0f0
        multiq:
          clients: [192.168.32.1-18]

- name: Two servers with queues of their own choice, and the PCs of the group room1
  linuxnet.tuning.multiq:
    nics:
      - name: enp1s0f0
        multiq:
          clients: "{{ ['192.168.32.200=30', 'fd00:32::200=31']
                       + (groups['room1'] | linuxnet.tuning.client_addresses(hostvars)) }}"

- name: No client gets more than its link takes, of which one has fallen back to 100 Mbit/s
  linuxnet.tuning.multiq:
    nics:
      - name: enp1s0f0
        multiq:
          clients: [192.168.32.1-18]
          rate: [980, 192.168.32.7=98]

- name: Pace each flow on a server of 25G, and shape the uplink of a home router
  linuxnet.tuning.multiq:
    nics:
      - match: {min_speed: 25000}
        qdisc: {leaves: fq maxrate 10gbit}
      - name: wan0
        qdisc:
          root: {kind: cake, bandwidth: 45mbit, diffserv4: true, nat: true}

- name: Back to the default qdisc
  linuxnet.tuning.multiq:
    nics:
      - name: enp1s0f0
        multiq: {state: absent}
"""

RETURN = r"""
before:
  description: The values in force before the call, by NIC, group and key. Each NIC has the shape of an entry
    of O(nics).
  returned: success
  type: dict
  sample: {enp1s0: {multiq: {method: none, clients: []}}}
after:
  description: The same after the call, read again from the device; in check mode what it would be.
  returned: success
  type: dict
  sample: {enp1s0: {multiq: {method: clsact, clients: ['192.168.32.1=1', '192.168.32.2=2']}}}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [tc qdisc add dev enp1s0 clsact]
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
    module = AnsibleModule(argument_spec=engine.argument_spec("multiq"), supports_check_mode=True)
    engine.conduct(module, "multiq")


if __name__ == "__main__":
    main()
