# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what NICs have counted, once or twice with some time between."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

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
    """Counters by NIC under `total`, and under `growth` what came on top within `interval` seconds or somewhat more.

    Of a device that does not answer on its bus there is `silent` alone.
    """
    since = span(host, interval)
    first = {nic: _sample(host, nic) for nic in nics}
    if interval <= 0 or not nics:
        return {nic: _told(counters) for nic, counters in first.items()}
    host.wait_until(lambda: False, interval)
    found: Dict[str, Dict[str, Any]] = {}
    for nic, before in first.items():
        total = _sample(host, nic)
        grown = {} if total is None else {"growth": statistics.growth(before or {}, total), "interval": since()}
        found[nic] = {**_told(total), **grown}
    return found


def _told(counters: Optional[Dict[str, int]]) -> Dict[str, Any]:
    return {"silent": True} if counters is None else {"total": counters}


def _sample(host: ReadOnlyHost, nic: str) -> Optional[Dict[str, int]]:
    """The counters of a NIC; None where its device does not answer, of which the kernel's own tell nothing either."""
    text = said(host, ethtool.query("-S", nic))
    if statistics.silent(text):
        return None
    numbers = {name: sysfs.number(host, f"{sysfs.ROOT}/{nic}/statistics/{name}") for name in statistics.KERNEL}
    kernel = {name: number for name, number in numbers.items() if number is not None}
    hung = [sysfs.number(host, f"{queue}/{statistics.WATCHDOG}") for queue in interrupts.queues(host, nic, "tx")]
    if any(number is not None for number in hung):
        kernel[statistics.WATCHDOG] = sum(number or 0 for number in hung)
    driver = host.target(f"{sysfs.ROOT}/{nic}/device/driver")
    return statistics.normalise(statistics.parse(text), kernel, driver)
