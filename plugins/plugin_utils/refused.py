# SPDX-License-Identifier: GPL-3.0-or-later
"""End a task with a sentence for a person, and nothing else."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail


class Refused(AnsibleActionFail):  # type: ignore[misc]  # ansible-core has no types
    """What a person has to correct. Up to ansible-core 2.18 a plain AnsibleActionFail speaks of a traceback as well."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.result.pop("exception", None)
