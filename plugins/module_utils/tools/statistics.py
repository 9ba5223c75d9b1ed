# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak counters: what `ethtool -S` and the kernel count, under names that mean the same on every NIC."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Tuple


class Meaning(NamedTuple):
    """A counter: what it says, the driver's names for it, and the kernel's file that stands in where they lack.

    `names` are alternatives, of which the first that a driver has counts; all that fit one expression are added up.
    """

    name: str
    about: str
    names: Tuple[str, ...] = ()
    kernel: Tuple[str, ...] = ()


# igb, e1000e and ixgbe have plain names; tg3, bnx2 and bnx2x say fcs or discards; i40e puts `port.` in front and ice
# `.nic` behind; mlx5 has `_phy` for what the wire saw; vmxnet3 has words with blanks; virtio_net counts by queue.
MEANINGS: Tuple[Meaning, ...] = (
    Meaning("rx_packets", "packets received", kernel=("rx_packets",)),
    Meaning("tx_packets", "packets sent", kernel=("tx_packets",)),
    Meaning("rx_bytes", "bytes received", kernel=("rx_bytes",)),
    Meaning("tx_bytes", "bytes sent", kernel=("tx_bytes",)),
    Meaning("rx_errors", "packets received with any error", kernel=("rx_errors",)),
    Meaning("tx_errors", "packets not sent because of any error", kernel=("tx_errors",)),
    Meaning("rx_dropped", "packets that the kernel did not want", kernel=("rx_dropped",)),
    Meaning("tx_dropped", "packets that were not sent for lack of room", kernel=("tx_dropped",)),
    Meaning("collisions", "collisions, which only half duplex has", kernel=("collisions",)),
    Meaning(
        "rx_missed",
        "packets lost because the receive ring was full",
        (
            r"rx_missed_errors",
            r"(port\.)?rx_discards(_phy)?|rx_out_of_buffer|rx_fw_discards",
            r"port\.rx_dropped",
            r"rx_dropped\.nic",
            r"rx_queue_\d+_drops|rx\d+_drops",
            r"pkts rx OOB",
            r"rx_discard_pkts|rx_total_discard_pkts",
        ),
        ("rx_missed_errors", "rx_fifo_errors"),
    ),
    Meaning(
        "rx_no_buffer",
        "times the NIC found no free buffer in the receive ring",
        (
            r"rx_no_buffer_count",
            r"rxbds_empty",
            r"(rx_)?alloc_rx_buff(er)?_failed",
            r"rx\d*_buff_alloc_err",
            r"rx buf alloc fail",
        ),
    ),
    Meaning(
        "rx_crc",
        "packets that arrived broken, mostly by a cable or a plug",
        (r"(port\.)?rx_crc_errors(_phy|\.nic)?", r"rx_fcs_errors"),
        ("rx_crc_errors",),
    ),
    Meaning(
        "tx_timeouts",
        "times the transmitter hung and was reset",
        (
            r"tx_timeout_count|tx_timeout|tx_timeouts",
            r"tx timeout count",
            r"tx_queue_\d+_timeouts|tx_queue_\d+_tx_timeouts",
        ),
    ),
    Meaning(
        "rx_pause",
        "pause frames received: the link partner asked for a break",
        (
            r"rx_flow_control_xo(n|ff)",
            r"port\.link_xo(n|ff)_rx|link_xo(n|ff)_rx\.nic",
            r"rx_xo(n|ff)_(pause_rcvd|frames)",
            r"rx_pause_ctrl_phy",
            r"rx_pause_frames?",
        ),
    ),
    Meaning(
        "tx_pause",
        "pause frames sent: this NIC asked for a break",
        (
            r"tx_flow_control_xo(n|ff)",
            r"port\.link_xo(n|ff)_tx|link_xo(n|ff)_tx\.nic",
            r"tx_xo(n|ff)_(sent|frames)",
            r"tx_pause_ctrl_phy",
            r"tx_pause_frames?",
        ),
    ),
    Meaning(
        "late_collisions",
        "collisions after the start of a packet: the other end has another duplex",
        (r"tx_abort_late_coll|late_collisions?", r"tx_late_collisions"),
    ),
    Meaning("carrier_changes", "times the link went down or came up", kernel=("../carrier_changes",)),
)

KERNEL = tuple(name for meaning in MEANINGS for name in meaning.kernel)

# How drivers count the packets of a queue, by direction: igb and ixgbe, i40e and ice, mlx5 and vmxnet3, virtio_net.
_QUEUES = (
    r"{0}_queue_(\d+)_packets",
    r"{0}-(\d+)\.(?:{0}_)?packets",
    r"{0}(\d+)_packets",
    r"queue_(\d+)_{0}_cnt",
    r"\[(\d+)\]: {0}_ucast_packets",
)


def parse(text: str) -> Dict[str, int]:
    """Parse `ethtool -S`; equal names, as vmxnet3 has them for each queue, are added up."""
    found: Dict[str, int] = {}
    for line in text.splitlines():
        match = re.fullmatch(r"\s+(\S.*?): (\d{1,20})", line.rstrip())
        if match:
            found[match[1]] = found.get(match[1], 0) + int(match[2])
    return found


def normalise(driver: Mapping[str, int], kernel: Mapping[str, int]) -> Dict[str, int]:
    """The counters that are there, by the name of their meaning; the driver knows better than the kernel."""
    counters = {}
    for meaning in MEANINGS:
        own = (_matching(expression, driver) for expression in meaning.names)
        values = next((values for values in own if values), [])
        values = values or [kernel[name] for name in meaning.kernel if name in kernel]
        if values:
            counters[meaning.name] = sum(values)
    return counters


def _matching(expression: str, driver: Mapping[str, int]) -> List[int]:
    pattern = re.compile(expression)
    return [value for name, value in driver.items() if pattern.fullmatch(name)]


def queues(driver: Mapping[str, int], direction: str) -> List[int]:
    """Packets by queue of one direction (rx, tx); empty where the driver does not count them."""
    for form in _QUEUES:
        pattern = re.compile(form.format(direction))
        found = {int(match[1]): value for name, value in driver.items() for match in [pattern.fullmatch(name)] if match}
        if found:
            return [found[number] for number in sorted(found)]
    return []
