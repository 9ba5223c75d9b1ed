# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak cgroups: which services run, without starting a process."""

from __future__ import annotations

from ..schema import Reader

_FOLDERS = ("/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/systemd/system.slice")


def runs(host: Reader, unit: str) -> bool:
    """Whether a service of systemd runs."""
    return any(host.exists(f"{folder}/{unit}") for folder in _FOLDERS)
