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
    Driver(
        ("macb",),
        _NET + "cadence/macb.h",
        {
            "rx_missed": ("rx_resource_errors",),
            "rx_fifo": ("rx_overruns",),
            "rx_crc": ("rx_frame_check_sequence_errors",),
            "rx_pause": ("rx_pause_frames",),
            "tx_pause": ("tx_pause_frames",),
            "late_collisions": ("tx_late_collisions",),
        },
        "rx_resource_errors",
    ),
    Driver(
        ("stmmac*", "*dwmac*", "st_gmac", "st_xgmac", "intel-eth-pci", "qcom-ethqos", "stmmaceth"),
        _NET + "stmicro/stmmac/stmmac_ethtool.c",
        {
            "rx_missed": ("rx_missed_cntr",),
            "rx_fifo": ("mmc_rx_fifo_overflow", "rx_overflow_cntr"),
            "rx_no_buffer": ("rx_buf_unav_irq",),
            "rx_crc": ("mmc_rx_crc_error", "rx_crc_errors"),
            "rx_pause": ("mmc_rx_pause_frames",),
            "tx_pause": ("mmc_tx_pause_frame",),
            "late_collisions": ("mmc_tx_latecol",),
        },
        "mmc_rx_fifo_overflow|rx_missed_cntr",
    ),
    Driver(
        ("mvpp2",),
        _NET + "marvell/mvpp2/mvpp2_main.c",
        {
            # No room in the queue, or no buffer in the pool.
            "rx_missed": (r"rxq_\d+_(queue_full|packets_bm)_drops",),
            "rx_fifo": ("rx_fifo_or_parser_overrun_drops", "rx_fifo_overrun"),
            "rx_crc": ("bad_crc_event",),
            "rx_too_long": ("oversize_received",),
            "rx_pause": ("fc_received",),
            "tx_pause": ("fc_sent",),
            "late_collisions": ("late_collision",),
        },
        "rx_fifo_or_parser_overrun_drops",
    ),
    Driver(
        ("cpsw", "cpsw-switch"),
        _NET + "ti/cpsw_ethtool.c",
        {
            # Overruns of the DMA are among those at the start and in the middle of a frame.
            "rx_fifo": ("Rx (Start|Middle) of Frame Overruns", "Rx DMA Overruns"),
            "rx_crc": ("Rx CRC Errors",),
            "rx_too_long": ("Oversize Rx Frames",),
            "rx_pause": ("Pause Rx Frames",),
            "tx_pause": ("Pause Tx Frames",),
            "late_collisions": ("Late Collisions",),
        },
        "Rx Start of Frame Overruns",
    ),
    Driver(
        ("am65-cpsw-nuss",),
        _NET + "ti/am65-cpsw-ethtool.c",
        {
            # The names with p0_ are of the port to the processor, which all ports of the switch show.
            "rx_fifo": ("rx_(bottom|top)_fifo_drop",),
            "rx_crc": ("rx_crc_errors",),
            "rx_too_long": ("rx_oversized_frames",),
            "rx_pause": ("rx_pause_frames",),
            "tx_pause": ("tx_pause_frames",),
            "late_collisions": ("tx_late_collisions",),
        },
        "rx_bottom_fifo_drop",
    ),
    Driver(
        ("nicvf", "thunder-nicvf"),
        _NET + "cavium/thunder/nicvf_ethtool.c",
        {
            # Early drops (RED), before the ring is full to its end, and what comes later all the same.
            "rx_missed": ("rx_drop_(red|overrun)",),
            "rx_crc": ("rx_fcs_errors",),
        },
        "rx_drop_overrun",
    ),
    Driver(
        ("amd-xgbe",),
        _NET + "amd/xgbe/xgbe-ethtool.c",
        {
            "rx_fifo": ("rx_fifo_overflow_errors",),
            "rx_no_buffer": ("rx_buffer_unavailable",),
            "rx_crc": ("rx_crc_errors",),
            "rx_pause": ("rx_pause_frames",),
            "tx_pause": ("tx_pause_frames",),
        },
        "rx_buffer_unavailable",
    ),
)
