# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn tuning that somebody wrote by hand into inventory."""

from __future__ import annotations

DOCUMENTATION = r"""
name: guide_to_inventory
short_description: Turn tuning that somebody wrote by hand into inventory
version_added: 0.3.0
description:
  - Reads a script, a configuration file, or a guide from the web, and gives what it sets as inventory of this
    collection. The text is read, never run.
  - Each line ends as inventory, as a remark that says why it is left out, under RV(_value.not_understood), or as a line
    that sets nothing. No line is passed over.
  - Knows shell scripts with C(ethtool), C(ip), C(ifconfig), C(tc), C(sysctl), C(setpci), C(nmcli), C(tuna),
    C(systemctl) and writes into C(/proc) and C(/sys), with variables, loops, functions, conditions and the files that
    they write; C(sysctl.conf), C(modprobe.d), udev rules, ifcfg files, C(/etc/network/interfaces), keyfiles of
    NetworkManager, netplan, C(.link), C(.network) and C(.netdev) of systemd, units, TuneD profiles, crontabs,
    C(/etc/config) of OpenWrt; YAML of Ansible, Salt, cloud-init, Hiera and Kubernetes; Python; and guides in
    Markdown, reST or as plain text.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description:
      - The text, or the texts of several files by their paths, in the order in which they take effect; what a later one
        sets wins.
    type: raw
    required: true
  path:
    description:
      - The path of the file on its host, such as V(/etc/udev/rules.d/60-net.rules); it tells the form. Without it the
        text does.
    type: str
    default: ''
  form:
    description: The form of the text, where neither the path nor the text tells it rightly.
    type: str
    choices: ['', shell, sysctl, udev, ifcfg, interfaces, networkmanager, yaml, systemd, tuned, modprobe, unit, uci,
      crontab, python, makefile, diff, prose]
    default: ''
  kernel:
    description: The kernel that lines are judged for, such as V(6.1); the newest by default.
    type: str
    default: ''
  arguments:
    description: The arguments that a script is called with. Without them V($1) stays a name to fill in.
    type: list
    elements: str
  all_parameters:
    description:
      - Whether parameters of the kernel that are none of its network (C(vm.), C(fs.), C(kernel.)) are inventory too.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show what a guide comes to
  ansible.builtin.debug:
    msg: "{{ lookup('ansible.builtin.file', 'guide.md') | linuxnet.tuning.guide_to_inventory }}"

- name: Write what rc.local sets into the inventory of the host
  ansible.builtin.copy:
    content: "{{ (text | linuxnet.tuning.guide_to_inventory(path='/etc/rc.local')).inventory | to_nice_yaml }}"
    dest: "host_vars/{{ inventory_hostname }}.yml"
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
_value:
  description: What the text comes to.
  type: dict
  contains:
    form:
      description: The form in which the text was read, or these forms by path.
      type: raw
    inventory:
      description: >-
        What to write, such as C(tuning_host_nics), C(tuning_host_sysctl), C(tuning_bonds) and C(tuning_tuned_profile).
      type: dict
    fill_in:
      description: Names in it that only stand for that of a NIC, such as V($1).
      type: list
      elements: str
    remarks:
      description: >-
        Lines that are left out, with C(line) (and C(file) of several), C(text), C(message) and C(kind), which is
        C(harmful), C(no_effect),
        C(contradicts) another line, C(other_tool) when it belongs to another tool, C(on_host) when only the host knows
        the value, or C(conditional).
      type: list
      elements: dict
    notes:
      description: What to know of lines that are in the inventory, in the same form.
      type: list
      elements: dict
    not_understood:
      description: Lines that nobody here understands, in the same form.
      type: list
      elements: dict
    lines:
      description: >-
        Each line of the text with its C(outcome) (C(inventory), C(remark), C(not_understood) or C(nothing)), its
        C(settings), C(kinds) and C(messages), and under C(contradicted) what it sets without effect. A line that
        continues a command, or is of an array that a later command sets, has the outcome of the line in
        C(goes_on_from), where the settings are.
      type: list
      elements: dict
  sample:
    form: shell
    inventory: {tuning_host_nics: [{name: eth0, ring: {rx: 4096}}], tuning_host_sysctl: {net.core.rmem_max: 16777216}}
    fill_in: []
    remarks:
      - line: 4
        kind: no_effect
        text: sysctl -w net.ipv4.tcp_tw_recycle=1
        message: "net.ipv4.tcp_tw_recycle: the kernel has no such parameter any more (gone since Linux 4.12)"
    notes: []
    not_understood: []
    lines: []
"""

from typing import Any, Callable, Dict, List, Mapping, Optional

from ansible.errors import AnsibleFilterError


def guide_to_inventory(
    text: Any,
    path: str = "",
    form: str = "",
    kernel: str = "",
    arguments: Optional[List[str]] = None,
    all_parameters: bool = False,
) -> Dict[str, Any]:
    """What the text comes to; AnsibleFilterError for anything but a text, or texts by path, and for one too large."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.guide import budget, reader

    known = reader.Known(str(kernel), arguments, bool(all_parameters))
    if isinstance(text, Mapping) and text and all(isinstance(part, str) for pair in text.items() for part in pair):
        if path or form or arguments:
            raise AnsibleFilterError(
                "guide_to_inventory: path, form and arguments are for one text, not for several files"
            )
        files = {str(name): str(content) for name, content in text.items()}
        try:
            return reader.read_files(files, known)
        except budget.TooLarge as error:
            raise AnsibleFilterError(f"guide_to_inventory: {error}") from None
    if not isinstance(text, str):
        right = "such as what the lookup ansible.builtin.file gives, or a dictionary of texts by path"
        raise AnsibleFilterError(f"guide_to_inventory needs a text, {right}")
    if form and form not in reader.FORMS:
        raise AnsibleFilterError(
            f"guide_to_inventory: form {form!r} is not valid; write one of {', '.join(reader.FORMS)}"
        )
    if arguments is not None and (isinstance(arguments, str) or not all(isinstance(one, str) for one in arguments)):
        raise AnsibleFilterError(
            "guide_to_inventory: arguments needs a list of texts, one for each argument of the script"
        )
    try:
        return reader.read(str(text), str(path), form, known)
    except budget.TooLarge as error:
        raise AnsibleFilterError(f"guide_to_inventory: {error}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"guide_to_inventory": guide_to_inventory}
