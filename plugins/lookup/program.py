# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the roles metrics and watch bring to a host: a program, as a file of the controller, and what it goes by."""

from __future__ import annotations

DOCUMENTATION = r"""
name: program
short_description: Give a program that hosts run by themselves, and their desired values
version_added: 0.3.0
author:
  - The linuxnet.tuning maintainers (@linuxnet)
description:
  - V(metrics) and V(watch) are the paths of files on the controller, which Python on a host runs. They have the engine
    in them, and lie there until the run of Ansible ends.
  - V(wanted) is the state that the inventory desires of the host, as options of M(linuxnet.tuning.tune).
options:
  _terms:
    description: V(metrics), V(watch) or V(wanted), or several.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the desired values
  ansible.builtin.debug:
    msg: "{{ lookup('linuxnet.tuning.program', 'wanted') }}"
"""

RETURN = r"""
_raw:
  description: A path, or options, for each term.
  type: list
  elements: raw
"""

import os
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional

from ansible import constants
from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import archive, fast, layers, rates
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain

# What is said about a call, not about the host; a comparison needs none of it.
_ABOUT_CALLS = ("state", "temporary", "guard_timeout", "hold", "inventory")


class LookupModule(LookupBase):  # type: ignore[misc]  # Ansible has no types
    """By the word for it."""

    def run(self, terms: List[str], variables: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> List[Any]:
        """A path or options for each term; AnsibleError for an inventory that is not valid."""
        known: Dict[str, Callable[[], Any]] = {name: partial(_program, name) for name in archive.PROGRAMS}
        known["wanted"] = lambda: self._desired(variables or {})
        strange = [term for term in terms if term not in known]
        if strange:
            raise AnsibleError(f"the lookup program knows {', '.join(known)}, and not {', '.join(strange)}")
        return [known[term]() for term in terms]

    def _desired(self, variables: Mapping[str, Any]) -> Dict[str, Any]:
        try:
            given = layers.options(variables, self._templar.template, self._loader.load_from_file)
            if rates.needed(given.get("nics")):
                given["nics"] = rates.filled(given["nics"], variables.get("hostvars", {}))
            found = fast.checked("tune", given, "{errors}")
        except (layers.LayerError, fast.UnfitError) as error:
            raise AnsibleError(str(error)) from error
        desired: Dict[str, Any] = plain(found)
        return {name: value for name, value in desired.items() if name not in _ABOUT_CALLS}


def _program(name: str) -> str:
    path = os.path.join(constants.DEFAULT_LOCAL_TMP, f"linuxnet-tuning-{name}")
    handle = os.open(f"{path}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(archive.pack(name))
    os.replace(f"{path}.{os.getpid()}", path)
    return path
