# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the parameters of kernel modules that matter to the network: drivers of NICs, and what TCP is made of."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..tools import kmod, sysfs

# Congestion controls, queueing disciplines, and what stands between a NIC and its traffic.
_PREFIXES = ("tcp_", "sch_", "nf_conntrack", "bonding", "veth", "vhost")


def gather(host: ReadOnlyHost) -> Dict[str, Dict[str, Any]]:
    """By module, the parameters that can be read, with the ones that can be written live."""
    drivers = {nic.driver for nic in sysfs.identities(host) if nic.driver}
    names = [name for name in host.names(kmod.ROOT) if name in drivers or name.startswith(_PREFIXES)]
    found: Dict[str, Dict[str, Any]] = {}
    for name in names:
        parameters = host.names(f"{kmod.ROOT}/{name}/parameters")
        values = {one: sysfs.text(host, kmod.path(f"{name}.{one}")) for one in parameters}
        live = [one for one in parameters if host.writable(kmod.path(f"{name}.{one}"))]
        if values:
            found[name] = {"values": values, "live": live}
    return found
