# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell what of the files that fio works on fits into which memory, without which its figures mean little."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

Json = dict[str, Any]

# What the module takes where nothing is said.
_DEFAULTS = {"numjobs": 4, "size": "2G", "files": "each", "direct": True}
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def about(group: Json, steps: list[Json], options: Json, checked: Mapping[str, Json]) -> Json:
    """The `bytes` of all files, of `each` client, and the `memory` of hosts; nothing without fio or a plain size."""
    job = {**_DEFAULTS, **(options.get("fio") or {})}
    clients = {
        flow["client"]
        for step in steps
        if step["kind"] == "fio" and step["group"] == group["name"]
        for flow in step["flows"]
    }
    size = re.fullmatch(r"(\d+)([kmgt]?)(?:i?b)?", str(job["size"]).lower())
    memory = {host: checked[host]["memory"] for host in group["hosts"] if checked.get(host, {}).get("memory")}
    if not clients or not size:
        return {}
    each = int(size[1]) * _UNITS[size[2]] * (1 if job["files"] == "shared" else int(job["numjobs"]))
    found = {"bytes": each * len(clients), "each": each, "direct": boolean(job["direct"]), "clients": sorted(clients)}
    return {**found, "dropped": boolean(job.get("drop_caches") or False), "memory": memory}


def lines(found: Json) -> list[str]:
    """The same in sentences."""
    said = [f"fio worked on {_size(found['bytes'])} of files in all, {_size(found['each'])} of each client"]
    memory = found["memory"]
    small = [host for host in found["clients"] if memory.get(host, 0) > found["each"]]
    if found["direct"]:
        said.append("direct I/O passed by the caches of the clients")
    elif small:
        said.append(f"{_some(small)} can hold its files in memory, and may have worked there")
    others = [host for host in memory if host not in found["clients"] and memory[host] > found["bytes"]]
    if others:
        whose = f"if they are on {_some(others)}, all of them fit into its memory"
        drops = (
            "and were dropped from it before each run"
            if found["dropped"]
            else "and its disks may have had little to do"
        )
        said.append(f"{whose}, {drops}")
    return ["; ".join(said)]


def _some(hosts: list[str]) -> str:
    return ", ".join(hosts[:3]) + (f" or {len(hosts) - 3} others" if len(hosts) > 3 else "")


def _size(number: int) -> str:
    return f"{number / (1 << 30):.3g} GiB"
