# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather VLANs in which this host has heard nobody."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ..host import ReadOnlyHost
from ..tools import protocols, sysfs, vlans


def gather(host: ReadOnlyHost) -> Optional[List[Dict[str, Any]]]:
    """Each with its name (`nic`), its number (`id`), what it stands on (`below`), and how many packets it has `sent`.

    `unanswered` is how many neighbours in it have just not answered ARP. None where all hear somebody.
    """
    found = []
    silent = None
    for name, number, below in vlans.parse(host.read(vlans.CONFIGURATION) or ""):
        base = f"{sysfs.ROOT}/{name}/statistics"
        sent, received = (sysfs.number(host, f"{base}/{key}_packets") for key in ("tx", "rx"))
        if sent and received == 0:
            silent = protocols.incomplete(host.read(protocols.ARP) or "") if silent is None else silent
            count = sum(nic == name for nic, _address in silent)
            found.append({"nic": name, "id": number, "below": below, "sent": sent, "unanswered": count})
    return found or None
