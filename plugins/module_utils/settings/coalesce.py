# SPDX-License-Identifier: GPL-3.0-or-later
"""Know interrupt coalescing: how long a NIC waits before it interrupts a processor (`ethtool -c`, `-C`)."""

from __future__ import annotations

from typing import Mapping, Tuple

from ..family import Field
from ..schema import Action, Cell, Value
from ..tools import ethtool
from .table import Row, family


def _row(name: str, about: str, label: str = "") -> Row:
    # Hardware counts in ticks of its own, so a few units of rounding are no refusal.
    option = name.replace("_", "-")
    unit = "microseconds" if "usecs" in name else "packets" if "frames" in name else ""
    return Row(Field(name, "integer", about, rounding=8, unit=unit), option, label or option)


def _rows(suffix: str, when: str) -> Tuple[Row, ...]:
    dashed = suffix.replace("_", "-")
    return tuple(
        _row(f"{way}_{unit}{suffix}", f"{about.format(verb)}{when}", label.format(way, dashed))
        for way, verb in (("rx", "received"), ("tx", "sent"))
        for unit, about, label in (
            ("usecs", "maximum microseconds from a {0} packet to its interrupt", "{0}-usecs{1}"),
            # The text says rx-frame-low where the option is rx-frames-low.
            (
                "frames",
                "maximum number of {0} packets before an interrupt",
                "{0}-frame{1}" if suffix in ("_low", "_high") else "{0}-frames{1}",
            ),
        )
    )


def _switch(name: str, about: str, option: str, label: str) -> Row:
    return Row(Field(name, "switch", about), option, label)


_ADAPTIVE = ("adaptive_rx", "adaptive_tx")

_table = family(
    "coalesce",
    (
        _switch("adaptive_rx", "let the driver choose the times for receiving", "adaptive-rx", "Adaptive RX"),
        _switch("adaptive_tx", "let the driver choose the times for sending", "adaptive-tx", "Adaptive TX"),
        *_rows("", ""),
        *_rows("_irq", " while an interrupt is being served"),
        *_rows("_low", ", at a packet rate below C(pkt_rate_low)"),
        *_rows("_high", ", at a packet rate above C(pkt_rate_high)"),
        _row("pkt_rate_low", "packets per second below which the values with C(low) apply"),
        _row("pkt_rate_high", "packets per second above which the values with C(high) apply"),
        _row("sample_interval", "seconds between two samples of the packet rate"),
        _row("stats_block_usecs", "microseconds between two updates of the statistics"),
        _switch(
            "cqe_mode_rx",
            "restart the timer at each completion, not at an event",
            "cqe-mode-rx",
            "CQE mode RX",
        ),
        _switch("cqe_mode_tx", "the same for sending", "cqe-mode-tx", "CQE mode TX"),
        _row("tx_aggr_max_bytes", "maximum bytes in one block that is sent to the device"),
        _row("tx_aggr_max_frames", "maximum packets in such a block"),
        _row("tx_aggr_time_usecs", "maximum microseconds that a block waits for more packets"),
    ),
    ask="-c",
    change="-C",
    parse=ethtool.values,
    loose=True,
    about="Interrupt coalescing. The hardware ignores fixed times while C(adaptive_rx) or C(adaptive_tx) is on. "
    "All queues get the same: times of single queues (C(ethtool -Q)) and the steps of adaptive ones are not set.",
    shaken_by=("channels", "sriov"),  # igb, for instance, knows no time for sending while a queue serves both ways
    hint="The hardware has limits of its own, and ignores fixed times while adaptive_rx or adaptive_tx is on.",
    blind=("*",),
)


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    """All in one call, but for adaptive times that are switched on: virtio_net refuses others in the same call
    (virtnet_send_rx_notf_coal_cmds, since Linux 6.8), which a way back to adaptive times has."""
    on = {key: True for key in _ADAPTIVE if values.get(key) is True}
    rest = {key: value for key, value in values.items() if key not in on}
    if not any(key.startswith(f"{switch[-2:]}_") for switch in on for key in rest):
        return tuple(_table.write(nic, values, cells))
    return (*_table.write(nic, rest, cells), *_table.write(nic, on, cells))


coalesce = _table._replace(write=_write)
