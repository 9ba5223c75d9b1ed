# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak cgroups: which services run, without starting a process."""

from __future__ import annotations

from typing import Iterable

from ..schema import Reader

_SYSTEMD = "systemd"
_FOLDERS = ("/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/systemd/system.slice")


def runs(host: Reader, unit: str) -> bool:
    """Whether a service of systemd runs."""
    return any(host.exists(f"{folder}/{unit}") for folder in _FOLDERS)


def may_run(host: Reader, units: Iterable[str]) -> bool:
    """Whether it is worth the time to ask systemd for one of these services.

    The group of a service that has ended may be held by what it has started, never the other way round; some containers
    have no groups to look at.
    """
    # systemd calls itself so, by whatever name it was started.
    if (host.read("/proc/1/comm") or _SYSTEMD).strip() != _SYSTEMD:
        return False
    return not any(map(host.exists, _FOLDERS)) or any(runs(host, unit) for unit in units)
