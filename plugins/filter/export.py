# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the desired state of a host as configuration of another tool."""

from __future__ import annotations

DOCUMENTATION = r"""
name: export
short_description: Write the desired state of a host as configuration of another tool
version_added: 0.3.0
description:
  - Gives what the inventory desires of a host as files of systemd-udevd, calls of C(nmcli), a profile of TuneD, or a
    plain shell script, for hosts that Ansible does not manage. Nothing is read from the host.
  - What a form cannot express is listed at the top of its files and under RV(_value.unsaid).
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - The variables of the host (C(tuning_nics), C(tuning_host_nics), C(tuning_sysctl), C(tuning_profile), ...), such
        as what P(linuxnet.tuning.guide_to_inventory#filter) gives as C(inventory); or the options C(nics) and C(sysctl)
        of the module M(linuxnet.tuning.tune).
    type: dict
    required: true
  form:
    description:
      - V(shell) is a script for a POSIX shell with the commands that the modules run, V(link) are C(.link) files of
        systemd, V(networkmanager) is a script that changes the profiles of NetworkManager, and V(tuned) a profile of
        TuneD. Kernel parameters are a file of C(sysctl.d) where the form cannot express them.
    type: str
    choices: [shell, link, networkmanager, tuned]
    default: shell
  profiles:
    description: The profiles that C(tuning_profile) names, each with its C(nics) and C(sysctl).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Write the tuning of this host as a script
  ansible.builtin.copy:
    content: "{{ (tuning | linuxnet.tuning.export('shell')).files[0].content }}"
    dest: "tune-{{ inventory_hostname }}.sh"
    mode: "0755"
  delegate_to: localhost
  vars:
    tuning:
      tuning_nics: "{{ tuning_nics | default([]) }}"
      tuning_sysctl: "{{ tuning_sysctl | default({}) }}"
"""

RETURN = r"""
_value:
  description: What the form comes to.
  type: dict
  contains:
    form:
      description: The form.
      type: str
    files:
      description: The files, each with its C(path) below the root of the host or a folder, its C(content) and C(mode).
      type: list
      elements: dict
    unsaid:
      description: What the form cannot say, each with C(what) and C(why), and both as one C(line).
      type: list
      elements: dict
  sample:
    form: shell
    files: [{path: tune.sh, content: "#!/bin/sh\n...", mode: "0755"}]
    unsaid:
      - what: eth0 ring rx 50%
        why: the maximum of a device is known on the host only
        line: "eth0 ring rx 50%: the maximum of a device is known on the host only"
"""

from typing import Any, Callable, Dict, Mapping, Optional

from ansible.errors import AnsibleFilterError


def export(variables: Any, form: str = "shell", profiles: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
    """The files of a form; AnsibleFilterError for what no module would take."""
    from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.export import writer
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import tame

    if not isinstance(variables, Mapping):
        raise AnsibleFilterError("export needs a dictionary of variables such as tuning_nics and tuning_sysctl")
    if form not in writer.FORMS:
        raise AnsibleFilterError(f"export: form {form!r} is not valid; write one of {', '.join(writer.FORMS)}")
    try:
        return writer.export(tame(variables), str(form), tame(profiles or {}))
    except InputError as error:
        raise AnsibleFilterError(f"export: {error}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"export": export}
