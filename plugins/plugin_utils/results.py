# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the results that Ansible hands around, and name the hosts that they are of."""

from __future__ import annotations

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


def too_old(told: Mapping[str, Any]) -> bool:
    """Whether a host's Python could not read a module; with what such a one says of it, or our own script."""
    said = f"{told.get('module_stderr')} {told.get('module_stdout')} {told.get('msg')}"
    return "future feature annotations" in said or "the host's Python is older" in said


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names of hosts, of many only some."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
