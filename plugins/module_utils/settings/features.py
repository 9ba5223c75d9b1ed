# SPDX-License-Identifier: GPL-3.0-or-later
"""Know offload features: what a NIC does instead of the processor (`ethtool -k`, `-K`)."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from ..schema import NIC, Action, Cell, Family, Field, Reader, Reading, Value
from ..tools import ethtool

# ethtool's short name, its long name in the text of -k, the kernel's own name, what it is. One name each is
# canonical here: the short one, which is what people write. Groups have no kernel name.
_NAMES = (
    ("rx", "rx-checksumming", "rx-checksum", "verify checksums in the NIC"),
    ("tx", "tx-checksumming", "", "compute checksums in the NIC; a group"),
    ("sg", "scatter-gather", "", "send a packet from several pieces of memory; a group"),
    ("tso", "tcp-segmentation-offload", "", "cut large TCP packets in the NIC; a group"),
    ("ufo", "udp-fragmentation-offload", "tx-udp-fragmentation", "cut large UDP packets in the NIC"),
    (
        "gso",
        "generic-segmentation-offload",
        "tx-generic-segmentation",
        "cut large packets late in the kernel",
    ),
    ("gro", "generic-receive-offload", "rx-gro", "join received packets in the kernel"),
    ("lro", "large-receive-offload", "rx-lro", "join received packets in the NIC; not on a host that forwards"),
    ("rxvlan", "rx-vlan-offload", "rx-vlan-hw-parse", "take the VLAN tag off in the NIC"),
    ("txvlan", "tx-vlan-offload", "tx-vlan-hw-insert", "put the VLAN tag on in the NIC"),
    ("ntuple", "ntuple-filters", "rx-ntuple-filter", "steer flows to queues by filters"),
    ("rxhash", "receive-hashing", "rx-hashing", "hash flows in the NIC, to spread them over queues"),
)

_CANONICAL = {long: short for short, one, two, _about in _NAMES for long in (one, two) if long}


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    return ethtool.reading(host, "-k", nic, lambda text: ethtool.features(text, _CANONICAL))


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    # One call: features depend on each other, so `gso off sg on` in two calls ends differently.
    return (ethtool.command("-K", nic, dict(sorted(values.items()))),)


features = Family(
    name="features",
    module="ethtool",
    scope=NIC,
    loose=True,
    blind=("*",),
    read=_read,
    write=_write,
    about=(
        "Offload features, by ethtool's short names (C(tso), C(gro), ...) or the names that C(ethtool -k) shows. A "
        "group such as C(tso) means each of its members that can change, and is reported by its members."
    ),
    fields=tuple(Field(short, "switch", about) for short, _one, _two, about in _NAMES),
    open_kind="switch",
    aliases=_CANONICAL,
    hint="It may depend on another feature or use of the NIC: tso needs tx and sg; forwarding switches off lro.",
)
