# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe a NIC that the configuration of a network manager names."""

from __future__ import annotations

from typing import NamedTuple


class Named(NamedTuple):
    """Its name, the file that has it, and the bridge or bond that has it as a port there; empty if none has."""

    nic: str
    file: str
    above: str = ""
