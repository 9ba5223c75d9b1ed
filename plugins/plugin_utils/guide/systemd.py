# SPDX-License-Identifier: GPL-3.0-or-later
"""Read .link, .network and .netdev files of systemd."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from . import kernel_files
from .ini import Entry, sections
from .model import NO_EFFECT, OTHER_TOOL, Line
from .settings import Guide

Match = Tuple[Tuple[str, str], ...]

# Names of systemd.link(5), which are no names of ethtool, and where they belong.
_KEYS: Mapping[str, Tuple[str, str]] = {
    "MTUBytes": ("link", "mtu"),
    "TransmitQueueLength": ("link", "txqueuelen"),
    "RxBufferSize": ("ring", "rx"),
    "RxMiniBufferSize": ("ring", "rx_mini"),
    "RxJumboBufferSize": ("ring", "rx_jumbo"),
    "TxBufferSize": ("ring", "tx"),
    "RxChannels": ("channels", "rx"),
    "TxChannels": ("channels", "tx"),
    "OtherChannels": ("channels", "other"),
    "CombinedChannels": ("channels", "combined"),
    "RxFlowControl": ("pause", "rx"),
    "TxFlowControl": ("pause", "tx"),
    "AutoNegotiationFlowControl": ("pause", "autoneg"),
    "ReceiveChecksumOffload": ("features", "rx"),
    "TransmitChecksumOffload": ("features", "tx"),
    "TCPSegmentationOffload": ("features", "tso"),
    "TCP6SegmentationOffload": ("features", "tx-tcp6-segmentation"),
    "GenericSegmentationOffload": ("features", "gso"),
    "GenericReceiveOffload": ("features", "gro"),
    "GenericReceiveOffloadHardware": ("features", "rx-gro-hw"),
    "LargeReceiveOffload": ("features", "lro"),
    "ReceiveVLANCTAGHardwareAcceleration": ("features", "rxvlan"),
    "TransmitVLANCTAGHardwareAcceleration": ("features", "txvlan"),
    "ReceiveVLANCTAGFilter": ("features", "rx-vlan-filter"),
    "TransmitVLANSTAGHardwareAcceleration": ("features", "tx-vlan-stag-hw-insert"),
    "NTupleFilter": ("features", "ntuple"),
    "UseAdaptiveRxCoalesce": ("coalesce", "adaptive_rx"),
    "UseAdaptiveTxCoalesce": ("coalesce", "adaptive_tx"),
    "CoalescePacketRateLow": ("coalesce", "pkt_rate_low"),
    "CoalescePacketRateHigh": ("coalesce", "pkt_rate_high"),
    "CoalescePacketRateSampleIntervalSec": ("coalesce", "sample_interval"),
    "StatisticsBlockCoalesceSec": ("coalesce", "stats_block_usecs"),
    **{
        f"{way}{'Max' if unit == 'frames' else ''}Coalesce{'d' if unit == 'frames' else ''}{when}{word}": (
            "coalesce",
            f"{way.lower()}_{unit}{suffix}",
        )
        for way in ("Rx", "Tx")
        for unit, word in (("usecs", "Sec"), ("frames", "Frames"))
        for when, suffix in (("", ""), ("Irq", "_irq"), ("Low", "_low"), ("High", "_high"))
    },
}
_BOND: Mapping[str, str] = {
    "Mode": "mode",
    "TransmitHashPolicy": "xmit_hash_policy",
    "LACPTransmitRate": "lacp_rate",
    "MIIMonitorSec": "miimon",
    "UpDelaySec": "updelay",
    "DownDelaySec": "downdelay",
    "MinLinks": "min_links",
    "AdSelect": "ad_select",
    "FailOverMACPolicy": "fail_over_mac",
    "PrimaryReselectPolicy": "primary_reselect",
    "PacketsPerSlave": "packets_per_slave",
    "GratuitousARP": "num_grat_arp",
    "ResendIGMP": "resend_igmp",
}
_UNITS = {"us": 1, "usec": 1, "ms": 1000, "msec": 1000, "s": 1000000, "sec": 1000000, "": 1000000}


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """All sections; what is no tuning belongs to systemd."""
    entries = sections(guide, lines)
    asked = {entry.key: entry.value for entry in entries if entry.section == "Match"}
    device = next((entry.value for entry in entries if entry.section == "NetDev" and entry.key == "Name"), "")
    nic, match = _target(asked)
    before = guide.sink.dead
    bus = dict(match).get("bus", "")
    if bus and not re.fullmatch(r"[0-9a-f*?]+:[0-9a-f*?]+:[0-9a-f*?]+\.[0-7*?]", bus):
        guide.sink.dead = (NO_EFFECT, f"Path=pci-{bus} is no path of a device, so the file never fits a NIC")
    for entry in entries:
        if entry.section in ("Match", "NetDev") and entry.key != "MTUBytes":
            guide.sink.nothing(entry.line, "says which NIC is meant")
        elif entry.section == "Bond" and entry.key in _BOND:
            value = str((microseconds(entry.value) or 0) // 1000) if entry.key.endswith("Sec") else entry.value
            kernel_files.bond(guide, entry.line, device, _BOND[entry.key], value)
        elif entry.section == "Network" and entry.key == "Bond":
            guide.sink.set(entry.line, entry.value, "bond", "members", nic)
        else:
            _key(guide, entry, nic or device, match)
    guide.sink.dead = before


def _key(guide: Guide, entry: Entry, nic: str, match: Match) -> None:
    known = _KEYS.get(entry.key)
    if entry.key in ("TransmitQueues", "ReceiveQueues"):
        size = "TxBufferSize or RxBufferSize (ring) or CombinedChannels (channels)"
        text = f"{entry.key} counts for NICs that are created, not for this one; meant may be {size}"
        guide.sink.remark(entry.line, NO_EFFECT, text)
    elif not known:
        guide.sink.remark(entry.line, OTHER_TOOL, f"{entry.key}={entry.value}: it belongs to systemd")
    else:
        value = entry.value
        if entry.key.endswith("Sec"):
            found = microseconds(value)
            value = value if found is None else str(found // (1000000 if known[1] == "sample_interval" else 1))
        elif entry.key.endswith(("BytesSize", "MTUBytes")):
            value = _bytes(value)
        guide.nic(entry.line, nic, known[0], known[1], value, () if nic else match)


def _target(asked: Mapping[str, str]) -> Tuple[str, Match]:
    """The NIC behind a section [Match], by name or by what identifies it."""
    for key in ("OriginalName", "Name"):
        if asked.get(key) and " " not in asked[key]:
            return asked[key], ()
    found: List[Tuple[str, str]] = []
    if asked.get("Driver"):
        found.append(("driver", asked["Driver"].split()[0]))
    for key in ("MACAddress", "PermanentMACAddress"):
        if asked.get(key):
            found.append(("mac", asked[key].split()[0].lower()))
    if asked.get("Path", "").startswith("pci-"):
        found.append(("bus", asked["Path"].split()[0][4:]))
    return ("", tuple(found)) if found else ("*", ())


def microseconds(text: str) -> Optional[int]:
    """A time span of systemd, such as 20us or 0.1ms."""
    match = re.fullmatch(r"([0-9.]+)\s*([a-z]*)", text.strip().lower())
    return int(float(match[1]) * _UNITS[match[2]]) if match and match[2] in _UNITS else None


def _bytes(text: str) -> str:
    units: Dict[str, int] = {"K": 1024, "M": 1024**2}
    return str(int(text[:-1]) * units[text[-1]]) if text[-1:] in units and text[:-1].isdigit() else text
