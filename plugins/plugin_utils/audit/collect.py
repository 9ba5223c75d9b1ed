# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what the tasks of the playbook audit have registered on each host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# The groups that each inventory has of itself.
_OWN = ("all", "ungrouped")


def facts(names: Iterable[str], hostvars: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By host: `nics`, `host` and `remarks` of nic_info, `tune` of the comparison, `groups`, and `unreachable`."""
    return {str(name): _host(hostvars[name]) for name in names}


def _host(variables: Mapping[str, Any]) -> dict[str, Any]:
    info, tune = (_mapping(variables.get(name)) for name in ("audit_info", "tune_result"))
    remarks = list(info.get("remarks") or ())
    if "nics" not in info and info.get("msg") and not info.get("unreachable"):
        remarks.append(f"nic_info: {info['msg']}")
    return {
        "groups": [str(group) for group in variables.get("group_names") or () if group not in _OWN],
        "unreachable": bool(info.get("unreachable") or tune.get("unreachable") or not (info or tune)),
        "reason": str(info.get("msg") or tune.get("msg") or "") if info.get("unreachable") else "",
        "nics": _mapping(info.get("nics")),
        "host": _mapping(info.get("host")),
        "remarks": remarks,
        "tune": {} if tune.get("unreachable") else tune,
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
