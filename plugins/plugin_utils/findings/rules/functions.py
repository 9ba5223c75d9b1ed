# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual functions that stand beside the NIC of a guest of Hyper-V, and carry nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host, Nic

# Packets received and sent of a NIC that somebody uses for more than to log in.
_MUCH = 10_000_000


def _idle(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # Who uses the function without the kernel (DPDK) has the upper NIC down as well.
        beside = _beside(nic) if nic.driver == "hv_netvsc" and nic.linked else []
        if not beside or any(other.linked and other.text("master") == nic.name for other in beside):
            continue
        first = beside[0]
        joined = first.text("master") == nic.name
        moved, through = _packets(nic), sum(map(_packets, beside))
        evidence = {
            "driver": nic.driver,
            "virtual function": f"{first.name}, {'down' if joined else 'not joined'}",
            **({"belongs to": first.text("master")} if first.text("master") and not joined else {}),
            "packets": f"{moved}, through the virtual function {through}",
        }
        # The upper NIC counts those of the function, too.
        harm = moved - through >= _MUCH and through * 2 <= moved
        action = _UP.format(first.name) if joined else ""
        yield Hit(evidence, nic.name, action=action, severity="" if harm else "note")


def _beside(nic: Nic) -> list[Nic]:
    """The virtual functions of a NIC: those that it stands for, or that have its MAC, by which it looks for them."""
    mac = nic.text("mac")
    return [
        other
        for other in nic.host.nics
        if other.flag("physical") is True
        and other.driver != nic.driver
        and (other.text("master") == nic.name or (mac and other.text("mac") == mac))
    ]


def _packets(nic: Nic) -> int:
    return nic.count("counters", "total", "rx_packets") + nic.count("counters", "total", "tx_packets")


_UP = (
    "Set it up (`ip link set {0} up`), and find out what has set it down: the pair is one NIC, whose addresses are "
    "those of the other, so a list of unused interfaces or a network manager must leave {0} alone."
)


RULES = (
    Rule(
        id="virtual-function-idle",
        severity="medium",
        title="The virtual function of this guest carries nothing",
        condition="a NIC of hv_netvsc with a link has a virtual function without one, or one that it has not joined, "
        "and at least 10 million packets, and half of all, did not pass through that; else a note",
        explanation="With accelerated networking hv_netvsc hands its packets to the virtual function with the same "
        "MAC, while that is up. Otherwise each passes the virtual switch of the host, with more delay and load.",
        action="Let hv_netvsc have the virtual function: take it out of bonds, bridges and the files of network "
        "managers (`journalctl -k | grep 'VF'` tells why it did not join), and start the guest anew.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/microsoft/netvsc.html",
        host=_idle,
    ),
)
