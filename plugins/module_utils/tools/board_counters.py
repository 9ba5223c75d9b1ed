# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what NICs of boards and routers, inside of the processor or on USB, call their losses in `ethtool -S`."""

from __future__ import annotations

from typing import Tuple

from .guest_counters import Driver

_NET = "drivers/net/ethernet/"

BOARDS: Tuple[Driver, ...] = (
    Driver(
        ("fec",),
        _NET + "freescale/fec_main.c",
        {
            # The register of the MAC that counts overflows of its FIFO.
            "rx_fifo": ("IEEE_rx_macerr",),
            "rx_crc": ("IEEE_rx_crc", "rx_crc_errors"),
            "rx_too_long": ("rx_oversize",),
            "rx_pause": ("IEEE_rx_fdxfc",),
            "tx_pause": ("IEEE_tx_fdxfc",),
            "late_collisions": ("IEEE_tx_lcol",),
        },
        "IEEE_rx_macerr",
    ),
    Driver(
        ("mtk_soc_eth",),
        _NET + "mediatek/mtk_eth_soc.c",
        {
            "rx_fifo": ("rx_overflow",),
            "rx_crc": ("rx_fcs_errors",),
            "rx_too_long": ("rx_long_errors",),
            "rx_pause": ("rx_flow_control_packets",),
        },
        "rx_flow_control_packets",
    ),
    Driver(
        ("mvneta",),
        _NET + "marvell/mvneta.c",
        {
            "rx_missed": ("rx_discard",),
            "rx_fifo": ("rx_overrun",),
            "rx_no_memory": (r"(skb_alloc|refill)_errors?",),
            "rx_crc": ("bad_crc_event",),
            "rx_too_long": ("oversize_received",),
            "rx_pause": ("good_fc_received",),
            "tx_pause": ("fc_sent",),
            "late_collisions": ("late_collision",),
        },
        "good_fc_received",
    ),
    Driver(
        ("lan78xx",),
        "drivers/net/usb/lan78xx.c",
        {
            # Its own memory was full: USB did not fetch in time.
            "rx_fifo": ("RX Dropped Frames",),
            "rx_crc": ("RX FCS Errors",),
            "rx_pause": ("RX Pause Frames",),
            "tx_pause": ("TX Pause Frames",),
            "late_collisions": ("TX Late Collisions",),
        },
        "RX Dropped Frames",
    ),
)
