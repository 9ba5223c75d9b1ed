#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Confirm the changes of a host, or take them back."""

from __future__ import annotations

DOCUMENTATION = r"""
module: guard
short_description: Confirm that a host can still be reached after a change, or take the change back
version_added: 0.2.0
description:
  - A change that can cut the connection (MTU, channels, rings, pause frames, queue mapping, bonds) goes back by itself
    unless this module confirms it within C(guard_timeout) seconds. The roles of the collection do so in a handler at
    the end of the play, over a new connection.
  - That the module runs at all is the proof. A host that has gone back by then makes V(state=confirmed) fail, with
    what was taken back.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common.attributes
options:
  state:
    description:
      - V(confirmed) keeps what was changed. Nothing to confirm is no error.
      - V(reverted) takes it back now, and with O(temporary) what was to end by itself later, too.
      - V(status) only tells.
    type: str
    choices: [confirmed, reverted, status]
    default: confirmed
  temporary:
    description:
      - Whether V(state=reverted) ends temporary changes as well, such as those of the playbook C(mtu_window).
    type: bool
    default: false
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

- name: End an MTU window sooner
  hosts: room3
  tasks:
    - name: Go back
      linuxnet.tuning.guard:
        state: reverted
        temporary: true
"""

RETURN = r"""
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
      description: Seconds until it goes back.
      type: int
      returned: always
    changes:
      description: What was changed; files only by their path.
      type: list
      elements: dict
      returned: always
reverted:
  description: The changes that went back by themselves and that nobody has been told of, in the same form.
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
