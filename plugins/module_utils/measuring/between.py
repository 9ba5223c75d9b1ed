# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell whether this host is a router between those that measure, and what would keep it from being one."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ..host import ReadOnlyHost
from ..tools import forwarding, ip


def tell(host: ReadOnlyHost, params: Mapping[str, Any], _check_mode: bool) -> Dict[str, Any]:
    """Which of the routers that are asked for this host is, and what it does with packets of others."""
    here = [
        (nic, address.partition("/")[0])
        for nic, addresses in ip.addresses(host, expiring=True).items()
        for address in addresses
    ]
    # Each link may have its own fe80::1.
    owned = [(nic, address) for nic, address in here if address in params["routers"] and address[:4] != "fe80"]
    found = forwarding.look(host, owned) if owned else forwarding.Found([], [])
    routers = sorted({address for _nic, address in owned})
    return {"changed": False, "routers": routers, "obstacles": found.obstacles, "doubts": found.doubts}
