# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell the rate of each client's queue from the speed of the client's own link, for `multiq: {rate: auto}`."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any, Dict, List, Mapping, Sequence

from .findings.view import Host
from .plain import notes

# Where the playbook site registers what nic_info has read on each host of the fleet.
NAME = "tuning_links"
AUTO = "auto"
# A full frame is 1514 bytes for the queueing discipline and 1538 on the wire: 98.4 %.
_SHARE = 0.98


def needed(entries: Any) -> bool:
    """Whether entries of NICs ask for `auto`."""
    return isinstance(entries, Sequence) and any(AUTO in _words(entry) for entry in entries)


def _words(entry: Any) -> List[str]:
    multiq = entry.get("multiq") if isinstance(entry, Mapping) else None
    rate = multiq.get("rate") if isinstance(multiq, Mapping) else None
    items = rate if isinstance(rate, (list, tuple)) else [rate]
    return [str(item).strip().lower() for item in items if item is not None]


def filled(entries: Sequence[Any], hostvars: Any) -> List[Any]:
    """The entries with what the fleet has told beside each `auto`; a rate that somebody has written stays."""
    known = of_fleet(hostvars)
    found = []
    for entry in entries:
        words = _words(entry)
        if AUTO in words:
            named = {_plain(word.rpartition("=")[0]) for word in words}
            more = [f"{address}={rate}" for address, rate in sorted(known.items()) if address not in named]
            entry = {**entry, "multiq": {**entry["multiq"], "rate": [*words, *more]}}
        found.append(entry)
    return found


def _plain(whom: str) -> str:
    """An address as a host tells it, however somebody has written it; a network or a word stays."""
    try:
        network = ip_network(whom)
    except ValueError:
        return whom
    return str(network.network_address) if network.num_addresses == 1 else whom


def of_fleet(hostvars: Any) -> Dict[str, str]:
    """Mbit/s by address, of all hosts that were asked."""
    noted = notes(hostvars)
    found: Dict[str, str] = {}
    for name in hostvars:
        told = noted(name).get(NAME)
        if isinstance(told, Mapping):
            found.update(of_host(Host(str(name), told)))
    return found


def of_host(host: Host) -> Dict[str, str]:
    """Mbit/s by address; nothing of an address whose link does not tell its speed."""
    found = {}
    for row in host.rows("addresses"):
        nics = [host.nic(name) for name in row.words("hardware") or [row.text("nic")]]
        speeds = [nic.speed for nic in nics if nic is not None and nic.flag("carrier") is True and nic.speed > 0]
        # Of a bond as much as all its ports together, but for one of which only one carries packets.
        spare = host.text("bonds", row.text("nic"), "mode") == "active-backup"
        speed = (max if spare else sum)(speeds) if speeds else 0
        if speed:
            found[row.text("address").partition("/")[0]] = f"{speed * _SHARE:.3f}".rstrip("0").rstrip(".")
    return found
