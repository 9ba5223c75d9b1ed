# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what the tasks of the playbook audit have registered on each host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ansible.errors import AnsibleError

from ..plain import notes, tame

# The groups that each inventory has of itself.
_OWN = ("all", "ungrouped")

_FACTS = ("nics", "host", "compared", "against")
_PACKED = "packed"

Templated = Callable[[], Mapping[str, Any]]


def facts(
    names: Iterable[str], hostvars: Mapping[str, Any], groups: Mapping[str, Iterable[str]] | None = None
) -> dict[str, dict[str, Any]]:
    """By host: `nics`, `host` and `remarks` of nic_info, `tune` of the comparison, `groups`, and `unreachable`.

    With the hosts of all `groups`, only what tasks have registered is looked at, and not all variables of each host.
    """
    # Templating them would cost as much as all that is made of them; what hosts say is no template.
    read = getattr(hostvars, "raw_get", None) or hostvars.__getitem__
    if groups is not None:
        noted, of_hosts = notes(hostvars), _by_host(groups)

        def read(name: str) -> Mapping[str, Any]:
            return {**noted(name), "group_names": of_hosts.get(name, [])}

    return {str(name): _host(read(name), partial(hostvars.__getitem__, name)) for name in names}


def _by_host(groups: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in sorted(groups):
        for name in groups[group]:
            found.setdefault(name, []).append(group)
    return found


def packed(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What `nic_info` has said as one text, but for what Ansible and its callbacks look at: each of its values would be
    copied several times on its way here."""
    seen = {name: value for name, value in answer.items() if name not in _FACTS}
    return {**seen, _PACKED: json.dumps({name: answer[name] for name in _FACTS if name in answer})}


def _unpacked(answer: Any) -> Any:
    text = answer.get(_PACKED) if isinstance(answer, Mapping) else None
    if not isinstance(text, str):
        return answer
    return {**{name: value for name, value in answer.items() if name != _PACKED}, **_mapping(json.loads(text))}


def _info(variables: Mapping[str, Any], templated: Templated) -> Mapping[str, Any]:
    """What `nic_info` has said, or why it cannot be read."""
    try:
        found = variables.get("audit_info")
        # From ansible-core 2.21 on, a result that nests too deeply to be registered is a template that raises an error.
        found = templated().get("audit_info") if isinstance(found, str) else found
        return _mapping(tame(_unpacked(found)))
    except (AnsibleError, RecursionError, ValueError) as error:
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
