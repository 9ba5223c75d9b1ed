#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Draw results of measurements over time; plugins/action/benchmark_history.py does it, on the controller."""

from __future__ import annotations

DOCUMENTATION = r"""
module: benchmark_history
short_description: Draw the results of many measurements over time, and mark where a figure broke
version_added: 0.3.0
description:
  - Reads all results that the playbook C(linuxnet.tuning.benchmark) has saved in a folder on the controller, and writes
    a page with each figure over time, the settings that changed in between, and the points where a figure broke.
  - Results that measured the same between the same hosts make one series. It runs once for all hosts, in check mode as
    well.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
attributes:
  check_mode:
    support: full
    description: Changes no host; the page is written.
  diff_mode:
    support: none
    description: Changes nothing.
  platform:
    support: full
    description: The systems that it works on.
    platforms: posix
options:
  folder:
    description: Where the results are. What the playbook C(prove) has saved there is left out.
    type: str
    required: true
  label:
    description: Only results that were saved with this V(benchmark_label).
    type: str
    default: ""
  page:
    description: The file to write, C(history.html) in O(folder) by default.
    type: str
    default: ""
seealso:
  - module: linuxnet.tuning.benchmark
"""

EXAMPLES = r"""
- name: Draw what was measured every night
  linuxnet.tuning.benchmark_history:
    folder: /srv/results
    label: nightly
  run_once: true
"""

RETURN = r"""
lines:
  description: What was found, for a terminal.
  returned: success
  type: list
  elements: str
worse:
  description: The figures that are worse since their last break, in a sentence each.
  returned: success
  type: list
  elements: str
"""
