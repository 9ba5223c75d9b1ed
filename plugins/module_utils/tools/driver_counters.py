# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what each driver calls its losses, errors and pause frames in `ethtool -S`, as a table with the source of it.

`names` are by meaning (statistics.py). All counters that fit an expression are added up; of several expressions in a
tuple, which count the same in versions or stages of their own, the largest holds, so that nothing is counted twice. An
empty tuple says that the driver has no such counter and that the kernel's own would mean something else. Where a name
means something else since some version, the driver has a row for each, and the mark tells which one holds.
"""

from __future__ import annotations

from typing import Tuple

from .board_counters import BOARDS
from .guest_counters import GUESTS, Driver

_INTEL = {
    "tx_timeouts": ("tx_timeout_count",),
    "rx_crc": ("rx_crc_errors",),
    "rx_pause": (r"rx_flow_control_xo(n|ff)",),
    "tx_pause": (r"tx_flow_control_xo(n|ff)",),
}
_LATE = {"late_collisions": ("tx_abort_late_coll",)}
_I40E = {
    "rx_no_buffer": ("rx_alloc_fail|rx_pg_alloc_fail",),
    "rx_crc": (r"port\.rx_crc_errors", "rx_crc_errors"),
    "tx_timeouts": (r"port\.tx_timeout",),
    "rx_pause": (r"port\.link_xo(n|ff)_rx", r"port\.rx_priority_\d_xo(n|ff)(_rx)?"),
    "tx_pause": (r"port\.link_xo(n|ff)_tx", r"port\.tx_priority_\d_xo(n|ff)(_tx)?"),
}
_NET = "drivers/net/ethernet/"

DRIVERS: Tuple[Driver, ...] = (
    Driver(
        ("ixgbe",),
        _NET + "intel/ixgbe/ixgbe_ethtool.c",
        {
            **_INTEL,
            # Without free descriptors, or, where queues may block each other, in the packet buffer.
            "rx_missed": ("rx_no_dma_resources|rx_missed_errors",),
            "rx_no_buffer": ("rx_no_buffer_count", "alloc_rx_(page|buff)_failed"),
            # Where each of eight priorities is paused on its own.
            "rx_pause": (r"rx_flow_control_xo(n|ff)", r"rx_pb_\d_pxo(n|ff)"),
            "tx_pause": (r"tx_flow_control_xo(n|ff)", r"tx_pb_\d_pxo(n|ff)"),
        },
        "rx_no_dma_resources",
    ),
    Driver(
        ("igb", "igc"),
        _NET + "intel/igb/igb_ethtool.c",
        {
            **_INTEL,
            **_LATE,
            # What all queues have dropped for lack of descriptors, they add up as rx_fifo_errors.
            "rx_missed": (r"rx_queue_\d+_drops|rx_missed_errors", "rx_fifo_errors|rx_missed_errors"),
            "rx_no_buffer": ("rx_no_buffer_count", r"rx_queue_\d+_alloc_failed"),
        },
        "rx_hwtstamp_cleared|rx_long_byte_count",
    ),
    Driver(
        ("e1000e", "e1000"),
        _NET + "intel/e1000e/ethtool.c",
        {
            **_INTEL,
            **_LATE,
            "rx_missed": ("rx_missed_errors",),
            "rx_no_buffer": ("rx_no_buffer_count", "alloc_rx_buff_failed"),
        },
        "rx_header_split",
    ),
    Driver(
        ("i40e",),
        _NET + "intel/i40e/i40e_ethtool.c",
        # Since Linux 6.7; rx_dropped has kept what is longer than the MTU, of which no buffer is short.
        {
            **_I40E,
            "rx_missed": (r"rx_missed_errors|port\.rx_discards",),
            "rx_too_long": ("rx_dropped", r"port\.rx_oversize"),
        },
        r"port\.rx_discards",
    ),
    Driver(
        ("i40e",),
        _NET + "intel/i40e/i40e_ethtool.c",
        # Two stages: the port had no room in its buffer, or this function no descriptor.
        {**_I40E, "rx_missed": (r"(port\.)?rx_dropped",), "rx_too_long": (r"port\.rx_oversize",)},
        r"port\.rx_dropped",
    ),
    Driver(
        ("ice",),
        _NET + "intel/ice/ice_ethtool.c",
        {
            # Two stages, as with i40e: the packet buffer of the port, and the descriptors of this function.
            "rx_missed": (r"rx_dropped(\.nic)?",),
            "rx_no_buffer": ("rx_alloc_fail|rx_pg_alloc_fail",),
            "rx_crc": (r"rx_crc_errors\.nic",),
            "rx_too_long": (r"rx_oversize\.nic",),
            "tx_timeouts": (r"tx_timeout\.nic",),
            "rx_pause": (r"link_xo(n|ff)_rx\.nic", r"rx_priority_\d_xo(n|ff)\.nic"),
            "tx_pause": (r"link_xo(n|ff)_tx\.nic", r"tx_priority_\d_xo(n|ff)\.nic"),
        },
        r"rx_dropped\.nic",
    ),
    Driver(
        ("idpf",),
        _NET + "intel/idpf/idpf_ethtool.c, idpf_virtchnl.c",
        # What the device has discarded stands in the kernel's counter alone.
        {"rx_missed": (r"kernel\.rx_dropped",)},
        "rx-hsplit_hbo",
    ),
    Driver(
        ("tg3",),
        _NET + "broadcom/tg3.c",
        {
            "rx_missed": ("rx_discards",),
            "rx_no_buffer": ("rxbds_empty",),
            "rx_crc": ("rx_fcs_errors",),
            "rx_too_long": ("rx_frame_too_long_errors",),
            "rx_pause": (r"rx_xo(n|ff)_pause_rcvd",),
            "tx_pause": (r"tx_xo(n|ff)_sent",),
            "late_collisions": ("tx_late_collisions",),
        },
        "rxbds_empty",
    ),
    Driver(
        ("bnx2",),
        _NET + "broadcom/bnx2.c",
        {
            "rx_missed": ("rx_discards|rx_fw_discards",),
            "rx_fifo": ("rx_ftq_discards",),
            "rx_crc": ("rx_crc_errors",),
            "rx_pause": (r"rx_xo(n|ff)_frames",),
            "tx_pause": (r"tx_xo(n|ff)_frames",),
            "late_collisions": ("tx_late_collisions",),
        },
        "rx_fw_discards",
    ),
    Driver(
        ("bnx2x",),
        _NET + "broadcom/bnx2x/bnx2x_ethtool.c",
        {
            "rx_missed": ("rx_discards", r"\[\d+\]: rx_discards"),
            "rx_fifo": ("rx_brb_discard|rx_brb_truncate",),
            "rx_no_buffer": ("rx_skb_alloc_discard", r"\[\d+\]: rx_skb_alloc_discard"),
            "rx_crc": ("rx_crc_errors",),
            "rx_pause": ("rx_pause_frames", "pfc_frames_received"),
            "tx_pause": ("tx_pause_frames", "pfc_frames_sent"),
            "late_collisions": ("tx_late_collisions",),
        },
        "rx_brb_discard",
    ),
    Driver(
        ("bnxt_en", "bnge"),
        _NET + "broadcom/bnxt/bnxt_ethtool.c",
        {
            # The names of the sums have changed in Linux 6.6.
            "rx_missed": ("rx_total_ring_discards", "rx_total_discard_pkts", r"\[\d+\]: rx_(discards|discard_pkts)"),
            "rx_fifo": ("rx_stat_discard",),
            "rx_no_buffer": ("rx_total_oom_discards",),
            "rx_crc": ("rx_fcs_err_frames",),
            "rx_pause": ("rx_pause_frames", "rx_pfc_frames"),
            "tx_pause": ("tx_pause_frames", "tx_pfc_frames"),
        },
        "rx_fcs_err_frames|rx_total_discard_pkts|rx_total_ring_discards",
    ),
    Driver(
        ("bcmgenet", "brcm-systemport"),
        _NET + "broadcom/genet/bcmgenet.c",
        {
            # rx_crc counts packets whose checksum is right. What was missed stands with the kernel alone before 6.16.
            "rx_missed": (r"rxq\d+_missed",),
            "rx_fifo": ("rbuf_ovflow_cnt",),
            "rx_no_buffer": ("alloc_rx_buff_failed",),
            "rx_crc": ("rx_fcs",),
            "rx_pause": ("rx_pause",),
            "tx_pause": ("tx_pause",),
            "late_collisions": ("tx_late_col",),
        },
        "rbuf_ovflow_cnt|tx_late_col",
    ),
    Driver(
        ("mlx5_core", "mlx5e"),
        _NET + "mellanox/mlx5/core/en_stats.c",
        {
            "rx_missed": ("rx_out_of_buffer",),
            "rx_fifo": ("rx_discards_phy", r"rx_prio\d_discards"),
            "rx_no_buffer": ("rx_buff_alloc_err", r"rx\d+_buff_alloc_err"),
            "rx_crc": ("rx_crc_errors_phy",),
            "rx_too_long": ("rx_oversize_pkts_phy", "rx_oversize_pkts_buffer|rx_oversize_pkts_sw_drop"),
            "rx_pause": ("rx_pause_ctrl_phy", "rx_global_pause", r"rx_prio\d_pause"),
            "tx_pause": ("tx_pause_ctrl_phy", "tx_global_pause", r"tx_prio\d_pause"),
            "rx_pause_us": ("rx_global_pause_duration", r"rx_prio\d_pause_duration"),
            "tx_pause_us": ("tx_global_pause_duration", r"tx_prio\d_pause_duration"),
            "pause_storms": ("tx_pause_storm_error_events",),
        },
        "rx_out_of_buffer|rx_crc_errors_phy",
    ),
    Driver(
        ("mlx4_core", "mlx4_en"),
        _NET + "mellanox/mlx4/en_port.c, en_ethtool.c",
        {
            # One number (RdropOvflw) under up to three names; RDROP, for lack of descriptors, is rx_dropped.
            "rx_missed": ("rx_fifo_errors", "rx_missed_errors", "rx_over_errors", "rx_dropped", r"rx\d+_dropped"),
            "rx_no_buffer": ("rx_alloc_failed",),
            "rx_crc": ("rx_crc_errors",),
            "tx_timeouts": ("tx_timeout",),
            "rx_pause": ("rx_pause", r"rx_pause_prio_\d"),
            "tx_pause": ("tx_pause", r"tx_pause_prio_\d"),
        },
        "rx_csum_complete|tx_chksum_offload",
    ),
    Driver(
        ("be2net",),
        _NET + "emulex/benet/be_ethtool.c",
        {
            "rx_missed": (r"(rxq\d+: )?rx_drops_no_frags|rx_drops_no_erx_descr",),
            # The packet buffers of the card itself are full (no_pbuf), or a queue before these.
            "rx_fifo": ("rx_drops_no_pbuf|(rx_input|rxpp|pmem)_fifo_overflow_drop",),
            "rx_no_buffer": (r"rxq\d+: rx_(post_fail|drops_no_skbs)",),
            "rx_filtered": ("rx_address_filtered",),
            "rx_crc": ("rx_crc_errors",),
            "rx_pause": ("rx_pause_frames", "rx_priority_pause_frames"),
            "tx_pause": ("tx_pauseframes", "tx_priority_pauseframes"),
        },
        "rx_drops_no_pbuf",
    ),
    Driver(
        ("sfc", "sfc-falcon", "sfc_ef100"),
        _NET + "sfc/ef10.c, siena.c",
        {
            "rx_missed": ("port_rx_nodesc_drops", "rx_nodesc_drop_cnt|rx_nodesc_drops"),
            "rx_fifo": (r"port_rx_overflow|port_rx_pm_(discard|trunc)_(bb_overflow|vfifo_full)", "rx_overflow"),
            "rx_no_buffer": ("rx_noskb_drops",),
            "rx_crc": ("port_rx_bad", "rx_bad"),
            "rx_pause": ("port_rx_pause", "rx_pause"),
            "tx_pause": ("port_tx_pause", "tx_pause"),
        },
        "port_rx_nodesc_drops|rx_nodesc_trunc",
    ),
    *GUESTS,
    *BOARDS,
    Driver(
        ("atlantic",),
        _NET + "aquantia/atlantic/aq_ethtool.c",
        # InErrors is of the MAC; those of queues are checksums.
        {
            "rx_missed": ("InDroppedDma",),
            "rx_crc": ("InErrors",),
            "tx_ring_full": (r"(TC\d )?Queue\[\d+\] Restarts",),
        },
        "InDroppedDma",
    ),
    Driver(
        ("r8169", "r8168", "r8152", "r8125", "r8126"),
        _NET + "realtek/r8169_main.c, drivers/net/usb/r8152.c",
        {"rx_missed": ("rx_missed",)},
        "tx_single_collisions",
    ),
    Driver(
        ("8139too",),
        _NET + "realtek/8139too.c",
        # Its ring is one buffer; what is lost when the chip cannot write into it is in the kernel's counters.
        {"rx_missed": ("rx_lost_in_ring|kernel.rx_missed_errors|kernel.rx_fifo_errors",)},
        "rx_lost_in_ring",
    ),
    Driver(
        ("qede",),
        _NET + "qlogic/qede/qede_ethtool.c",
        {
            "rx_missed": ("no_buff_discards",),
            "rx_fifo": ("brb_discards|brb_truncates",),
            "rx_no_buffer": (r"(\d+: )?rx_alloc_errors",),
            "rx_filtered": ("mac_filter_discards",),
            "rx_crc": ("rx_crc_errors",),
            "rx_pause": ("rx_pause_frames", "rx_pfc_frames"),
            "tx_pause": ("tx_pause_frames", "tx_pfc_frames"),
        },
        "no_buff_discards",
    ),
    Driver(
        ("cxgb4",),
        _NET + "chelsio/cxgb4/cxgb4_ethtool.c",
        {
            "rx_missed": (r"rx_bg\d_frames_(dropped|trunc)",),
            "rx_crc": ("rx_fcs_errors",),
            "rx_too_long": ("rx_frames_too_long",),
            "rx_pause": ("rx_pause_frames", r"rx_ppp\d_frames"),
            "tx_pause": ("tx_pause_frames", r"tx_ppp\d_frames"),
        },
        r"rx_bg0_frames_dropped",
    ),
    Driver(
        ("enic",),
        _NET + "cisco/enic/enic_ethtool.c",
        {"rx_missed": ("rx_no_bufs",), "rx_crc": ("rx_crc_errors",)},
        "rx_no_bufs",
    ),
    Driver(
        ("ionic",),
        _NET + "pensando/ionic/ionic_stats.c, ionic_lif.c",
        {
            # The driver puts rx_queue_empty into rx_over_errors; its rx_missed_errors are faults of the bus.
            "rx_missed": ("hw_rx_over_errors",),
            "rx_fifo": ("frames_rx_dropped",),
            "rx_no_buffer": (r"rx_\d+_alloc_err",),
            "rx_crc": ("frames_rx_bad_fcs",),
            "rx_pause": ("frames_rx_pause", "frames_rx_pripause"),
            "tx_pause": ("frames_tx_pause", "frames_tx_pripause"),
        },
        "frames_rx_bad_fcs",
    ),
    Driver(
        ("nfp", "nfp_netvf"),
        _NET + "netronome/nfp/nfp_net_ethtool.c",
        {
            "rx_missed": ("dev_rx_discards",),
            "rx_fifo": (r"(mac\.)?rx_mac_head_drop|(mac\.)?rx_drop_events",),
            "rx_no_buffer": ("rx_replace_buf_alloc_fail",),
            "rx_crc": (r"(mac\.)?rx_frame_check_sequence_errors",),
            "rx_pause": (r"(mac\.)?rx_pause_mac_ctrl_frames", r"(mac\.)?rx_pause_frames_class\d"),
            "tx_pause": (r"(mac\.)?tx_pause_mac_ctrl_frames", r"(mac\.)?tx_pause_frames_class\d"),
        },
        "dev_rx_discards",
    ),
    Driver(
        ("hns3", "hinic", "hinic3"),
        _NET + "hisilicon/hns3/hns3pf/hclge_main.c, huawei/hinic/hinic_ethtool.c",
        {
            "rx_crc": ("mac_rx_fcs_err_pkt_num",),
            "rx_pause": ("mac_rx_(mac_)?pause_num", r"mac_rx_pfc_pri\d_pkt_num"),
            "tx_pause": ("mac_tx_(mac_)?pause_num", r"mac_tx_pfc_pri\d_pkt_num"),
        },
        "mac_rx_fcs_err_pkt_num",
    ),
    Driver(
        ("fsl_dpaa2_eth",),
        _NET + "freescale/dpaa2/dpaa2-ethtool.c, dpaa2-mac.c",
        {
            "rx_missed": (r"\[hw\] rx nobuffer discards",),
            "rx_fifo": (r"\[hw\] rx discarded frames", r"\[mac\] rx frame discards"),
            "rx_too_long": (r"\[mac\] rx oversized",),
            "rx_pause": (r"\[mac\] rx pause",),
            "tx_pause": (r"\[mac\] tx b-pause",),
        },
        r"\[hw\] rx nobuffer discards",
    ),
)
