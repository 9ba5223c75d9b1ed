# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather who else writes the settings of NICs: network managers, .link files, tuned and irqbalance."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..settings import managers
from ..tools import services, sysfs, tlp, tuned, udev


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """The NICs of each network manager, .link files that set what we set, the services that run."""
    return {
        "nics": managers.owned(host),
        "link_files": udev.link_files(host),
        "irqbalance": services.runs(host, "irqbalance.service"),
        "tuned": _tuned(host),
        # As a program of NetworkManager it would be in the group of that.
        **({"dhcpcd": True} if services.runs(host, "dhcpcd.service") else {}),
        **({"tlp_stops_waking": True} if tlp.stops_waking([host.read(path) or "" for path in tlp.FILES]) else {}),
    }


def _tuned(host: ReadOnlyHost) -> Dict[str, Any]:
    """The active profile with the kernel parameters that it sets; empty where tuned does not run."""
    if not services.runs(host, "tuned.service"):
        return {}
    names: List[str] = re.findall(r"\S+", sysfs.text(host, "/etc/tuned/active_profile"))
    return {"profile": " ".join(names), "sysctl": tuned.sysctl(host, names)}
