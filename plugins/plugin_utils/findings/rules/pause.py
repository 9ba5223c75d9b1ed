# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause frames: where links of different speeds meet, both ends must agree on flow control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Hit, Rule, nic_remedy
from ..view import Fleet, Nic
from .throughput import lopsided

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"
_ON = {"rx": True, "tx": True}
_WAYS = ("rx", "tx")


def _can(nic: Nic) -> bool:
    if not nic.real or nic.at("pause") is None or _listens(nic):
        return False
    # Some drivers do not even tell that they can (e1000e); that a partner refuses is only told where they can.
    return nic.text("pause_supported") not in ("", "No") or any(nic.text("pause", way, "partner") for way in _WAYS)


def _listens(nic: Nic) -> bool:
    """Whether it only listens, as at the mirror port of a switch, which nobody wants to be stopped for it."""
    taken, sent = (nic.number("counters", "total", f"{way}_packets") for way in _WAYS)
    return taken is not None and sent is not None and taken >= _A_LOT and sent < taken / _A_LOT


# Packets; whoever talks to others answers more than one of so many.
_A_LOT = 100_000


def _on(nic: Nic) -> bool:
    """Whether it is in use, if only in one direction; or requested, where nobody tells what came of it."""
    switched = any(nic.value("pause", way) is True for way in _WAYS)
    return switched and (nic.text("pause_advertised") != "No" or "untold" in _partners(nic))


def _requests(nic: Nic) -> bool:
    """Whether the NIC asks its partner for pause frames, whatever has come of it."""
    if "refuses" in _partners(nic):
        return True
    if nic.value("pause", "autoneg") is False:
        return False
    told = any(nic.at("pause", way, "wanted") is True for way in _WAYS)
    return told or nic.text("pause_advertised") not in ("", "No")


def _forced(nic: Nic) -> bool:
    """Whether it uses pause frames without asking, on a link that does negotiate, by a driver that could ask."""
    fixed = nic.at("pause", "autoneg", "fixed") is True
    negotiates = nic.flag("autoneg") is True and nic.value("pause", "autoneg") is False and not fixed
    return negotiates and any(nic.value("pause", way) is True for way in _WAYS)


def _remedy(nic: Nic) -> dict[str, object]:
    """To ask, not to force: what is forced says nothing to the switch."""
    silent = nic.value("pause", "autoneg") is False and nic.at("pause", "autoneg", "fixed") is not True
    return nic_remedy(nic.name, pause={"autoneg": True, **_ON} if silent and nic.flag("autoneg") is not False else _ON)


def _evidence(nic: Nic, fleet: Fleet) -> dict[str, object]:
    shown = {
        "Autonegotiate": False if nic.value("pause", "autoneg") is False else None,
        "RX": nic.value("pause", "rx"),
        "TX": nic.value("pause", "tx"),
        "Advertised pause frame use": nic.text("pause_advertised"),
        "Link partner advertised pause frame use": nic.text("pause_partner"),
        "speeds in the fleet, Mb/s": fleet.speeds,
    }
    return {label: value for label, value in shown.items() if value not in ("", None)}


def _mixed(fleet: Fleet) -> Iterator[Nic]:
    """NICs to which flow control matters: where speeds are mixed, or where the inventory asks for it."""
    for nic in fleet.nics():
        # Half duplex has none, which is another finding.
        if (len(fleet.speeds) > 1 or _desired(nic)) and _can(nic) and "half duplex" not in _partners(nic):
            yield nic


def _desired(nic: Nic) -> bool:
    return any(nic.host.tune.at("after", "nics", nic.name, "pause", way) is True for way in _WAYS)


# Lost for want of room in the ring since the driver was loaded: fewer are the burst of a boot.
_BURST = 1000


def _loses(nic: Nic) -> bool:
    lost, packets = nic.counted("rx_missed")[0], nic.counted("rx_packets")[0]
    return nic.real and lost >= _BURST and lost > packets / 100_000 and not _listens(nic)


def _hit(nic: Nic, fleet: Fleet, remedy: Mapping[str, object]) -> Hit:
    """A policy is a note, until somebody has asked for it or suffers from the want of it."""
    # What is lost in a switch is counted nowhere, but one direction is slower then.
    harm = _desired(nic) or bool(lopsided(fleet.measured)) or any(_loses(other) for other in fleet.nics())
    return Hit(_evidence(nic, fleet), nic.name, nic.host.name, remedy, severity="" if harm else "note")


def _refused(nic: Nic) -> bool:
    """Whether the NIC has done its part; told by what is read of it, not by what it was told to do."""
    if nic.text("pause_partner") == "No" or "refuses" in _partners(nic):
        return True
    return _requests(nic) and not any(nic.value("pause", way) is True for way in _WAYS)


def _partners(nic: Nic) -> set[str]:
    """What the other end makes of the requests."""
    return {nic.text("pause", way, "partner") for way in _WAYS} - {""}


def _off(fleet: Fleet) -> Iterator[Hit]:
    for nic in _mixed(fleet):
        if not _on(nic) and not _refused(nic):
            yield _hit(nic, fleet, _remedy(nic))


def _partner(fleet: Fleet) -> Iterator[Hit]:
    for nic in _mixed(fleet):
        if _refused(nic):
            requests = _on(nic) or _requests(nic)
            yield _hit(nic, fleet, {} if requests else _remedy(nic))


def _by_force(fleet: Fleet) -> Iterator[Hit]:
    for nic in _mixed(fleet):
        if _forced(nic):
            yield _hit(nic, fleet, _remedy(nic))


_WHY = (
    "Where a fast link feeds a slow one, the switch drops what its buffer cannot hold, and each loss stops TCP for a "
    "moment: 10G to 1G comes down to 40 MB/s or less, while 1G to 10G is fine."
)

_COST = (
    "Ask for it only where speeds are mixed and the buffers of the switch are small: one paused client stops the whole "
    "port of its sender."
)

RULES = (
    Rule(
        id="pause-off",
        severity="high",
        title="Flow control is off where speeds are mixed",
        condition="the fleet has links of different speeds, or the inventory asks for flow control, and the NIC "
        "neither uses nor offers pause frames; a note, until packets are lost, a measurement is slower in one "
        "direction, or the inventory asks for them; not at a port that only listens, such as that of a mirror",
        explanation=f"{_WHY} Pause frames let the sender wait instead.",
        action=f"Switch pause frames on, here and at the port of the switch, at the slow links at least. {_COST}",
        reference=_PAGE,
        fleet=_off,
        switch=True,
    ),
    Rule(
        id="pause-off-at-partner",
        severity="high",
        title="It is the switch: the link partner refuses flow control",
        condition="the fleet has links of different speeds, or the inventory asks for flow control, and the link "
        "partner offers no pause frames, or the NIC asks for them and still does not use them; a note, until packets "
        "are lost, a measurement is slower in one direction, or the inventory asks for them",
        explanation=f"{_WHY} The NIC asks, so the port of the switch at the other end of the cable has it off.",
        action="Switch flow control on at the port of the switch; no setting of this host can replace it, and switches "
        f"ship with it off. {_COST}",
        reference=_PAGE,
        fleet=_partner,
        switch=True,
    ),
    Rule(
        id="pause-forced",
        severity="medium",
        title="Flow control is forced on one side only",
        condition="the fleet has links of different speeds, and the NIC uses pause frames without negotiating them on "
        "a link that does negotiate",
        explanation="A NIC that forces pause frames does not ask its link partner for them, so a switch that has them "
        "off continues to drop packets. This host cannot tell whether it has.",
        action="Let the NIC negotiate pause frames, and switch flow control on at the port of the switch.",
        reference=_PAGE,
        fleet=_by_force,
        switch=True,
    ),
)
