# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what this collection has left on a host for the next boot."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import conf, kmod, sysctl

_UNITS = "/etc/systemd/system"
_STATE = "/var/lib/linuxnet-tuning"


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """Our files of sysctl.d, the commands of our units by NIC, and the names of what we remember."""
    files = [f"{sysctl.FOLDER}/{name}" for name in host.names(sysctl.FOLDER)]
    return {
        "sysctl": [path for path in files if (host.read(path) or "").startswith(conf.HEADER)],
        "modules": [path for path in (kmod.FILE, kmod.BUILT_IN) if (host.read(path) or "").startswith(conf.HEADER)],
        "units": _units(host),
        "state": host.names(_STATE),
    }


def _units(host: ReadOnlyHost) -> Dict[str, List[str]]:
    found: Dict[str, List[str]] = {}
    for folder in host.names(_UNITS):
        match = re.fullmatch(r"linuxnet-tuning@(.+)\.service\.d", folder)
        if match:
            texts = [host.read(f"{_UNITS}/{folder}/{name}") or "" for name in host.names(f"{_UNITS}/{folder}")]
            found[match[1]] = [line for text in texts for line in re.findall(r"^ExecStart=-?(.+)$", text, re.MULTILINE)]
    return found
