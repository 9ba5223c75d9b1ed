# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the role metrics brings to a host: the program as a file of the controller, and what the inventory asks for."""

from __future__ import annotations

DOCUMENTATION = r"""
name: metrics
short_description: Give what the role metrics brings to a host
version_added: 0.3.0
author:
  - The linuxnet.tuning maintainers (@linuxnet)
description:
  - V(program) is the path of a file on the controller, which Python on a host runs to write metrics. It has the engine
    and the rules of the audit in it, and lies there until the run of Ansible ends.
  - V(wanted) is what the inventory asks of the host, as options of M(linuxnet.tuning.tune).
options:
  _terms:
    description: V(program) or V(wanted), or both.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show what the inventory asks for
  ansible.builtin.debug:
    msg: "{{ lookup('linuxnet.tuning.metrics', 'wanted') }}"
"""

RETURN = r"""
_raw:
  description: A path, or options, for each term.
  type: list
  elements: raw
"""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional

from ansible import constants
from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast, layers, rates
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.metrics import archive
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

# What is said about a call, not about the host; a comparison needs none of it.
_ABOUT_CALLS = ("state", "temporary", "guard_timeout", "hold", "inventory")


class LookupModule(LookupBase):  # type: ignore[misc]  # Ansible has no types
    """By the word for it."""

    def run(self, terms: List[str], variables: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> List[Any]:
        """A path or options for each term; AnsibleError for an inventory that is not right."""
        known: Mapping[str, Callable[[], Any]] = {"program": _program, "wanted": lambda: self._wanted(variables or {})}
        strange = [term for term in terms if term not in known]
        if strange:
            raise AnsibleError(f"the lookup metrics knows program and wanted, and not {', '.join(strange)}")
        return [known[term]() for term in terms]

    def _wanted(self, variables: Mapping[str, Any]) -> Dict[str, Any]:
        try:
            given = layers.options(variables, self._templar.template, self._loader.load_from_file)
            if rates.asked(given.get("nics")):
                given["nics"] = rates.filled(given["nics"], variables.get("hostvars", {}))
            found = fast.checked("tune", given, "{errors}")
        except (layers.LayerError, fast.UnfitError) as error:
            raise AnsibleError(str(error)) from error
        wanted: Dict[str, Any] = plain(found)
        return {name: value for name, value in wanted.items() if name not in _ABOUT_CALLS}


def _program() -> str:
    path = os.path.join(constants.DEFAULT_LOCAL_TMP, "linuxnet-tuning-metrics")
    handle = os.open(f"{path}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(archive.pack())
    os.replace(f"{path}.{os.getpid()}", path)
    return path
