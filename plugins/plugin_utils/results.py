# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the results that Ansible hands around, and name the hosts that they are of."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence, Tuple


def known(result: Any) -> Tuple[str, Mapping[str, Any]]:
    """The host and the answer; their names differ between versions of ansible-core."""
    host = getattr(result, "host", None) or result._host
    told = getattr(result, "result", None) or getattr(result, "_result", {})
    return host.get_name(), told


def task_of(result: Any) -> Any:
    """The task that a result is of."""
    return getattr(result, "task", None) or result._task


def only_looks(task: Any, check: bool) -> bool:
    """Whether a task of a run without --check (`check`) only asks what would be changed, as an audit does."""
    return task.action.endswith(".nic_info") or bool(task.check_mode and not check)


OLD = (
    "the Python of this host is older than 3.8, and no module of this collection runs on it. Install a newer one "
    "beside it (on RHEL 8 `dnf install python39`) and name it: ansible_python_interpreter: /usr/bin/python3.9"
)


# What an old Python says of a module, of our own script, and of how that is started, which Python 2 does not know.
_SAID_BY_OLD = (
    "future feature annotations",
    "SyntaxError: invalid syntax",
    "the host's Python is older",
    "Unknown option: -I",
)
_TERMINAL = (
    "sudo on this host wants a terminal (requiretty), which it has not while pipelining is on. Set "
    "ansible_pipelining: false for this host, or write `Defaults !requiretty` into its sudoers"
)
_NO_SUDO = (
    "sudo is not installed on this host: install it, connect as root (ansible_user: root), or name another way to "
    "become root (ansible_become_method: su)"
)
_WITHOUT_SUDO = re.compile(r"\bsudo: (?:command )?not found")
_REFUSED = re.compile(r"^.*is not (?:in the sudoers file|allowed to (?:execute|run)).*$", re.MULTILINE)


def too_old(told: Mapping[str, Any]) -> bool:
    """Whether a host's Python could not read a module."""
    said = f"{told.get('module_stderr')} {told.get('module_stdout')} {told.get('msg')}"
    return any(one in said for one in _SAID_BY_OLD)


def not_begun(told: Mapping[str, Any]) -> str:
    """Why a host has not even begun with a module, where Ansible only says that there is no answer; else empty."""
    if "module_stderr" not in told:
        return ""
    if too_old(told):
        return OLD
    said = str(told["module_stderr"])
    if "you must have a tty" in said:
        return _TERMINAL
    if _WITHOUT_SUDO.search(said):
        return _NO_SUDO
    found = _REFUSED.search(said)
    return f"sudo: {found[0].strip()}" if found else ""


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names of hosts, of many only some."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
