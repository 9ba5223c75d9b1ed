# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what slows a host down as a whole: heat, the quota of a container, and memory that is missing."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ..host import ReadOnlyHost
from ..tools import cgroups, pressure, sysfs

_PACKAGE = "/sys/devices/system/cpu/cpu0/thermal_throttle"
_COOLERS = "/sys/class/thermal"
_FIRMWARE = "/sys/devices/platform/soc/soc:firmware/get_throttled"
# Of the firmware of the Raspberry Pi: the clock is capped, throttled, or at its soft limit for heat at this moment.
_NOW = 0b1110


def gather(host: ReadOnlyHost) -> Optional[Dict[str, Any]]:
    """How long (`hot_ms`) and how often (`hot_times`) an Intel processor was too hot, and what `cools` others just now.

    Of a container the periods of its `quota`, and in how many of them it was used up. `memory_waits` is the percent of
    the last five minutes in which all programs at once waited for memory. None where there is nothing.
    """
    cools = [] if host.exists(_PACKAGE) else [*_coolers(host), *_firmware(host)]
    quota = cgroups.quota(next(filter(None, map(host.read, cgroups.STATISTICS)), ""))
    waits = pressure.full(host.read(pressure.MEMORY) or "")
    hot = {"hot_ms": _most(host, "throttle_total_time_ms"), "hot_times": _most(host, "throttle_count")}
    told = {**hot, "cools": cools, "quota": quota, "memory_waits": waits}
    return {key: value for key, value in told.items() if value} or None


def _most(host: ReadOnlyHost, file: str) -> int:
    """The larger one of what is counted of the package and of the first core."""
    return max(sysfs.number(host, f"{_PACKAGE}/{part}_{file}") or 0 for part in ("package", "core"))


def _coolers(host: ReadOnlyHost) -> List[str]:
    """Clocks that the kernel has lowered; those of Intel are told as heat, and there is one for each thread."""
    found = []
    for name in host.names(_COOLERS):
        kind = sysfs.text(host, f"{_COOLERS}/{name}/type") if name.startswith("cooling_device") else ""
        state = sysfs.number(host, f"{_COOLERS}/{name}/cur_state") if "cpufreq" in kind else 0
        if state:
            found.append(f"{kind}, step {state} of {sysfs.number(host, f'{_COOLERS}/{name}/max_state') or '?'}")
    return found


def _firmware(host: ReadOnlyHost) -> List[str]:
    word = sysfs.text(host, _FIRMWARE)
    try:
        bits = int(word, 16)
    except ValueError:
        return []
    return [f"get_throttled {word}"] if bits & _NOW else []
