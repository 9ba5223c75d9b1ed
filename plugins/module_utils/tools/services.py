# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak cgroups: which services run, without starting a process."""

from __future__ import annotations

from typing import Any

_FOLDERS = ("/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/systemd/system.slice")


def runs(host: Any, unit: str) -> bool:
    """Whether a service of systemd runs."""
    return any(host.exists(f"{folder}/{unit}") for folder in _FOLDERS)
