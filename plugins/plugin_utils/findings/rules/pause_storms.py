# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause frames in masses: who cannot keep up, this host or its link partner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import rare
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic
from .buses import without_pcie

_PAGE = "https://docs.kernel.org/networking/ethtool-netlink.html"

# Some pauses are what flow control is for; one for 10000 packets of the other direction is a brake.
_MANY = 10_000
# Within an interval fewer are enough: thirty in a second stop a link of 1000 Mb/s for good.
_NOW = 100
_SHARE = 10_000
# The longest pause is 33 ms at 1000 Mb/s: one in so many seconds of uptime takes nothing away.
_SELDOM = 10
# Where the NIC tells how long it was paused: the part of the time that is felt, within an interval and since the boot,
# most of which a host has nothing to send; and the part that is most of the speed.
_FELT, _ON_AVERAGE, _MOSTLY = 0.01, 0.0001, 0.05


def _brake(nic: Nic, way: str, packets: int) -> bool:
    frames, least = nic.counted(f"{way}_pause")[0], _NOW if nic.number("counters", "interval") else _MANY
    if not nic.linked or frames < least or rare(nic, frames, _SELDOM):
        return False
    # RDMA pauses for priorities of its own, and none of its packets is one of the kernel's.
    part = _paused(nic, way)
    if part:
        return part >= (_FELT if nic.number("counters", "interval") else _ON_AVERAGE)
    return frames > packets / _SHARE


def _paused(nic: Nic, way: str) -> float:
    """The part of the time for which the link was paused; 0 where nobody tells, as some firmware does not."""
    seconds = nic.number("counters", "interval") or nic.host.number("kernel", "uptime") or 0
    return nic.counted(f"{way}_pause_us")[0] / 1_000_000 / seconds if seconds else 0


def _time(nic: Nic, way: str) -> dict[str, str]:
    part, since = _paused(nic, way), nic.counted(f"{way}_pause_us")[1]
    return {"paused for": f"{100 * part:.2g} % of the time {since}"} if part else {}


def told_to_wait(nic: Nic) -> bool:
    """Whether the other end stops this NIC often enough for people to notice."""
    return _brake(nic, "rx", nic.counted("tx_packets")[0])


def _held(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if told_to_wait(nic):
            frames, since = nic.counted("rx_pause")
            sent, part = nic.counted("tx_packets")[0], _paused(nic, "rx")
            evidence = {"pause frames received": f"{frames} {since}", "packets sent": sent, **_time(nic, "rx")}
            action = _FLOODED if frames >= sent and not 0 < part < _MOSTLY else ""
            worst = part >= _MOSTLY if part else frames > sent / 100
            yield Hit(evidence, nic.name, severity="high" if worst else "", action=action)


_FLOODED = (
    "More pause frames came than packets could be sent: some device hangs and stops the switch without end, and the "
    "switch stops everybody who sends to it. Find the port of the switch that receives most pause frames, take that "
    "device off the network, and let the switch guard its ports (PFC watchdog, pause flood protection) or switch "
    "flow control off there. `pause: {rx: false}` lets this host send until then, if the driver allows that."
)


def _brakes(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        frames, since = nic.counted("tx_pause")
        if not _brake(nic, "tx", nic.packets):
            continue
        evidence: dict[str, Any] = {"pause frames sent": f"{frames} {since}", "packets received": nic.packets}
        evidence.update(_time(nic, "tx"))
        size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
        if size is not None and top is not None:
            evidence["rx ring"] = f"{size:g} of {top:g}"
        storms, _since = nic.counted("pause_storms")
        if storms:
            evidence["storms that the NIC has ended"] = storms
        # A host that fetches what arrives gets many packets between two pauses.
        if storms or (frames >= nic.packets and not 0 < _paused(nic, "tx") < _MOSTLY):
            yield Hit(evidence, nic.name, action=_STORM)
            continue
        remedy, mends = _more(nic), nic_remedy(nic.name, ring={"rx": "max"})
        if not remedy and without_pcie(nic) and frames * _RARE <= nic.packets:
            yield Hit(evidence, nic.name, action=_SLOW_BUS, severity="note")
            continue
        yield Hit(evidence, nic.name, remedy=remedy, action="" if remedy or size is None else _LATE, mends=mends)


# One for so many packets holds back the senders for a hundredth of the time at most.
_RARE = 100
_SLOW_BUS = (
    "This NIC hangs on USB or inside of a processor, and such a bus often takes less than the link brings: then the "
    "pause frames are what keeps packets from being lost, and should stay. Where others wait behind the same port of "
    "the switch, offer a lower speed only; if it is new, see what keeps the processor busy."
)
_LATE = (
    "The ring is as large as it can be: use more channels, spread their interrupts over the processors of the NIC's "
    "own node, and see what keeps these busy (softnet_stat, the CPU governor, the width of the PCIe slot)."
)


_STORM = (
    "The host fetched nothing for a long time, while its NIC went on stopping the link: that is a hang, and no ring "
    "is too small. See the kernel's log for what stood still (a crash, a stopped guest, a driver without memory), "
    "update the firmware of the card, and let the switch guard its ports (PFC watchdog)."
)


def _more(nic: Nic) -> dict[str, Any]:
    """A larger ring, where there is one."""
    size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
    larger = size is not None and top is not None and size < top
    return nic_remedy(nic.name, ring={"rx": "max"}) if larger else {}


RULES = (
    Rule(
        id="held-back-by-pause",
        severity="medium",
        title="The link partner holds this host back with pause frames",
        condition="the NIC received at least 10000 pause frames (100 within an interval), one in ten seconds of "
        "uptime, and more than one for 10000 packets that it sent; where it tells how long they lasted, as mlx5 does, "
        "instead 1 % of the interval, or a ten-thousandth of the uptime, and from 5 % on it is high",
        explanation="While the link is paused nothing is sent, to any destination. The partner pauses it because its "
        "own buffer, or that of a slow port behind it, is full; a broken device can do so forever.",
        action="Look at the port of the switch and what is slow behind it; if it never ends, switch flow control off "
        "at that port and replace the device. `pause: {rx: false}` does it here if the driver allows that; e1000e, "
        "igb, igc and ixgbe do not, as long as they negotiate.",
        reference=_PAGE,
        host=_held,
        switch=True,
    ),
    Rule(
        id="sends-pause",
        severity="high",
        title="This host cannot keep up and stops the link with pause frames",
        condition="the NIC sent at least 10000 pause frames (100 within an interval), one in ten seconds of "
        "uptime, and more than one for 10000 packets that it received, or for as long as with held-back-by-pause; a "
        "note up to one for 100 packets where the NIC hangs on USB or inside of a processor and its ring cannot be "
        "larger",
        explanation="Flow control hides that the receive ring overflows: nothing is lost here, and the switch holds "
        "back everybody who sends to this host. The rate is that of the slowest stage behind the NIC.",
        action="Raise the receive ring; then check the channels, the interrupts and what the processors do.",
        reference=_PAGE,
        host=_brakes,
        proven=True,
        switch=True,
    ),
)
