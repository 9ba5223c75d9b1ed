# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the queues that a program reads, of tunnels and of guests: how long they are, and what they dropped.

Tunnels of WireGuard, and those of VXLAN and Geneve, as well, which may have no address, such as that between nodes of
Cilium, or one below a bridge.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Sequence

from ..host import ReadOnlyHost
from ..tools import statistics, sysfs

# IFF_TUN, IFF_TAP and IFF_VNET_HDR of include/uapi/linux/if_tun.h; the last one only programs that run guests ask for.
_KINDS = {1: "tun", 2: "tap"}
_HEADERS = 0x4000
_COUNTED = ("sent", "dropped", "unanswered", "received")
_OTHERS = ("wireguard", "vxlan", "geneve")
_OF_WIREGUARD = (
    ("sent", "statistics/tx_packets"),
    ("unanswered", "statistics/tx_dropped"),
    ("received", "statistics/rx_packets"),
    ("threads", "threaded"),
)


def sample(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Each with its kind, the length of its queue, and the packets sent into it and dropped there; or its MTU.

    Of WireGuard also the packets that were sent and received, those `unanswered`, as the other end did not take part in
    a handshake, and whether those that come are taken by `threads`; Linux 5.12 and later tell.
    """
    found = []
    for nic in host.names(sysfs.ROOT):
        word = sysfs.text(host, f"{sysfs.ROOT}/{nic}/tun_flags")
        flags = int(word, 16) if re.fullmatch(r"0x[0-9a-f]{1,8}", word) else 0
        kind = _KINDS.get(flags & sum(_KINDS), "")
        if kind:
            counts = {
                key: sysfs.number(host, f"{sysfs.ROOT}/{nic}/{file}")
                for key, file in (
                    ("queue", "tx_queue_len"),
                    ("sent", "statistics/tx_packets"),
                    ("dropped", "statistics/tx_dropped"),
                )
            }
            known = {key: number for key, number in counts.items() if number is not None}
            found.append({"nic": nic, "kind": kind, **known, **({"headers": True} if flags & _HEADERS else {})})
            continue
        words = sysfs.text(host, f"{sysfs.ROOT}/{nic}/uevent").split()
        for kind in _OTHERS:
            if f"DEVTYPE={kind}" in words:
                row: Dict[str, Any] = {"nic": nic, "kind": kind, "mtu": sysfs.number(host, f"{sysfs.ROOT}/{nic}/mtu")}
                for key, file in _OF_WIREGUARD if kind == "wireguard" else ():
                    number = sysfs.number(host, f"{sysfs.ROOT}/{nic}/{file}")
                    row.update({} if number is None else {key: bool(number) if key == "threads" else number})
                found.append(row)
    return found


def gather(host: ReadOnlyHost, before: Sequence[Dict[str, Any]], interval: float) -> List[Dict[str, Any]]:
    """The same, and under `growth` what came on top since `before`, `interval` seconds ago."""
    rows = sample(host)
    former = {row["nic"]: row for row in before}
    for row in rows:
        if interval > 0 and row["nic"] in former:
            old, new = ({key: each[key] for key in _COUNTED if key in each} for each in (former[row["nic"]], row))
            row.update(growth=statistics.growth(old, new), interval=interval)
    return rows
