# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the properties of NetworkManager: its NEWS name the version of each, nm-ethtool-utils-base.h the options."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Tuple

PLAIN, SWITCH, NUMBER, YES = "plain", "switch", "number", "yes"


class Word(NamedTuple):
    """A property, since when, and how it writes a switch: on, 1, or yes."""

    word: str
    since: str
    form: str = PLAIN


# Features have their own names there; those of ethtool that it does not know are refused as a property.
_FEATURES = """
esp-hw-offload esp-tx-csum-hw-offload fcoe-mtu gro gso highdma hw-tc-offload l2-fwd-offload loopback lro
macsec-hw-offload ntuple rx rxhash rxvlan rx-all rx-fcs rx-gro-hw rx-gro-list rx-udp-gro-forwarding
rx-udp_tunnel-port-offload rx-vlan-filter rx-vlan-stag-filter rx-vlan-stag-hw-parse sg tls-hw-record tls-hw-rx-offload
tls-hw-tx-offload tso tx txvlan tx-checksum-fcoe-crc tx-checksum-ipv4 tx-checksum-ipv6 tx-checksum-ip-generic
tx-checksum-sctp tx-esp-segmentation tx-fcoe-segmentation tx-gre-csum-segmentation tx-gre-segmentation tx-gso-list
tx-gso-partial tx-gso-robust tx-ipxip4-segmentation tx-ipxip6-segmentation tx-nocache-copy tx-scatter-gather
tx-scatter-gather-fraglist tx-sctp-segmentation tx-tcp6-segmentation tx-tcp-ecn-segmentation
tx-tcp-mangleid-segmentation tx-tcp-segmentation tx-tunnel-remcsum-segmentation tx-udp-segmentation
tx-udp_tnl-csum-segmentation tx-udp_tnl-segmentation tx-vlan-stag-hw-insert
"""
_COALESCE = """
rx_usecs rx_frames rx_usecs_irq rx_frames_irq tx_usecs tx_frames tx_usecs_irq tx_frames_irq rx_usecs_low rx_frames_low
tx_usecs_low tx_frames_low rx_usecs_high rx_frames_high tx_usecs_high tx_frames_high pkt_rate_low pkt_rate_high
sample_interval stats_block_usecs
"""

PROPERTIES: Mapping[Tuple[str, str], Word] = {
    ("link", "mtu"): Word("802-3-ethernet.mtu", "0.9"),
    ("link", "txqueuelen"): Word("link.tx-queue-length", "1.44"),
    ("link", "gso_max_size"): Word("link.gso-max-size", "1.44"),
    ("link", "gso_max_segs"): Word("link.gso-max-segments", "1.44"),
    ("link", "gro_max_size"): Word("link.gro-max-size", "1.44"),
    **{
        ("ring", key): Word(f"ethtool.ring-{key.replace('_', '-')}", "1.26")
        for key in ("rx", "rx_mini", "rx_jumbo", "tx")
    },
    **{("channels", key): Word(f"ethtool.channels-{key}", "1.46") for key in ("rx", "tx", "other", "combined")},
    **{("pause", key): Word(f"ethtool.pause-{key}", "1.32", SWITCH) for key in ("autoneg", "rx", "tx")},
    **{("features", key): Word(f"ethtool.feature-{key}", "1.14", SWITCH) for key in _FEATURES.split()},
    **{("coalesce", key): Word(f"ethtool.coalesce-{key.replace('_', '-')}", "1.26") for key in _COALESCE.split()},
    **{
        ("coalesce", f"adaptive_{way}"): Word(f"ethtool.coalesce-adaptive-{way}", "1.26", NUMBER)
        for way in ("rx", "tx")
    },
    ("fec", "encoding"): Word("ethtool.fec-mode", "1.52"),
    ("eee", "enabled"): Word("ethtool.eee-enabled", "1.46", SWITCH),
    ("speed", "autoneg"): Word("802-3-ethernet.auto-negotiate", "0.9", YES),
    ("speed", "speed"): Word("802-3-ethernet.speed", "0.9"),
    ("speed", "duplex"): Word("802-3-ethernet.duplex", "0.9"),
    ("wol", "wol"): Word("802-3-ethernet.wake-on-lan", "1.2"),
    ("qdisc", "root"): Word("tc.qdiscs", "1.12"),
}
# The words of Wake-on-LAN by the letters of ethtool.
WAKE: Mapping[str, str] = {
    **{"p": "phy", "u": "unicast", "m": "multicast", "b": "broadcast", "a": "arp", "g": "magic"},
}
