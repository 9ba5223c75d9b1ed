# SPDX-License-Identifier: GPL-3.0-or-later
"""Know ring sizes: how many packets a NIC holds between the wire and the kernel (`ethtool -g`, `-G`)."""

from __future__ import annotations

from ..family import Field
from ..tools import ethtool
from .table import Row, family


def _size(name: str, about: str) -> Field:
    # igb and ixgbe round to multiples of 8, i40e and ice of 32, mlx5 up to a power of two.
    return Field(name, "integer", about, relative=True, rounding=32, unit="descriptors")


# Rows after `tx` came over the years (ethtool 5.16 and later); a device lacks most of them.
ring = family(
    "ring",
    (
        Row(_size("rx", "receive descriptors; a packet takes one or more"), "rx", "RX"),
        Row(_size("rx_mini", "receive descriptors for small packets"), "rx-mini", "RX Mini"),
        Row(_size("rx_jumbo", "receive descriptors for jumbo frames"), "rx-jumbo", "RX Jumbo"),
        Row(_size("tx", "transmit descriptors; a packet takes one or more"), "tx", "TX"),
        Row(Field("rx_buf_len", "integer", "bytes of one receive buffer", unit="bytes"), "rx-buf-len", "RX Buf Len"),
        Row(Field("cqe_size", "integer", "bytes of one completion entry", unit="bytes"), "cqe-size", "CQE Size"),
        Row(Field("tx_push", "switch", "write transmit descriptors straight into the device"), "tx-push", "TX Push"),
        Row(Field("rx_push", "switch", "likewise for receive descriptors"), "rx-push", "RX Push"),
        Row(
            Field("tx_push_buf_len", "integer", "bytes of a packet that may be pushed along", unit="bytes"),
            "tx-push-buf-len",
            "TX push buff len",
        ),
        Row(
            Field("tcp_data_split", "word", "separate buffers for headers and data", words=("on", "off", "auto")),
            "tcp-data-split",
            "TCP data split",
        ),
        Row(
            Field(
                "hds_thresh",
                "integer",
                "packets above so many bytes are split so; needs Linux 6.14",
                relative=True,
                unit="bytes",
            ),
            "hds-thresh",
            "HDS thresh",
        ),
    ),
    ask="-g",
    change="-G",
    parse=ethtool.limits,
    about="Ring sizes, in descriptors of each queue. A change resets the queues or the link.",
    hint="The driver may choose another size when MTU or channels change, or accept powers of two only.",
    cuts=True,
    blind=("*",),
)
