# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what drivers of hypervisors and clouds call their losses in `ethtool -S`: the part of the table for guests."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Tuple

_NET = "drivers/net/ethernet/"


class Driver(NamedTuple):
    """Drivers with the same names: patterns of their names, the file of Linux with the table, the names by meaning.

    `mark` is an expression for a counter that only these have, for a NIC whose driver is not known by its name.
    """

    drivers: Tuple[str, ...]
    source: str
    names: Mapping[str, Tuple[str, ...]]
    mark: str = ""


GUESTS: Tuple[Driver, ...] = (
    Driver(
        ("ena",),
        _NET + "amazon/ena/ena_ethtool.c",
        {
            # What the device drops for want of buffers stands nowhere else (ena_get_stats64 in ena_netdev.c).
            "rx_missed": (r"kernel\.rx_dropped",),
            "rx_no_buffer": (r"queue_\d+_rx_(page_alloc_fail|skb_alloc_fail|empty_rx_ring)",),
            "tx_timeouts": ("tx_timeout",),
            "allowance_bw_in": ("bw_in_allowance_exceeded",),
            "allowance_bw_out": ("bw_out_allowance_exceeded",),
            "allowance_pps": ("pps_allowance_exceeded",),
            "allowance_conntrack": ("conntrack_allowance_exceeded",),
            "allowance_linklocal": ("linklocal_allowance_exceeded",),
        },
        "bw_in_allowance_exceeded",
    ),
    Driver(
        ("gve", "gvnic"),
        _NET + "google/gve/gve_ethtool.c",
        {
            "rx_missed": (r"rx_queue_drop_cnt\[\d+\]", r"rx_no_buffers_posted\[\d+\]"),
            "rx_no_buffer": ("rx_skb_alloc_fail|rx_buf_alloc_fail",),
            "rx_too_long": (r"rx_drops_packet_over_mru\[\d+\]",),
            "tx_timeouts": ("tx_timeouts",),
        },
        "rx_desc_err_dropped_pkt",
    ),
    Driver(
        ("mana",),
        _NET + "microsoft/mana/mana_ethtool.c",
        # Work queue entries (WQE) are the receive buffers.
        {"rx_missed": ("hc_rx_discards_no_wqe",)},
        "hc_rx_discards_no_wqe",
    ),
    Driver(
        ("hv_netvsc",),
        "drivers/net/hyperv/netvsc_drv.c",
        {"rx_missed": (), "rx_no_buffer": ("rx_no_memory",), "rx_stuck": ("rx_comp_busy",)},
        "rx_comp_busy",
    ),
    Driver(
        ("virtio_net",),
        "drivers/net/virtio_net.c",
        {"rx_missed": (r"rx_queue_\d+_drops|rx\d+_drops",), "tx_timeouts": (r"tx_queue_\d+_(tx_)?timeouts",)},
        r"rx_queue_\d+_kicks|rx\d+_kicks",
    ),
    Driver(
        ("vmxnet3",),
        "drivers/net/vmxnet3/vmxnet3_ethtool.c",
        {
            "rx_missed": ("pkts rx OOB",),
            "rx_no_buffer": ("rx buf alloc fail",),
            "tx_ring_full": ("ring full",),
            "tx_timeouts": ("tx timeout count",),
        },
        "pkts rx OOB",
    ),
)
