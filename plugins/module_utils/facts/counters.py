# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what NICs have counted, once or twice with some time between."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence

from ..host import ReadOnlyHost
from ..tools import ethtool, interrupts, statistics, sysfs
from .saying import said


def span(host: ReadOnlyHost, interval: float) -> Callable[[], float]:
    """The seconds since now: the interval if there is one, or more where reading a host takes longer."""
    if interval <= 0:
        return lambda: 0.0
    begun = host.seconds()
    return lambda: max(interval, float(round(host.seconds() - begun)))


def gather(host: ReadOnlyHost, nics: Sequence[str], interval: float) -> Dict[str, Dict[str, Any]]:
    """Counters by NIC under `total`, and under `growth` what came on top within `interval` seconds or somewhat more."""
    since = span(host, interval)
    first = {nic: _sample(host, nic) for nic in nics}
    if interval <= 0 or not nics:
        return {nic: {"total": counters} for nic, counters in first.items()}
    host.wait_until(lambda: False, interval)
    found: Dict[str, Dict[str, Any]] = {}
    for nic, before in first.items():
        total = _sample(host, nic)
        found[nic] = {"total": total, "growth": statistics.growth(before, total), "interval": since()}
    return found


def _sample(host: ReadOnlyHost, nic: str) -> Dict[str, int]:
    numbers = {name: sysfs.number(host, f"{sysfs.ROOT}/{nic}/statistics/{name}") for name in statistics.KERNEL}
    kernel = {name: number for name, number in numbers.items() if number is not None}
    hung = [sysfs.number(host, f"{queue}/{statistics.WATCHDOG}") for queue in interrupts.queues(host, nic, "tx")]
    if any(number is not None for number in hung):
        kernel[statistics.WATCHDOG] = sum(number or 0 for number in hung)
    driver = host.target(f"{sysfs.ROOT}/{nic}/device/driver")
    return statistics.normalise(statistics.parse(said(host, ethtool.query("-S", nic))), kernel, driver)
