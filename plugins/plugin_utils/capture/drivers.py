# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what drivers set by themselves. What is not known here is not taken for somebody's work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAXIMUM = "max"  # the driver takes all that there is
CPUS = "cpus"  # one for each processor, of as many as there can be

_INTEL: Mapping[str, Mapping[str, Any]] = {"ring": {"rx": 256, "tx": 256}}
_WITHOUT_QUEUES: Mapping[str, Mapping[str, Any]] = {
    **_INTEL,
    "coalesce": {"rx_usecs": 3},
    "pause": {"autoneg": True, "rx": True, "tx": True},
}

# igb, e1000e, vmxnet3, virtio_net and veth as the lab's drivers answer (tests/unit/cases/drivers). The others by the
# kernel's sources: BNXT_DEFAULT_RX_RING_SIZE, I40E_DEFAULT_NUM_DESCRIPTORS, ICE_DFLT_NUM_RX_DESC, IXGBE_DEFAULT_RXD,
# TG3_DEF_RX_RING_PENDING, and the same for sending.
_DRIVERS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "bnxt_en": {"ring": {"rx": 511, "tx": 511}},
    "e1000e": {**_WITHOUT_QUEUES, "private_flags": {"s0ix-enabled": False}},
    "i40e": {"ring": {"rx": 512, "tx": 512}, "channels": {"combined": CPUS}},
    "ice": {"ring": {"rx": 2048, "tx": 256}},
    "igb": {
        **_WITHOUT_QUEUES,
        "channels": {"combined": CPUS},
        "coalesce": {"rx_usecs": 3, "tx_usecs": 3},
        "private_flags": {"legacy-rx": False},
    },
    "ixgbe": {"ring": {"rx": 512, "tx": 512}, "channels": {"combined": CPUS}},
    "tg3": {"ring": {"rx": 200, "tx": 511}},
    "veth": {},
    "virtio_net": {
        "ring": {"rx": MAXIMUM, "tx": MAXIMUM},
        "channels": {"combined": CPUS},
        "coalesce": {"rx_usecs": 0, "rx_frames": 1, "tx_usecs": 0, "tx_frames": 1, "adaptive_rx": False},
    },
    "vmxnet3": {"ring": {"rx": 1024, "tx": 512}},
}

# Nearly all drivers switch these on; where one lacks a feature, it is fixed.
_ON: tuple[str, ...] = ("rx", "tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6", "tx-scatter-gather")
_ON += ("tx-tcp-segmentation", "tx-tcp6-segmentation", "gso", "gro", "rxvlan", "txvlan", "rxhash")
# And these off.
_OFF: tuple[str, ...] = (
    "ntuple",
    "lro",
    "rx-fcs",
    "rx-all",
    "loopback",
    "tx-nocache-copy",
    "hw-tc-offload",
    "rx-gro-list",
)
_OFF += ("rx-udp-gro-forwarding",)
# The other way round, or as the switch on the other side of the machine's wall wants it.
_ODD: Mapping[str, tuple[str, ...]] = {
    "veth": ("gro",),
    "vmxnet3": ("lro",),
    "ixgbe": ("lro",),
    "bnx2x": ("lro",),
    "r8169": ("tx-scatter-gather", "tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-checksum-ipv4"),
    "virtio_net": ("lro",),
    "i40e": ("ntuple",),
    "ice": ("ntuple",),
}


def differs(driver: str, family: str, key: str, cell: Mapping[str, Any], cpus: int) -> bool | None:
    """Whether somebody has set a value; None where nobody here knows what the driver does by itself."""
    value = requested(cell)
    if family == "link":
        return bool(value != {"mtu": 1500, "txqueuelen": 1000}.get(key, value))
    if family == "features":
        return _feature(driver, key, bool(value))
    if family == "routes":
        # DHCP and the kernel give routes an MTU, and nothing else.
        return None if key.endswith(" mtu") else True
    if family == "irq":
        # Interrupts and XPS are spread by drivers, irqbalance and the kernel in ways that nobody can foretell.
        return value != {"rps": "none", "rps_flow_cnt": "0"}[key] if key in ("rps", "rps_flow_cnt") else None
    own = _DRIVERS.get(driver, {}).get(family, {}).get(key)
    if own is None:
        return None
    most = cell.get("maximum")
    if own == MAXIMUM:
        return None if most is None else bool(value != most)
    if own == CPUS:
        return None if most is None or not cpus else bool(value != min(most, cpus))
    return bool(value != own)


def _feature(driver: str, key: str, value: bool) -> bool | None:
    if key in _ODD.get(driver, ()):
        return None
    if key in _ON:
        return not value
    return value if key in _OFF else None


def requested(cell: Mapping[str, Any]) -> Any:
    """What is requested, which counts where another setting or the other end of the link keeps it from coming true."""
    return cell["wanted"] if cell.get("wanted") is not None else cell.get("value")
