# SPDX-License-Identifier: GPL-3.0-or-later
"""Know offload features: what a NIC does instead of the processor (`ethtool -k`, `-K`)."""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import ABSENT, Action, Cell, Change, Reader, Reading, Value
from ..tools import ethtool, sysctl, sysfs

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


_FORWARDING = re.compile(r"net\.ipv4\.ip_forward|net\.ipv[46]\.conf\.([^.]+)\.forwarding")


def _read_lro(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    cell = _read(host, nic, ()).cells.get("lro", Cell(False))
    return Reading({"lro": cell} if "lro" in keys or (cell.restore and not cell.fixed) else {}, "the NIC has no LRO")


def _write_lro(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return () if ABSENT in values.values() else _write(nic, values, cells)


def _reach_lro(host: Reader, changes: Sequence[Change]) -> List[str]:
    """The NICs that are to forward, and those below them (dev_disable_lro)."""
    own = sysctl.switched_on(host, _FORWARDING, changes)
    return list(dict.fromkeys(name for nic in own for name in (nic, *sysfs.all_below(host, nic))))


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

lro = Family(
    name="lro",
    module="ethtool",
    scope=NIC,
    read=_read_lro,
    write=_write_lro,
    about="LRO of NICs, which the kernel ends for good where they begin to forward (dev_disable_lro).",
    flat=True,
    shaken_by=("sysctl",),
    reach=_reach_lro,
)
