# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak counters: what `ethtool -S` and the kernel count, under names that mean the same on every NIC."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .driver_counters import DRIVERS

# Of each transmit queue, whatever its driver counts: how often the kernel's watchdog found it stuck.
WATCHDOG = "tx_timeout"


class Meaning(NamedTuple):
    """A counter: what it says, names that drivers outside of the table have for it, and the kernel's files.

    `names` are alternatives, of which the largest counts; all that fit one expression are added up. The kernel's files
    stand in where a driver has no counter of its own.
    """

    name: str
    about: str
    names: Tuple[str, ...] = ()
    kernel: Tuple[str, ...] = ()


MEANINGS: Tuple[Meaning, ...] = (
    Meaning("rx_packets", "packets received", kernel=("rx_packets",)),
    Meaning("tx_packets", "packets sent", kernel=("tx_packets",)),
    Meaning("rx_bytes", "bytes received", kernel=("rx_bytes",)),
    Meaning("tx_bytes", "bytes sent", kernel=("tx_bytes",)),
    Meaning("rx_errors", "packets received with any error", kernel=("rx_errors",)),
    Meaning("tx_errors", "packets not sent because of any error", kernel=("tx_errors",)),
    Meaning("rx_dropped", "packets that the kernel did not want", kernel=("rx_dropped",)),
    Meaning("tx_dropped", "packets that were not sent for lack of room", kernel=("tx_dropped",)),
    Meaning(
        "rx_broadcast",
        "packets received that were sent to everybody",
        (
            r"rx_broadcast|rx_bcast_(packets|frames)|port\.rx_broadcast|rx_broadcast\.nic|rx_broadcast_phy",
            r"broadcast|bcast pkts rx|mac_rx_broad_pkt_num|mmc_rx_broadcastframe_gb",
        ),
    ),
    Meaning("collisions", "collisions, which only half duplex has", kernel=("collisions",)),
    Meaning(
        "rx_missed",
        "packets lost because the receive ring was full",
        (r"rx_missed_errors", r"rx_discards|rx_fw_discards", r"rx_queue_\d+_drops|rx\d+_drops", r"rx_missed"),
        ("rx_missed_errors", "rx_fifo_errors"),
    ),
    Meaning("rx_fifo", "packets lost in the NIC before they reached the ring"),
    Meaning(
        "rx_no_buffer",
        "times the NIC found no free buffer in the receive ring",
        (r"rx_no_buffer_count", r"(rx_)?alloc_rx_buff(er)?_failed", r"rx\d*_buff_alloc_err"),
    ),
    Meaning(
        "rx_no_memory",
        "times the driver got no memory for a receive buffer",
        (
            r"(rx_)?alloc_rx_(page|buff(er)?)_failed|rx_(alloc|pg_alloc|skb_alloc|buf_alloc)_fail(ed)?|rx_no_memory",
            r"rx_queue_\d+_alloc_failed|rx\d*_buff_alloc_err|rx buf alloc fail|rx_total_oom_discards|rx_noskb_drops",
            r"queue_\d+_rx_(page_alloc_fail|skb_alloc_fail)|(\[?\d+\]?: )?rx_(skb_alloc_discard|alloc_errors)",
        ),
    ),
    Meaning(
        "rx_too_long",
        "packets that were thrown away because they are longer than the MTU allows",
        (r"rx_long_length_errors",),
    ),
    Meaning(
        "rx_crc",
        "packets that arrived broken, mostly by a cable or a plug",
        (r"rx_crc_errors", r"rx_fcs_errors", r"rx_frame_check_sequence_errors"),
        ("rx_crc_errors",),
    ),
    Meaning(
        "tx_timeouts",
        "times the transmitter hung and was reset",
        (r"tx_timeout_count|tx_timeout|tx_timeouts", r"tx_queue_\d+_timeouts"),
        (WATCHDOG,),
    ),
    Meaning(
        "rx_pause",
        "pause frames received: the link partner asked for a break",
        (r"rx_flow_control_xo(n|ff)", r"rx_xo(n|ff)_(pause_rcvd|frames)", r"rx_pause(_frames?|_ctrl)?"),
    ),
    Meaning(
        "tx_pause",
        "pause frames sent: this NIC asked for a break",
        (r"tx_flow_control_xo(n|ff)", r"tx_xo(n|ff)_(sent|frames)", r"tx_pause(_frames?|_ctrl)?"),
    ),
    Meaning("rx_pause_us", "microseconds for which pause frames have held this NIC back"),
    Meaning("tx_pause_us", "microseconds for which this NIC has held its link partner back"),
    Meaning("pause_storms", "times the NIC stopped sending pause frames itself, because its host fetched nothing"),
    Meaning(
        "late_collisions",
        "collisions after the start of a packet: the other end has another duplex",
        (r"tx_abort_late_coll|late_collisions?", r"tx_late_collisions?"),
    ),
    Meaning("rx_filtered", "packets that were not meant for this NIC by their address, as its own filter sees it"),
    Meaning("tx_ring_full", "times the transmit ring was full, so that packets had to wait"),
    Meaning("rx_stuck", "times a queue could not give buffers back to the hypervisor and waited for it"),
    Meaning("allowance_bw_in", "packets held back or lost above the incoming bandwidth of the cloud instance"),
    Meaning("allowance_bw_out", "packets held back or lost above its outgoing bandwidth"),
    Meaning("allowance_pps", "packets held back or lost above its packets a second"),
    Meaning("allowance_conntrack", "packets lost because it may not have more connections"),
    Meaning("allowance_linklocal", "packets lost above the rate of services such as DNS and time"),
    Meaning("carrier_changes", "times the link went down or came up", kernel=("../carrier_changes",)),
)

KERNEL = tuple(name for meaning in MEANINGS for name in meaning.kernel if name != WATCHDOG)

# How drivers count the packets of a queue, by direction: igb and ixgbe, i40e and ice, mlx5 and virtio_net, ena,
# bnxt_en, hns3 (older and newer names), ionic, be2net, nfp, idpf.
_QUEUES = (
    r"{0}_queue_(\d+)_packets",
    r"{0}-(\d+)\.(?:{0}_)?packets",
    r"{0}(\d+)_packets",
    r"queue_(\d+)_{0}_cnt",
    r"\[(\d+)\]: {0}_ucast_packets",
    r"rcb_q(\d+)_{0}_pkts",
    r"{0}q#?(\d+)_packets",
    r"{0}_(\d+)_pkts",
    r"{0}q(\d+): {0}_pkts",
    r"rvec_(\d+)_{0}_pkts",
    r"{0}_q-(\d+)_pkts",
)


def parse(text: str) -> Dict[str, int]:
    """Parse `ethtool -S`; equal names, as vmxnet3 has them for each queue, are added up.

    A counter with every bit set is none: so reads the register of a device that does not answer.
    """
    found: Dict[str, int] = {}
    for name, value in _lines(text):
        if value != _ALL_ONES[-1]:
            found[name] = found.get(name, 0) + value
    return found


# What 32 and 64 bits of a device read that does not answer, and how many such counters are no accident.
_ALL_ONES = ((1 << 32) - 1, (1 << 64) - 1)
_SEVERAL = 4


def silent(text: str) -> bool:
    """Whether `ethtool -S` shows a device that does not answer on its bus: several counters have every bit set.

    Among them what every device counts; a driver may say so of counters that its device does not have.
    """
    names = [name for name, value in _lines(text) if value in _ALL_ONES]
    return len(names) >= _SEVERAL and any(re.search("packets|octets|bytes", name, re.IGNORECASE) for name in names)


def _lines(text: str) -> Iterator[Tuple[str, int]]:
    for line in text.splitlines():
        # cxgb4 fills its names up with blanks.
        match = re.fullmatch(r"\s+(\S.*?)\s*: (\d{1,20})", line.rstrip())
        if match:
            yield match[1], int(match[2])


def normalise(driver: Mapping[str, int], kernel: Mapping[str, int], name: str = "") -> Dict[str, int]:
    """The counters that are there, by the name of their meaning; `name` is that of the driver, if known.

    What a driver documents counts, then what drivers usually call it, then the kernel's own.
    """
    known = _names(driver, name)
    counters = {}
    # A driver that reports a loss to the kernel alone has `kernel.` in front of that name in its row.
    every = {**driver, **{f"kernel.{file}": value for file, value in kernel.items()}}
    for meaning in MEANINGS:
        names = known.get(meaning.name)
        value = _largest(meaning.names, driver) if names is None else _largest(names, every)
        files = [kernel[file] for file in meaning.kernel if file in kernel]
        # A name that is known and not there is one that this version of the driver does not have yet.
        if value is None and files and names != ():
            value = sum(files) if names is None else files[0]
        if value is not None:
            counters[meaning.name] = value
    return counters


def _names(counters: Mapping[str, int], name: str) -> Mapping[str, Tuple[str, ...]]:
    rows = [row for row in DRIVERS if not name or any(fnmatchcase(name, pattern) for pattern in row.drivers)]
    for row in rows:
        if row.mark and _largest((row.mark,), counters) is not None:
            return row.names
    return rows[-1].names if rows and name else {}


def _largest(expressions: Sequence[str], counters: Mapping[str, int]) -> Optional[int]:
    sums = [sum(values) for values in (_matching(item, counters) for item in expressions) if values]
    return max(sums, default=None)


def _matching(expression: str, driver: Mapping[str, int]) -> List[int]:
    pattern = re.compile(expression)
    return [value for name, value in driver.items() if pattern.fullmatch(name)]


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> Dict[str, int]:
    """What each counter has grown by; one that began anew at 32 bits goes on, one that was reset tells nothing."""
    found = {}
    for name, value in after.items():
        if name in before:
            start = before[name]
            wrapped = value < start and 1 << 31 <= start < 1 << 32
            if wrapped or value >= start:
                found[name] = value - start + ((1 << 32) if wrapped else 0)
    return found


def queues(driver: Mapping[str, int], direction: str) -> List[int]:
    """Packets by queue of one direction (rx, tx); empty where the driver does not count them."""
    for form in _QUEUES:
        pattern = re.compile(form.format(direction))
        found = {int(match[1]): value for name, value in driver.items() for match in [pattern.fullmatch(name)] if match}
        if found:
            return [found[number] for number in sorted(found)]
    return []
