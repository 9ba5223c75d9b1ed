#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Write the report of an audit; plugins/action/audit_report.py does it, on the controller."""

from __future__ import annotations

DOCUMENTATION = r"""
module: audit_report
short_description: Write the report of an audit
version_added: 0.2.0
description:
  - Judges what the playbook C(linuxnet.tuning.audit) has registered on the hosts of the play, and writes a page and
    data on the controller, in check mode as well. It runs once for all hosts.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
attributes:
  check_mode:
    support: full
    description: Changes no host; the report is written.
  diff_mode:
    support: full
    description: Shows each value that differs from the inventory.
  platform:
    support: full
    description: The systems that it works on.
    platforms: posix
options:
  folder:
    description: Where to write C(audit.html) and C(audit.json); it is created if it is missing.
    type: str
    required: true
  measured:
    description: A result of the playbook C(linuxnet.tuning.benchmark), whose figures some rules look at.
    type: dict
    default: {}
  against:
    description: Names of the profiles with which M(linuxnet.tuning.nic_info) has compared the hosts.
    type: raw
  profile_folder:
    description: The folder of these profiles; that of the collection by default.
    type: str
    default: ""
  query:
    description: A JMESPath expression that filters or reshapes the data.
    type: str
    default: ""
  fail_on:
    description: The severity from which on findings are counted in RV(harmful).
    type: str
    choices: [critical, high, medium, low, note, none]
    default: none
seealso:
  - module: linuxnet.tuning.nic_info
"""

EXAMPLES = r"""
- name: Write the report
  linuxnet.tuning.audit_report:
    folder: /srv/audit
  run_once: true
  register: audit_report
"""

RETURN = r"""
lines:
  description: What is found, for a terminal.
  returned: success
  type: list
  elements: str
failing:
  description: The severities that count.
  returned: success
  type: list
  elements: str
harmful:
  description: How many findings have one of these severities.
  returned: success
  type: int
"""
