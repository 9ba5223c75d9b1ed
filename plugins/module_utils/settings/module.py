# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how a plugged transceiver is fed (`ethtool --show-module`, `--set-module`)."""

from __future__ import annotations

from ..schema import Field
from ..tools import ethtool
from .table import Row, family

module = family(
    "module",
    (
        Row(
            Field(
                "power_mode_policy",
                "word",
                "full power always, or C(auto), which is while a port that uses it is up",
                words=("high", "auto"),
            ),
            "power-mode-policy",
            "power-mode-policy",
        ),
    ),
    ask="--show-module",
    change="--set-module",
    parse=ethtool.values,
    about="The transceiver that is plugged in. With C(high) a link comes up sooner, as the module is awake already.",
    hint="Only modules with a management interface (CMIS, SFF-8636) have power modes, and few drivers pass them on.",
    cuts=True,
)
