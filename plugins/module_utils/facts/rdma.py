# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the ports of RDMA devices, InfiniBand and RoCE: their links, and what the transport had to do again."""

from __future__ import annotations

from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import sysfs

_ROOT = "/sys/class/infiniband"

# Of the link: Documentation/ABI/stable/sysfs-class-infiniband.
_LINK = (
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "local_link_integrity_errors",
    "port_xmit_packets",
)
# What the transport found missing and sent again: drivers/infiniband/hw, mlx5/counters.c and bnxt_re/hw_counters.c.
_TRANSPORT = (
    "packet_seq_err",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "out_of_sequence",
    "seq_err_naks_rcvd",
    "to_retransmits",
    "oos_drop_count",
)


def gather(host: ReadOnlyHost) -> List[Dict[str, Any]]:
    """Each port that is up, with its NIC, what it runs on, its rate, the mode of IPoIB, and its counters."""
    found = []
    for device in host.names(_ROOT):
        nics = host.names(f"{_ROOT}/{device}/device/net")
        for port in host.names(f"{_ROOT}/{device}/ports"):
            base = f"{_ROOT}/{device}/ports/{port}"
            # `4: ACTIVE`; a port without a cable polls at the lowest rate.
            if not port.isdecimal() or "ACTIVE" not in sysfs.text(host, f"{base}/state"):
                continue
            nic = _nic(host, nics, port)
            counts = {
                **{name: sysfs.number(host, f"{base}/counters/{name}") for name in _LINK},
                **{name: sysfs.number(host, f"{base}/hw_counters/{name}") for name in _TRANSPORT},
            }
            found.append(
                {
                    "device": device,
                    "port": port,
                    "nic": nic,
                    "layer": sysfs.text(host, f"{base}/link_layer") or "InfiniBand",
                    "rate": sysfs.text(host, f"{base}/rate"),
                    "mode": sysfs.text(host, f"{sysfs.ROOT}/{nic}/mode") if nic else "",
                    "counts": {name: number for name, number in counts.items() if number is not None},
                }
            )
    return found


def _nic(host: ReadOnlyHost, nics: List[str], port: str) -> str:
    """The NIC of a port; where a card has several, the kernel numbers them from 0."""
    if len(nics) == 1:
        return nics[0]
    own = [nic for nic in nics if sysfs.number(host, f"{sysfs.ROOT}/{nic}/dev_port") == int(port) - 1]
    return own[0] if len(own) == 1 else ""
