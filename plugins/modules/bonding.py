#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Create, change and remove bonds with the network manager of the host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: bonding
short_description: Create, change and remove bonds with the network manager of the host
version_added: 0.1.0
description:
  - Writes the files of the host's own network manager, lets it apply them, and verifies with C(/sys/class/net) and
    C(ip) that the kernel has the desired bond. If it has not, files and NICs are rolled back.
  - Nothing is run for a bond that is already as desired.
  - Members join and leave one at a time, and numbers such as O(bonds[].miimon) change on the live bond. The driver
    takes O(bonds[].mode), O(bonds[].fail_over_mac), O(bonds[].lacp_rate), O(bonds[].ad_select) and
    O(bonds[].tlb_dynamic_lb) only without members or traffic; otherwise the bond is removed and created again, which
    RV(commands) shows in check mode.
  - The files contain the keys of the entry only. An address that is removed from the entry is removed from the bond at
    once; any other removed key keeps its value in force until the bond is created again. Addresses that are not in the
    files, such as those of keepalived, are not changed.
  - Files and bonds that somebody else created are never changed.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common
  - linuxnet.tuning.common.attributes
  - linuxnet.tuning.common.hold
options:
  bonds:
    description:
      - The bonds, one entry each. Other bonds are not changed.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - The name of the bond, such as V(bond0).
        type: str
        required: true
      state:
        description:
          - V(present) creates or changes the bond and its files, V(absent) removes them.
        type: str
        choices: [present, absent]
        default: present
      mode:
        description:
          - How the members share the traffic, by name or number. Must be given.
          - One of V(balance-rr), V(active-backup), V(balance-xor), V(broadcast), V(802.3ad), V(balance-tlb),
            V(balance-alb), or its number from 0 on.
        type: raw
      members:
        description:
          - The NICs in the bond. Must be given.
        type: list
        elements: str
      mtu:
        description:
          - The largest packet in bytes, for the bond and its members. A value that a member does not support is an
            error with both numbers in the message.
        type: int
      addresses:
        description:
          - Addresses with the length of their prefix, such as V(192.168.10.1/24).
        type: list
        elements: str
      dhcp:
        description:
          - Whether the bond has its IPv4 address and gateway from DHCP, requested with the MAC address of the bond. Not
            beside IPv4 addresses or an IPv4 gateway of the entry. Changing it creates the bond again.
        type: bool
      gateway:
        description:
          - The default gateway through this bond.
        type: str
      miimon:
        description:
          - Milliseconds between two checks of the links; 100 unless O(bonds[].arp_interval) is given.
        type: int
      updelay:
        description:
          - Milliseconds until a link that came back is used; a multiple of O(bonds[].miimon).
        type: int
      downdelay:
        description:
          - Milliseconds until a lost link is no longer used; a multiple of O(bonds[].miimon).
        type: int
      lacp_rate:
        description:
          - How often the partner is to send LACP packets. For V(802.3ad).
          - One of V(slow), V(fast), or its number from 0 on.
        type: raw
      xmit_hash_policy:
        description:
          - What decides which member a packet takes. For V(balance-xor), V(802.3ad), V(balance-tlb),
            V(balance-alb).
          - One of V(layer2), V(layer3+4), V(layer2+3), V(encap2+3), V(encap3+4), V(vlan+srcmac), or its number from
            0 on.
        type: raw
      primary:
        description:
          - The member that is active whenever it can be. For V(active-backup), V(balance-tlb), V(balance-alb).
        type: str
      primary_reselect:
        description:
          - When the primary takes over again. For V(active-backup), V(balance-tlb), V(balance-alb).
          - One of V(always), V(better), V(failure), or its number from 0 on.
        type: raw
      fail_over_mac:
        description:
          - Whose MAC address the bond has. For V(active-backup).
          - One of V(none), V(active), V(follow), or its number from 0 on.
        type: raw
      ad_select:
        description:
          - Which aggregator is chosen. For V(802.3ad).
          - One of V(stable), V(bandwidth), V(count), or its number from 0 on.
        type: raw
      arp_interval:
        description:
          - Milliseconds between ARP probes, in place of O(bonds[].miimon). For V(balance-rr), V(active-backup),
            V(balance-xor), V(broadcast).
        type: int
      arp_ip_target:
        description:
          - The IPv4 addresses that ARP probes ask for, 16 at most. For V(balance-rr), V(active-backup),
            V(balance-xor), V(broadcast).
        type: list
        elements: str
      arp_validate:
        description:
          - Which ARP packets count as a sign of life. For V(balance-rr), V(active-backup), V(balance-xor),
            V(broadcast).
          - One of V(none), V(active), V(backup), V(all), V(filter), V(filter_active), V(filter_backup), or its
            number from 0 on.
        type: raw
      packets_per_slave:
        description:
          - Packets on one member before the next has its turn; 0 for a random one. For V(balance-rr).
        type: int
      min_links:
        description:
          - Members that must have a link for the bond to have one. For V(802.3ad).
        type: int
      all_slaves_active:
        description:
          - Whether packets that arrive on inactive members count.
        type: bool
      resend_igmp:
        description:
          - How often multicast groups are joined anew after a failover. For V(balance-rr), V(active-backup),
            V(balance-tlb), V(balance-alb).
        type: int
      num_grat_arp:
        description:
          - How often neighbours are told of a failover. For V(active-backup).
        type: int
      lp_interval:
        description:
          - Seconds between the packets by which switches learn. For V(balance-tlb), V(balance-alb).
        type: int
      tlb_dynamic_lb:
        description:
          - Whether flows move to members with less load. For V(balance-tlb).
        type: bool
      use_carrier:
        description:
          - Whether the driver's carrier counts, or MII registers; newer kernels take 1 only.
        type: bool
  manager:
    description:
      - Whose files the bonds are written in.
      - V(auto) takes the manager that has the bond already, else the one that has its members, else the only one that
        has any NIC of the host. Where this is unclear the call ends and names what was found.
      - V(NetworkManager) gets keyfiles, V(systemd-networkd) C(.netdev) and C(.network) files, V(ifupdown) a file in
        C(/etc/network/interfaces.d) that does without the package C(ifenslave), V(ifcfg) the files of the network
        scripts of RHEL 7 and older.
      - A bond stays with its manager. To give it to another, set its O(bonds[].state) to V(absent) first.
    type: str
    choices: [auto, NetworkManager, systemd-networkd, ifupdown, ifcfg]
    default: auto
  immediate:
    description:
      - Whether the bonds are applied now. With V(false) only the files are written, and the network manager takes
        them up at the next boot, which is the quiet way for a bond over the NIC that Ansible uses. C(ifup) or a reload
        of the manager takes them up sooner.
      - There is no C(permanent) here. A bond without files is none that a network manager would keep.
    type: bool
    default: true
  on_unsupported:
    description:
      - What to do about an option that the driver of the running kernel does not have.
      - V(fail) ends the call before anything is changed. V(warn) does everything else, with a warning for each.
        V(ignore) does everything else silently. RV(unsupported) lists them in any case.
      - A member that is not there is always an error.
requirements:
  - The program C(ip) on the host, and the network manager's own, C(nmcli), C(networkctl), or C(ifup) and C(ifdown)
notes:
  - A bond that is made takes its members from whatever they were used for. If the connection of Ansible itself goes
    through one of them, give the bond its address.
  - Switch ports must be set up to match for all modes but V(active-backup), V(balance-tlb) and V(balance-alb).
seealso:
  - module: linuxnet.tuning.tune
  - name: Linux Ethernet Bonding Driver HOWTO
    description: What the modes and options mean, in full.
    link: https://docs.kernel.org/networking/bonding.html
"""

EXAMPLES = r"""
- name: Three 10G links as one for a single stream, with jumbo frames
  linuxnet.tuning.bonding:
    bonds:
      - name: bond0
        mode: balance-rr
        members: [enp1s0f0, enp2s0f0, enp3s0f0]
        mtu: 9000
        addresses: [192.168.10.1/24]

- name: LACP, spread by address and port
  linuxnet.tuning.bonding:
    bonds:
      - name: bond0
        mode: 802.3ad
        members: [enp1s0f0, enp1s0f1]
        lacp_rate: fast
        xmit_hash_policy: layer3+4
        addresses: [192.168.10.1/24, "fd00:10::1/64"]
        gateway: 192.168.10.254

- name: See what another mode would take
  linuxnet.tuning.bonding:
    bonds:
      - name: bond0
        mode: active-backup
        members: [enp1s0f0, enp1s0f1]
        primary: enp1s0f0
        addresses: [192.168.10.1/24]
  check_mode: true
  diff: true

- name: Remove a bond and its files
  linuxnet.tuning.bonding:
    bonds:
      - name: bond0
        state: absent
"""

RETURN = r"""
before:
  description: What was in force of what was requested, by bond and key. Each bond has the shape of an entry of
    O(bonds).
  returned: success
  type: dict
  sample: {bond0: {state: absent}}
after:
  description: The same after the call, read again from the kernel; in check mode what it would be.
  returned: success
  type: dict
  sample: {bond0: {state: present, mode: balance-rr, members: igb0 igb1, miimon: 100, addresses: 192.168.10.1/24}}
commands:
  description: The commands that were run and the files that were written, in order, as an administrator would type
    them; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [write /etc/network/interfaces.d/bond0, ifup --force bond0]
unsupported:
  description: What the host cannot have.
  returned: success
  type: list
  elements: dict
  sample: [{nic: bond0, family: bonding, key: tlb_dynamic_lb, asked: 'on', reason: the device does not have it}]
  contains:
    nic:
      description: The bond.
      type: str
      returned: always
    family:
      description: The group of settings, V(bonding).
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
  description: What the commands changed beside what was requested, such as the addresses that a member had.
  returned: success
  type: list
  elements: dict
  sample: [{nic: bond0, family: bonding, key: member igb0, before: up mtu 1500 10.0.0.2/24, after: up mtu 9000}]
  contains:
    nic:
      description: The bond.
      type: str
      returned: always
    family:
      description: The group of settings, V(bonding).
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
  description: Empty. The driver of bonds takes a number as it is, or not at all.
  returned: success
  type: list
  elements: dict
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
    module = AnsibleModule(argument_spec=engine.argument_spec("bonding"), supports_check_mode=True)
    engine.conduct(module, "bonding")


if __name__ == "__main__":
    main()
