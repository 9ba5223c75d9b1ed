# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather which port of which switch each NIC hangs on, where somebody on the host listens to LLDP."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import lldp, sysfs
from .saying import said

_LLDPD = ("/run/lldpd.socket", "/run/lldpd/lldpd.socket", "/var/run/lldpd.socket")
_NETIF = "/run/systemd/netif"


def gather(host: ReadOnlyHost, nics: Sequence[str]) -> Dict[str, Dict[str, Any]]:
    """By NIC: switch and port, its description, the largest frame it takes, and its own VLAN, as far as it tells."""
    found: Dict[str, Dict[str, Any]] = {}
    for nic in nics:
        number = sysfs.text(host, f"{sysfs.ROOT}/{nic}/ifindex")
        path = f"{_NETIF}/lldp/{number}"
        if number and host.exists(path):
            # Its bytes are no text.
            found[nic] = lldp.frames(said(host, Query(("od", "-A", "n", "-v", "-t", "x1", path))))
    # Since systemd 257 there are no such files, but a socket that networkctl asks.
    if not found and host.exists(f"{_NETIF}/io.systemd.Network"):
        found = lldp.networkctl(said(host, Query(("networkctl", "lldp", "--json=short"))))
    if any(host.exists(path) for path in _LLDPD):
        found.update(lldp.keyvalue(said(host, Query(("lldpcli", "-f", "keyvalue", "show", "neighbors", "details")))))
    return {nic: found[nic] for nic in nics if found.get(nic)}
