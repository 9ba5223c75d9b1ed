# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak sysfs about the speed of a link as it is: of hardware, of what stands on it, and never of an invention."""

from __future__ import annotations

from typing import Tuple

from ..schema import Reader
from . import hypervisors, sysfs


def link(host: Reader, nic: str, depth: int = 8) -> Tuple[int, str]:
    """The speed of a NIC's link in Mb/s; or 0, and why nobody knows it."""
    base = f"{sysfs.ROOT}/{nic}"
    if not sysfs.present(host, nic):
        return 0, f"this host has no NIC {nic}"
    if not host.exists(f"{base}/device"):
        return _stacked(host, nic, depth)
    if hypervisors.invented(host, nic):
        return (
            0,
            f"{nic} ({sysfs.driver(host, nic)}) has no link of its own, so what it tells of a speed is invented",
        )
    if not sysfs.carrier(host, nic):
        return 0, f"{nic} has no link"
    speed = sysfs.number(host, f"{base}/speed")
    return (speed, "") if speed and speed > 0 else (0, f"{nic} does not tell the speed of its link")


def _stacked(host: Reader, nic: str, depth: int) -> Tuple[int, str]:
    """Of a VLAN the speed of its NIC, of a bond that of its ports: all together, or the one that carries."""
    lower = sysfs.below(host, nic) if depth else []
    known = [link(host, port, depth - 1) for port in lower]
    links = [speed for speed, _problem in known if speed]
    mode = sysfs.text(host, f"{sysfs.ROOT}/{nic}/bonding/mode").partition(" ")[0]
    if not lower or (len(lower) > 1 and not mode):
        return 0, f"{nic} is virtual and has no speed of its own"
    if not links:
        return 0, "; ".join(dict.fromkeys(problem for _speed, problem in known))
    return (max if mode == "active-backup" else sum)(links), ""
