# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the results of many measurements on the controller, and writes a page of each figure over time.

Every night adds a file; as templates, Ansible would compile and copy all of them for each use.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Iterator, List, Tuple

from ansible.plugins.action import ActionBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.files import write
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import history, history_page, result
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

SPEC = {
    "folder": {"type": "str", "required": True},
    "label": {"type": "str", "default": ""},
    "page": {"type": "str", "default": ""},
}
# What prove has saved was measured with a change that may have gone back.
_PROVED = ("before", "after")


class ActionModule(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """Needs no connection: all files are here."""

    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> Dict[str, Any]:
        """Write the page, and give the lines for the terminal."""
        told: Dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(argument_spec=SPEC)
        folder, page = (_path(options[name]) for name in ("folder", "page"))
        page = page or os.path.join(folder, "history.html")
        results, passed = _read(folder, options["label"])
        if not results:
            label = f" with the label {options['label']}" if options["label"] else ""
            raise Refused(f"There are no results of the playbook benchmark{label} in {folder}.")
        found = history.make(results)
        try:
            write(page, history_page.write(found))
        except OSError as error:
            raise Refused(f"The page cannot be written to {page}: {error}") from None
        lines = [*history.lines(found), "", f"page: {page}", *(f"passed over: {line}" for line in passed)]
        fell = history.fell(found)
        worse = [f"{series.name}: {line.title} {history.words(series, line, one)}" for series, line, one in fell]
        return {**told, "changed": False, "lines": lines, "worse": worse}


def _path(text: str) -> str:
    return os.path.expanduser(os.path.expandvars(text))


def _read(folder: str, label: str) -> Tuple[List[Dict[str, Any]], List[str]]:
    """The results in the folder, and what is none."""
    results, passed = [], []
    for name in _names(folder):
        match = re.fullmatch(r"(.+)-\d{8}-\d{6}\.json", name)
        own = match[1] if match else ""
        if own in _PROVED or (label and own != label):
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                results.append(result.check(json.load(file), name))
        except (OSError, ValueError) as error:
            passed.append(f"{name} ({error})")
    return results, passed


def _names(folder: str) -> Iterator[str]:
    try:
        yield from (name for name in sorted(os.listdir(folder)) if name.endswith(".json"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise Refused(f"The folder of the results cannot be read: {error}") from None
