# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what filters have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """Input of the filters; each attribute is a fragment of its own."""

    FACTS = r"""
options:
  _input:
    description: Facts by host, as P(linuxnet.tuning.audit_facts#filter) gives them.
    type: dict
    required: true
"""

    FINDINGS = r"""
options:
  found:
    description: The findings, as P(linuxnet.tuning.findings#filter) gives them.
    type: list
    elements: dict
    required: true
"""

    TIME = r"""
options:
  when:
    description: What to say about the time of the audit.
    type: str
    default: ''
"""

    HOSTVARS = r"""
options:
  hostvars:
    description: The variables of all hosts; write V(hostvars).
    type: dict
    required: true
"""

    PLAN = r"""
options:
  _input:
    description: The plan, as P(linuxnet.tuning.benchmark_plan#filter) has made it.
    type: dict
    required: true
"""
