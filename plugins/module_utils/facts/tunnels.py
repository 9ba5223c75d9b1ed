# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the queues of tunnels that a program serves, such as OpenVPN: how long they are, and what they dropped."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import sysfs

# IFF_TUN of include/uapi/linux/if_tun.h; a tap (2) belongs to a guest, which may be switched off.
_TUN, _TAP = 1, 2


def gather(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Each with the length of the queue that its program reads from, and the packets sent into it and dropped there."""
    found = []
    for nic in host.names(sysfs.ROOT):
        flags = sysfs.text(host, f"{sysfs.ROOT}/{nic}/tun_flags")
        if re.fullmatch(r"0x[0-9a-f]{1,8}", flags) and int(flags, 16) & (_TUN | _TAP) == _TUN:
            counts = {
                key: sysfs.number(host, f"{sysfs.ROOT}/{nic}/{file}")
                for key, file in (
                    ("queue", "tx_queue_len"),
                    ("sent", "statistics/tx_packets"),
                    ("dropped", "statistics/tx_dropped"),
                )
            }
            found.append({"nic": nic, **{key: number for key, number in counts.items() if number is not None}})
    return found
