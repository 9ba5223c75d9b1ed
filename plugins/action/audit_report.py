# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the facts of a fleet once, on the controller, and writes what an audit tells: data, page, lines.

As tasks with templates it would be judged anew for each file, and every host's facts be copied twice for each of them.
"""

from __future__ import annotations

import datetime
import json
import os
from typing import Any, Dict

from ansible.plugins.action import ActionBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers, profiles
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import collect, data, report, table
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.files import write
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings.model import SEVERITIES
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

SPEC = {
    "folder": {"type": "str", "required": True},
    "measured": {"type": "dict", "default": {}},
    "against": {"type": "raw"},
    "profile_folder": {"type": "str", "default": ""},
    "query": {"type": "str", "default": ""},
    "fail_on": {"type": "str", "choices": [*SEVERITIES, "none"], "default": "none"},
}


class ActionModule(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """Needs no connection: all that it reads was registered before."""

    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> Dict[str, Any]:
        """Write the files, and give the lines for the terminal."""
        result: Dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(argument_spec=SPEC)
        names, hostvars = task_vars["ansible_play_hosts_all"], task_vars["hostvars"]
        facts = plain(collect.facts(names, hostvars, task_vars["groups"]))
        held_against(facts, options["against"], options["profile_folder"])
        found = judge.findings(facts, options["measured"])
        now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
        try:
            told = data.document(facts, found, now, options["query"])
        except data.QueryError as error:
            raise Refused(f"audit_query: {error}") from None
        folder = os.path.expanduser(os.path.expandvars(options["folder"]))
        page = os.path.join(folder, "audit.html")
        try:
            os.makedirs(folder, 0o755, exist_ok=True)
            write(os.path.join(folder, "audit.json"), json.dumps(told, indent=4, sort_keys=True))
            write(page, report.document(facts, found, now))
        except OSError as error:
            raise Refused(f"The report cannot be written to {folder}: {error}") from None
        worst = [*SEVERITIES, "none"].index(options["fail_on"])
        failing = [] if options["fail_on"] == "none" else list(SEVERITIES[: worst + 1])
        lines = [*table.lines(facts, found, bool(self._task.diff)), "", f"report: {page}"]
        harmful = sum(finding["severity"] in failing for finding in found)
        # What has changed is what differs on a host, not these files.
        return {**result, "changed": False, "lines": lines, "failing": failing, "harmful": harmful}


def held_against(facts: Dict[str, Dict[str, Any]], names: Any, folder: str) -> None:
    """Tell each host that was held against profiles which they are, and why they have their lines."""
    names = [names] if isinstance(names, str) else list(names or ())
    known: Dict[str, profiles.Why] = {}
    for name in names:
        with open(os.path.join(folder or layers.PROFILES, f"{name}.yml"), encoding="utf-8") as file:
            known.update(profiles.reasons(file.read()))
    reasons = {setting: {"why": why.text, "reference": why.reference} for setting, why in known.items()}
    for about in facts.values():
        if about.get("against"):
            about["against"] = {**about["against"], "profile": ", ".join(names), "reasons": reasons}
