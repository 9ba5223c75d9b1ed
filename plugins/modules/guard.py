#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Confirm that a host can still be reached after a change, or revert the change."""

from __future__ import annotations

DOCUMENTATION = r"""
module: guard
short_description: Confirm that a host can still be reached after a change, or revert the change
version_added: 0.2.0
description:
  - A change that can cut the connection is reverted unless this module confirms it within C(guard_timeout) seconds.
    The roles of the collection do so in a handler at the end of the play, over a new connection.
  - That the module runs proves that the host can be reached. If the host has reverted the change by then,
    V(state=confirmed) fails and lists what was reverted.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common.attributes
options:
  state:
    description:
      - V(confirmed) keeps the change. Nothing to confirm is no error.
      - V(reverted) reverts it now, and with O(temporary) also ends temporary changes.
      - V(status) only reports.
      - V(checked) also reports the results of O(probes) and the counters of the NICs.
    type: str
    choices: [confirmed, reverted, status, checked]
    default: confirmed
  temporary:
    description:
      - Whether V(state=reverted) ends temporary changes as well, such as those of the playbook C(mtu_window).
    type: bool
    default: false
  probes:
    description:
      - The probes of V(state=checked). Each is a URL, the name of a host that must answer a ping, a list of the words
        of a command that must end with 0, or one of these under C(url), C(host) or C(command); or C(iperf3) with the
        name of a server, and C(min_speed) in Mb/s, for a measurement of two seconds.
      - The changed host runs them, as the user that runs the module, and without a shell.
    type: list
    elements: raw
    default: []
    version_added: 0.3.0
  patience:
    description: Seconds within which all probes have to succeed; one that fails is repeated until then.
    type: int
    default: 10
    version_added: 0.3.0
requirements:
  - systemd on the host
seealso:
  - module: linuxnet.tuning.tune
"""

EXAMPLES = r"""
- name: Tune without the roles
  hosts: all
  tasks:
    - name: Set the MTU
      linuxnet.tuning.link:
        nics: [{name: enp1s0f0, mtu: 9000}]
      notify: Confirm

  handlers:
    - name: Open a new connection
      ansible.builtin.meta: reset_connection
      listen: Confirm

    - name: Confirm that it works
      linuxnet.tuning.guard:
        state: confirmed
      listen: Confirm

- name: See whether hosts are well
  hosts: all
  tasks:
    - name: Check the gateway and a page
      linuxnet.tuning.guard:
        state: checked
        probes: [gateway, "https://intranet.example.org/"]

- name: End an MTU window sooner
  hosts: room3
  tasks:
    - name: Go back
      linuxnet.tuning.guard:
        state: reverted
        temporary: true
"""

RETURN = r"""
probes:
  description: The answers to O(probes); C(figure) is what is wrong.
  returned: with O(state=checked)
  type: list
  elements: dict
  sample: [{probe: ping gateway, well: false, figure: no answer to a ping within 3 s}]
  contains:
    probe:
      description: What was asked.
      type: str
      returned: always
    well:
      description: Whether it succeeded.
      type: bool
      returned: always
    figure:
      description: What is wrong; empty if nothing is.
      type: str
      returned: always
counters:
  description: Packets, errors and drops of each NIC, by the names of the kernel.
  returned: with O(state=checked)
  type: dict
  sample: {enp1s0: {rx_packets: 1000, rx_errors: 0}}
pending:
  description: The changes that nobody had confirmed when the module was called, oldest first.
  returned: success
  type: list
  elements: dict
  sample: [{at: '2026-05-04 08:00:00 UTC', timeout: 120, changes: [{nic: enp1s0f0, family: link, key: mtu,
    before: 1500, after: 9000}]}]
  contains:
    at:
      description: When the change was made, by the clock of the host.
      type: str
      returned: always
    timeout:
      description: Seconds until it is reverted.
      type: int
      returned: always
    changes:
      description: What was changed; files only by their path.
      type: list
      elements: dict
      returned: always
reverted:
  description: The changes that were reverted automatically and not reported yet, in the same form.
  returned: success
  type: list
  elements: dict
  sample: []
temporary:
  description: The changes that end by themselves, oldest first, in the same form; C(timeout) is their time.
  returned: success
  type: list
  elements: dict
  sample: []
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine


def main() -> None:
    """Hand the options over to the engine."""
    module = AnsibleModule(argument_spec=engine.guard_spec(), supports_check_mode=True)
    engine.protect(module)


if __name__ == "__main__":
    main()
