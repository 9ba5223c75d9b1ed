# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how a plugged transceiver is fed (`ethtool --show-module`, `--set-module`)."""

from __future__ import annotations

from ..family import Field
from ..tools import ethtool
from .table import Row, family

module = family(
    "module",
    (
        Row(
            Field(
                "power_mode_policy",
                "word",
                "C(high): always full power; C(auto): full power while a port that uses it is up",
                words=("high", "auto"),
            ),
            "power-mode-policy",
            "power-mode-policy",
        ),
    ),
    ask="--show-module",
    change="--set-module",
    parse=ethtool.values,
    about="The power mode of a pluggable transceiver. With C(high) a link comes up sooner.",
    hint="Only modules with a management interface (CMIS, SFF-8636) have power modes, and few drivers support them.",
    cuts=True,
)
