# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the words of systemd.link(5); its source names the version of each (man/systemd.link.xml, version-info)."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Tuple

# How a value is written: a switch as yes or no, microseconds and seconds with their unit, the rest as it is.
PLAIN, SWITCH, USECS, SECONDS, MEGABITS, LETTERS, MODES, CROSSING, CPUS = (
    *("plain", "switch", "usecs", "seconds", "megabits"),
    *("letters", "modes", "crossing", "cpus"),
)


class Word(NamedTuple):
    """A key of a section [Link], since when, its form, and whether it takes `max`."""

    word: str
    since: int
    form: str = PLAIN
    relative: bool = False


def _coalescing() -> Mapping[Tuple[str, str], Word]:
    found = {}
    for way in ("Rx", "Tx"):
        for when, suffix in (("", ""), ("Irq", "_irq"), ("Low", "_low"), ("High", "_high")):
            found[("coalesce", f"{way.lower()}_usecs{suffix}")] = Word(f"{way}Coalesce{when}Sec", 250, USECS)
            found[("coalesce", f"{way.lower()}_frames{suffix}")] = Word(f"{way}MaxCoalesced{when}Frames", 250)
    return found


LINK: Mapping[Tuple[str, str], Word] = {
    ("link", "mtu"): Word("MTUBytes", 211),
    ("link", "alias"): Word("Alias", 211),
    ("link", "txqueuelen"): Word("TransmitQueueLength", 248),
    ("link", "gso_max_size"): Word("GenericSegmentOffloadMaxBytes", 248),
    ("link", "gso_max_segs"): Word("GenericSegmentOffloadMaxSegments", 248),
    ("ring", "rx"): Word("RxBufferSize", 244, relative=True),
    ("ring", "rx_mini"): Word("RxMiniBufferSize", 244, relative=True),
    ("ring", "rx_jumbo"): Word("RxJumboBufferSize", 244, relative=True),
    ("ring", "tx"): Word("TxBufferSize", 244, relative=True),
    ("channels", "rx"): Word("RxChannels", 239, relative=True),
    ("channels", "tx"): Word("TxChannels", 239, relative=True),
    ("channels", "other"): Word("OtherChannels", 239, relative=True),
    ("channels", "combined"): Word("CombinedChannels", 239, relative=True),
    ("pause", "rx"): Word("RxFlowControl", 246, SWITCH),
    ("pause", "tx"): Word("TxFlowControl", 246, SWITCH),
    ("pause", "autoneg"): Word("AutoNegotiationFlowControl", 246, SWITCH),
    ("features", "rx"): Word("ReceiveChecksumOffload", 245, SWITCH),
    ("features", "tx"): Word("TransmitChecksumOffload", 245, SWITCH),
    ("features", "tx-tcp-segmentation"): Word("TCPSegmentationOffload", 232, SWITCH),
    ("features", "tx-tcp6-segmentation"): Word("TCP6SegmentationOffload", 235, SWITCH),
    ("features", "gso"): Word("GenericSegmentationOffload", 232, SWITCH),
    ("features", "gro"): Word("GenericReceiveOffload", 232, SWITCH),
    ("features", "rx-gro-hw"): Word("GenericReceiveOffloadHardware", 250, SWITCH),
    ("features", "lro"): Word("LargeReceiveOffload", 232, SWITCH),
    ("features", "rxvlan"): Word("ReceiveVLANCTAGHardwareAcceleration", 250, SWITCH),
    ("features", "txvlan"): Word("TransmitVLANCTAGHardwareAcceleration", 250, SWITCH),
    ("features", "rx-vlan-filter"): Word("ReceiveVLANCTAGFilter", 250, SWITCH),
    ("features", "tx-vlan-stag-hw-insert"): Word("TransmitVLANSTAGHardwareAcceleration", 250, SWITCH),
    ("features", "ntuple"): Word("NTupleFilter", 250, SWITCH),
    ("coalesce", "adaptive_rx"): Word("UseAdaptiveRxCoalesce", 250, SWITCH),
    ("coalesce", "adaptive_tx"): Word("UseAdaptiveTxCoalesce", 250, SWITCH),
    ("coalesce", "pkt_rate_low"): Word("CoalescePacketRateLow", 250),
    ("coalesce", "pkt_rate_high"): Word("CoalescePacketRateHigh", 250),
    ("coalesce", "sample_interval"): Word("CoalescePacketRateSampleIntervalSec", 250, SECONDS),
    ("coalesce", "stats_block_usecs"): Word("StatisticsBlockCoalesceSec", 250, USECS),
    **_coalescing(),
    ("speed", "autoneg"): Word("AutoNegotiation", 233, SWITCH),
    ("speed", "speed"): Word("BitsPerSecond", 211, MEGABITS),
    ("speed", "duplex"): Word("Duplex", 211),
    ("speed", "advertise"): Word("Advertise", 240, MODES),
    ("speed", "mdix"): Word("MDI", 251, CROSSING),
    ("wol", "wol"): Word("WakeOnLan", 211, LETTERS),
    ("irq", "rps"): Word("ReceivePacketSteeringCPUMask", 256, CPUS),
}

# The words of Wake-on-LAN by the letters of ethtool; the rest of those letters has no word here.
WAKE: Mapping[str, str] = {
    **{"p": "phy", "u": "unicast", "m": "multicast", "b": "broadcast", "a": "arp", "g": "magic"},
}
CROSSINGS: Mapping[str, str] = {
    **{"straight": "off", "mdi": "off", "crossover": "on", "mdi-x": "on", "mdix": "on", "auto": "auto"},
}
