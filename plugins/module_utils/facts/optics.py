# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what the modules of ports in trouble tell of themselves; to read their memory takes some time."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence

from ..host import ReadOnlyHost
from ..tools import optics
from .saying import said

# Ports with a plug for a module or a cable with modules, as ethtool names them.
_PORTS = ("FIBRE", "Direct Attach Copper")
# Ports that are troubled at most, changes of the carrier from which on a link is worth it, and damaged packets.
_MOST, _CHANGES, _DAMAGED = 4, 20, 10


def gather(host: ReadOnlyHost, nics: Mapping[str, Mapping[str, Any]], used: Sequence[str]) -> Dict[str, Dict[str, Any]]:
    """By NIC, of ports without a link that somebody uses, or whose link flaps or damages packets."""
    troubled = [name for name, facts in nics.items() if facts.get("port") in _PORTS and _troubled(facts, name in used)]
    found = {name: optics.parse(said(host, optics.query(name))) for name in troubled[:_MOST]}
    return {name: facts for name, facts in found.items() if facts}


def _troubled(nic: Mapping[str, Any], used: bool) -> bool:
    counted = nic.get("counters", {})
    # Within an interval a link that was good for years may have gone bad.
    counts = [counted.get(since, {}) for since in ("total", "growth")]
    changes, damaged = (max(count.get(key) or 0 for count in counts) for key in ("carrier_changes", "rx_crc"))
    down = nic.get("carrier") is False and (used or bool(nic.get("master")))
    return down or changes >= _CHANGES or damaged >= _DAMAGED
