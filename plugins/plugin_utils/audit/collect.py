# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what the tasks of the playbook audit have registered on each host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleError

from ..plain import tame

# The groups that each inventory has of itself.
_OWN = ("all", "ungrouped")

Templated = Callable[[], Mapping[str, Any]]


def facts(names: Iterable[str], hostvars: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By host: `nics`, `host` and `remarks` of nic_info, `tune` of the comparison, `groups`, and `unreachable`."""
    # Templating them would cost as much as all that is made of them; what hosts say is no template.
    read = getattr(hostvars, "raw_get", None) or hostvars.__getitem__
    return {str(name): _host(read(name), lambda name=name: hostvars[name]) for name in names}


def _info(variables: Mapping[str, Any], templated: Templated) -> Mapping[str, Any]:
    """What `nic_info` has said, or why it cannot be read."""
    try:
        found = variables.get("audit_info")
        # From ansible-core 2.21 on, a result that nests too deeply to be registered is a template that raises an error.
        return _mapping(tame(templated().get("audit_info") if isinstance(found, str) else found))
    except (AnsibleError, RecursionError) as error:
        return {"unreachable": True, "msg": f"its facts cannot be read: {error}"}


def _host(variables: Mapping[str, Any], templated: Templated) -> dict[str, Any]:
    info = _info(variables, templated)
    tune = _mapping(info.get("compared") or tame(variables.get("tune_result")))
    remarks = _words(info.get("remarks"))
    # A host of which nothing could be read must not pass for one on which nothing is wrong.
    unread = "nics" not in info and not tune and bool(info.get("msg"))
    if "nics" not in info and info.get("msg") and not info.get("unreachable"):
        remarks.append(f"nic_info: {info['msg']}")
    return {
        "groups": [group for group in _words(tame(variables.get("group_names"))) if group not in _OWN],
        "unreachable": bool(info.get("unreachable") or tune.get("unreachable") or unread or not (info or tune)),
        "reason": str(info.get("msg") or tune.get("msg") or "") if unread or info.get("unreachable") else "",
        "nics": {name: _mapping(nic) for name, nic in _mapping(info.get("nics")).items()},
        "host": _mapping(info.get("host")),
        "remarks": remarks,
        "tune": {} if tune.get("unreachable") else tune,
        **({"against": _mapping(info["against"])} if info.get("against") else {}),
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _words(value: Any) -> list[str]:
    return [str(word) for word in value if isinstance(word, str)] if isinstance(value, (list, tuple)) else []
