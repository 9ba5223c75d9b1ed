# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak mount: what mounts a file system for a while, where nothing else is mounted, and what takes it away again."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Tuple

from ..schema import Reader, TuningError

OPTIONS: Dict[str, Dict[str, Any]] = {
    "source": {"type": "str", "required": True},
    "type": {"type": "str", "default": "nfs"},
    "options": {"type": "str", "default": ""},
}
# What these need beside mount itself, and the packages that have it.
_HELPERS = {"nfs": "nfs-common or nfs-utils", "nfs4": "nfs-common or nfs-utils", "cifs": "cifs-utils"}
_FOLDERS = ("/sbin", "/usr/sbin")

Action = Dict[str, Any]


def check(host: Reader, folder: str, planned: Mapping[str, Any]) -> None:
    """TuningError where nothing can be mounted on this folder, or something is there already."""
    there = mounted(host, folder)
    if there:
        raise TuningError(
            f"{there} is mounted on {folder} already; leave `mount` out to measure there, or name another folder"
        )
    if host.target(folder):
        raise TuningError(f"{folder} is a symbolic link; name the folder that it leads to")
    parent = folder.rstrip("/").rpartition("/")[0] or "/"
    if not host.exists(folder) and not host.exists(parent):
        raise TuningError(f"{folder} cannot be made to mount {planned['source']} on, because {parent} does not exist")
    package = _HELPERS.get(planned["type"])
    if package and not any(host.exists(f"{path}/mount.{planned['type']}") for path in _FOLDERS):
        raise TuningError(f"{planned['source']} needs the program mount.{planned['type']}; install {package}")


def mounted(host: Reader, folder: str) -> str:
    """What is mounted on a folder; empty where nothing is."""
    found = ""
    for line in (host.read("/proc/self/mountinfo") or "").splitlines():
        fields, _dash, rest = line.partition(" - ")
        words = [*fields.split(), "", "", "", "", ""]
        path = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), words[4])
        if path == (folder.rstrip("/") or "/"):
            found = [*rest.split(), "", ""][1]
    return found


def meanwhile(host: Reader, folder: str, planned: Mapping[str, Any]) -> Tuple[List[Action], List[Action]]:
    """What mounts it, and what takes it away, in the form that the station carries out.

    Only what came from this source is taken away: where the folder was taken at the last moment, it is somebody else's.
    """
    check(host, folder, planned)
    options = ["-o", planned["options"]] if planned["options"] else []
    make = [] if host.exists(folder) else [{"run": ["mkdir", folder]}]
    mount = {"run": ["mount", "-t", planned["type"], *options, planned["source"], folder]}
    unmount = {
        "find": ["findmnt", "--noheadings", "--output", "SOURCE", "--mountpoint", folder],
        "pattern": f"(?m)^{re.escape(planned['source'].rstrip('/'))}/?$",
        # Lazy: what hangs on a server that is gone must not keep the folder.
        "run": ["umount", "--lazy", folder],
    }
    return [*make, mount], [unmount, *({"run": ["rmdir", folder]} for _made in make)]
