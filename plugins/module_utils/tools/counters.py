# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand what tc and drivers count for each transmit queue, and the kernel for its processors."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional

# How drivers name the bytes of a transmit queue: igb and ixgbe, i40e and ice, mlx5 and virtio_net, ena, bnxt.
_NAMES = (
    r"tx_queue_(\d+)_bytes",
    r"tx-(\d+)\.(?:tx_)?bytes",
    r"tx(\d+)_bytes",
    r"queue_(\d+)_tx_bytes",
    r"\[(\d+)\]: tx_ucast_bytes",
)


def watch(nic: str) -> List[List[str]]:
    """The commands that show the counters of a NIC."""
    return [["tc", "-s", "class", "show", "dev", nic], ["ethtool", "-S", nic]]


def queues(classes: str, statistics: str) -> Dict[int, int]:
    """Bytes by transmit queue, from tc where the qdisc has a class for each, else from the driver."""
    return _classes(classes) or _statistics(statistics)


def _classes(out: str) -> Dict[int, int]:
    """The classes of mq and multiq are numbered from 1, in hexadecimal."""
    rows = re.findall(r"class (?:mq|multiq) [0-9a-f]*:([0-9a-f]+) [^\n]*\n\s*Sent (\d+) bytes", out)
    return {int(minor, 16) - 1: int(number) for minor, number in rows}


def _statistics(out: str) -> Dict[int, int]:
    for name in _NAMES:
        rows = re.findall(rf"^\s*{name}: (\d+)", out, re.MULTILINE)
        if rows:
            return {int(queue): int(number) for queue, number in rows}
    return {}


def growth(before: Mapping[int, int], after: Mapping[int, int]) -> List[int]:
    """Bytes sent meanwhile, queue by queue; none where the number of queues has changed or a counter was reset."""
    grown = [after[queue] - before.get(queue, 0) for queue in sorted(after)]
    return grown if sorted(before) == sorted(after) and all(number >= 0 for number in grown) else []


# What of /proc/stat is work: all but waiting (idle, iowait) and what a hypervisor has taken away (steal). The time of
# guests is in user already. The kernel counts there in hundredths of a second on every architecture (USER_HZ).
_WORK, _HERTZ = (0, 1, 2, 5, 6), 100


def processors(stat: str) -> Optional[float]:
    """Seconds that all processors together have been at work, of /proc/stat; none where it does not say."""
    match = re.match(r"cpu +(\d+(?: \d+){6,})", stat)
    if not match:
        return None
    numbers = [int(word) for word in match.group(1).split()]
    return sum(numbers[column] for column in _WORK) / _HERTZ
