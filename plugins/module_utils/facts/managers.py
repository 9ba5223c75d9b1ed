# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather who else writes the settings of NICs: network managers, .link files, tuned and irqbalance."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..settings import managers
from ..tools import services, sysfs, tuned, udev


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """The NICs of each network manager, .link files that set what we set, the services that run."""
    return {
        "nics": managers.owned(host),
        "link_files": udev.link_files(host),
        "irqbalance": services.runs(host, "irqbalance.service"),
        "tuned": _tuned(host),
        **({"tlp_stops_waking": True} if _stops_waking(host) else {}),
    }


# Where TLP 1.2 and older, and newer versions, have their configuration.
_OF_TLP = ("/etc/default/tlp", "/etc/tlp.conf")


def _stops_waking(host: ReadOnlyHost) -> bool:
    """Whether TLP switches Wake-on-LAN off at each boot, as it does unless its configuration says otherwise."""
    text = "\n".join(host.read(path) or "" for path in _OF_TLP)
    values = dict(re.findall(r"^\s*(TLP_ENABLE|WOL_DISABLE)=\"?([^\s\"#]*)", text, re.MULTILINE))
    return bool(text.strip()) and values.get("TLP_ENABLE", "1") == "1" and values.get("WOL_DISABLE", "Y") == "Y"


def _tuned(host: ReadOnlyHost) -> Dict[str, Any]:
    """The active profile with the kernel parameters that it sets; empty where tuned does not run."""
    if not services.runs(host, "tuned.service"):
        return {}
    names: List[str] = re.findall(r"\S+", sysfs.text(host, "/etc/tuned/active_profile"))
    return {"profile": " ".join(names), "sysctl": tuned.sysctl(host, names)}
