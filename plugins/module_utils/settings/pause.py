# SPDX-License-Identifier: GPL-3.0-or-later
"""Know pause frames, the flow control of Ethernet (`ethtool -a`, `-A`)."""

from __future__ import annotations

from typing import Any

from ..schema import Field
from ..tools import ethtool
from .table import Row, family


def _explain(host: Any, nic: str) -> str:
    """What the two ends advertise: tells a NIC that refuses from a switch that has flow control off."""
    facts = ethtool.link(host.ask(ethtool.query("", nic)).out)
    said = [
        f"{label} {facts[key]}"
        for key, label in (
            ("pause_supported", "supported:"),
            ("pause_advertised", "advertised:"),
            ("pause_partner", "advertised by the link partner:"),
        )
        if key in facts
    ]
    return f"ethtool says of pause frames: {', '.join(said)}." if said else ""


pause = family(
    "pause",
    (
        Row(Field("autoneg", "switch", "agree on pause frames with the link partner"), "autoneg", "Autonegotiate"),
        Row(Field("rx", "switch", "stop sending when the link partner asks for it"), "rx", "RX"),
        Row(Field("tx", "switch", "ask the link partner to stop when the ring is full"), "tx", "TX"),
    ),
    ask="-a",
    change="-A",
    parse=ethtool.values,
    about="Pause frames (flow control). A change may renegotiate the link.",
    hint=(
        "With autoneg on, rx and tx are only advertised and the two ends decide together: set flow control on the "
        "switch port too, or write 'autoneg: false' as well to force rx and tx on this side."
    ),
    explain=_explain,
    cuts=True,
)
