#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Judge a batch of hosts after their change; plugins/action/rollout.py does it, on the controller."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout
short_description: Judge a batch of hosts after their change
version_added: 0.3.0
description:
  - Judges what the tasks of the playbook C(linuxnet.tuning.site) have registered on the hosts of the batch, and
    returns whether the batch may keep its change. It runs once for all hosts, on the controller, and contacts none.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
attributes:
  check_mode:
    support: full
    description: Changes no host.
  diff_mode:
    support: none
    description: Changes no host.
  platform:
    support: full
    description: The systems that it works on.
    platforms: posix
options:
  state:
    description:
      - V(begun) fails if an earlier batch was not well, because Ansible continues after a batch with a lost host.
      - V(judged) returns the verdict.
      - V(ended) returns it at the end of the batch, writes the list of hosts that were off, and fails if the run has to
        stop, with the host, the check and the figure.
      - V(failed) does the same if a call has failed on every host of the batch, because Ansible does not run the task
        at the end of such a batch.
      - V(unreachable) reports the host as unreachable, without contacting it.
    type: str
    choices: [begun, judged, ended, failed, unreachable]
    default: judged
  calls:
    description: The variables in which the results of the calls that change a host were registered.
    type: list
    elements: str
    default: [tune_result]
  batches:
    description: The sizes of the batches, as C(serial) of the play has them.
    type: list
    elements: raw
    default: ["100%"]
  max_fail_percentage:
    description: The percentage of hosts that may fail before the batch is rolled back.
    type: float
    default: 10
  max_errors:
    description: Errors or drops of one NIC since the change that are tolerated whatever their share is.
    type: int
    default: 100
  file:
    description: The file with the names of hosts that were off, for C(--limit). None if empty.
    type: str
    default: ""
  inventory:
    description:
      - Whether options that are not given are taken from the variables C(tuning_batches),
        C(tuning_max_fail_percentage), C(tuning_max_errors) and C(tuning_off_file), with the defaults of the playbook
        C(linuxnet.tuning.site).
      - In check mode the hosts are then one batch, V(state=ended) is V(state=judged), and there is no list.
    type: bool
    default: false
seealso:
  - module: linuxnet.tuning.guard
"""

EXAMPLES = r"""
- name: See whether to go on
  linuxnet.tuning.rollout:
    state: ended
    batches: [1, "25%", "100%"]
  run_once: true
"""

RETURN = r"""
stop:
  description: Whether the batch is rolled back and the run stops.
  returned: success
  type: bool
sick:
  description: By host, the check that it has not passed, with its figure.
  returned: success
  type: dict
  sample: {host07: 'probe `ping gateway`: no answer to a ping within 3 s'}
failed_hosts:
  description: The hosts of the batch on which a call failed.
  returned: success
  type: list
  elements: str
stopped:
  description: Whether the message says why the run stops, rather than what is wrong with the host of this task.
  returned: for V(state=begun), V(state=ended) and V(state=failed), if the run stops
  type: bool
last:
  description: How many hosts were not touched, if no host of the batch is left on which V(state=ended) could say so.
  returned: for V(state=judged), if all hosts of the batch failed or are not well
  type: str
"off":
  description: The hosts of the batch that could not be reached.
  returned: success
  type: list
  elements: str
"""
