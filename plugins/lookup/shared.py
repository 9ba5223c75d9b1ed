# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Variables of the inventory that all roles share: a missing one has a default, a broken one is an error."""

from __future__ import annotations

DOCUMENTATION = r"""
name: shared
short_description: Read variables of the inventory that may be missing, but not broken
version_added: 0.1.0
author:
  - The linuxnet.tuning maintainers (@linuxnet)
description:
  - Gives the value of each variable, or O(default) for one that is not defined, or that has no value.
  - A variable that is defined by another one which is undefined is an error. The filter C(default) would take it for
    one that is missing, and a misspelt name would remove the tuning of a host.
  - Where a play asks for C(tuning_hosts) or C(benchmark_hosts) before it begins, the extra variables of the command are
    checked, and whether C(tuning_hosts) matches a host. What is wrong ends the run before any host is contacted; a name
    that is nearly one of ours, but for C(tuning_hosts), causes a warning.
options:
  _terms:
    description: Names of variables.
    type: list
    elements: str
    required: true
  default:
    description: The value of a variable that is missing.
    type: raw
"""

EXAMPLES = r"""
- name: Use the variable of the inventory, or what is usual
  ansible.builtin.debug:
    msg: "{{ lookup('linuxnet.tuning.shared', 'tuning_guard_timeout', default=120) }}"

- name: Merge layers
  ansible.builtin.debug:
    msg: "{{ query('linuxnet.tuning.shared', 'tuning_nics', 'tuning_host_nics', default=[]) | flatten(levels=1) }}"
"""

RETURN = r"""
_raw:
  description: A value for each variable.
  type: list
  elements: raw
"""

from typing import Any, Dict, List, Mapping, Optional, Tuple

from ansible import context
from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.inventory.manager import InventoryManager
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display
from ansible.utils.vars import load_extra_vars

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import extra, layers, spelling

_OF_PLAYS = {"tuning_hosts", "benchmark_hosts"}
# What contacts no host, and may lack the inventory.
_LOOKS = ("syntax", "listhosts", "listtasks", "listtags")
# Every play of a run asks for the same hosts: what a pattern matches among so many.
_MATCHING: Dict[Tuple[str, int], List[str]] = {}


class LookupModule(LookupBase):  # type: ignore[misc]  # Ansible has no types
    """Values by name."""

    def run(self, terms: List[str], variables: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> List[Any]:
        """The values; whatever is undefined in one of them ends the task."""
        known, default = variables or {}, kwargs.get("default")
        begins = not _OF_PLAYS.isdisjoint(terms) and "inventory_hostname" not in known
        if begins:
            given = load_extra_vars(self._loader)
            self._refuse(extra.problem(given, spelling.KNOWN, lambda name: _used(name, known)))
            for doubt in extra.doubts(given, spelling.KNOWN):
                Display().warning(doubt)
        values = [self._value(name, known[name]) if name in known else None for name in terms]
        for name, value in zip(terms, values):
            # Those of the command were checked before the first play; this one may be in the inventory.
            self._refuse(extra.wrong(name, value))
        looks = any(context.CLIARGS.get(option) for option in _LOOKS)
        if begins and not looks and values[0] and "groups" in known and terms[0] == "tuning_hosts":
            pattern, groups = values[0], known["groups"]
            if not extra.plain(pattern, groups):
                self._refuse(extra.unmatched(pattern, groups, self._matching(pattern, groups)))
        # On older versions of Ansible a template that comes to nothing is an empty text.
        return [default if value is None or value == "" else value for value in values]

    def _value(self, name: str, written: Any) -> Any:
        """The value of one variable; the error of a template does not name it."""
        try:
            return self._templar.template(written)
        except AnsibleError as error:
            raise AnsibleError(f"{name}: {layers.reason(error)}") from error

    def _matching(self, pattern: Any, groups: Mapping[str, List[str]]) -> List[str]:
        """The hosts of the inventory that a pattern of a play means."""
        key = (str(pattern), len(groups.get("all", ())))
        if key not in _MATCHING:
            _MATCHING[key] = self._ask(pattern, groups)
        return _MATCHING[key]

    def _ask(self, pattern: Any, groups: Mapping[str, List[str]]) -> List[str]:
        inventory = InventoryManager(self._loader, parse=False)
        for group, hosts in groups.items():
            inventory.add_group(group)
            for host in hosts:
                inventory.add_host(host, group=group)
        return [host.name for host in inventory.get_hosts(pattern)]

    def _refuse(self, problem: str) -> None:
        if problem:
            # Which ansible-core 2.16 passes on as it is, and speaks of no exception.
            raise AnsibleLookupError(problem)


def _used(name: str, variables: Mapping[Any, Any]) -> bool:
    """Whether a variable of the play or of the inventory names this one. The hosts come last: they may be thousands."""
    hosts = variables.get("hostvars")
    if extra.named(name, _written(variables)):
        return True
    return hosts is not None and any(extra.named(name, _written(hosts.raw_get(host))) for host in hosts)


def _written(variables: Mapping[Any, Any]) -> Dict[str, Any]:
    """The variables that a person has written: the paths and groups of Ansible may contain any word."""
    own = ("groups", "group_names", "hostvars", "vars", "playbook_dir", "inventory_dir", "inventory_file")
    return {
        str(name): variables[name] for name in variables if name not in own and not str(name).startswith("ansible_")
    }
