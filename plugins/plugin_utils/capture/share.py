# SPDX-License-Identifier: GPL-3.0-or-later
"""Share out over the files of an inventory: what all hosts of a group have in common, and what each has alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils.schema import nearest
from . import inventory
from .model import Captured, Item

_ENDINGS = ("", ".yml", ".yaml", ".json")


def files(
    captured: Sequence[Captured], group: str, existing: Mapping[str, bool], about: str, overwrite: bool
) -> list[dict[str, Any]]:
    """The files to write, below the folder of the inventory; `existing` has the paths there, true for folders."""
    common = _common(captured) if group and len(captured) > 1 else {}
    found = []
    if common:
        whole = Captured(group, tuple(common.values()))
        hosts = f"{about}: what the hosts of the group have in common, {', '.join(one.host for one in captured)}"
        found.append(_file("group_vars", group, inventory.text(whole, "group", hosts), existing, overwrite))
    shared = f"All that it has in force is in {found[0]['path']}, as the group has it in common." if found else ""
    for one in captured:
        own = one._replace(items=tuple(item for item in one.items if item.address not in common), shared=shared)
        text = inventory.text(own, "host", f"{about}: what host {one.host} has in force")
        found.append(_file("host_vars", one.host, text, existing, overwrite))
    return found


def group_of(hosts: Iterable[str], chosen: str, groups: Mapping[str, Iterable[str]]) -> str:
    """The group whose hosts were all captured: the one requested, or the one that has just these hosts.

    ValueError for a group that the inventory lacks: no host would read its file.
    """
    captured = set(hosts)
    if chosen and chosen not in groups:
        close = nearest(chosen, list(groups), otherwise=False)
        raise ValueError(f"capture_group: the inventory has no group '{chosen}'{close or '.'} Nothing was written")
    if chosen:
        return chosen if set(groups.get(chosen, ())) <= captured else ""
    fitting = [
        name for name, members in groups.items() if set(members) == captured and name not in ("all", "ungrouped")
    ]
    return sorted(fitting)[0] if fitting else ""


def _common(captured: Sequence[Captured]) -> dict[Any, Item]:
    """What all have, with the same value."""
    first, *rest = captured
    others = [{item.address: item for item in one.items} for one in rest]
    common = {}
    for item in first.items:
        same = [found[item.address] for found in others if item.address in found]
        if len(same) == len(others) and all(
            one.value == item.value and type(one.value) is type(item.value) for one in same
        ):
            origins = [item.origin, *(one.origin for one in same)]
            told = item.origin if len(set(origins)) == 1 else _each(captured, origins)
            common[item.address] = item._replace(origin=told)
    return common


def _each(captured: Sequence[Captured], origins: Sequence[str]) -> str:
    by_origin: dict[str, list[str]] = {}
    for one, origin in zip(captured, origins):
        by_origin.setdefault(origin, []).append(one.host)
    return "; ".join(f"{', '.join(hosts)}: {origin}" for origin, hosts in by_origin.items())


def _file(folder: str, name: str, text: str, existing: Mapping[str, bool], overwrite: bool) -> dict[str, Any]:
    """Ansible reads the first of these paths only, and of a folder everything in it."""
    path = next((f"{folder}/{name}{ending}" for ending in _ENDINGS if f"{folder}/{name}{ending}" in existing), "")
    if path and existing[path]:
        inside = f"{path}/tuning.yml"
        return {"path": inside, "content": text, "blocked": inside in existing and not overwrite}
    blocked = bool(path) and (not overwrite or path.endswith(".json"))
    return {"path": path or f"{folder}/{name}.yml", "content": text, "blocked": blocked}
