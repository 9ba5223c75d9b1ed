# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause frames: where links of different speeds meet, both ends must agree on flow control."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Fleet, Nic

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"
_ON = {"rx": True, "tx": True}


def _can(nic: Nic) -> bool:
    return nic.real and nic.text("pause_supported") not in ("", "No") and nic.at("pause") is not None


def _on(nic: Nic) -> bool:
    switched = nic.value("pause", "rx") is True and nic.value("pause", "tx") is True
    return switched and nic.text("pause_advertised") != "No"


def _told(nic: Nic) -> list[str]:
    """The commands at boot that switch it on: what is told and still off, the other end has refused, if asked."""
    if nic.value("pause", "autoneg") is False:
        return []
    lines = nic.host.words("persisted", "units", nic.name)
    return [line for line in lines if f" -A {nic.name} " in line and "rx on" in line]


def _evidence(nic: Nic, fleet: Fleet) -> dict[str, object]:
    shown = {
        "RX": nic.value("pause", "rx"),
        "TX": nic.value("pause", "tx"),
        "Advertised pause frame use": nic.text("pause_advertised"),
        "Link partner advertised pause frame use": nic.text("pause_partner"),
        "speeds in the fleet, Mb/s": fleet.speeds,
    }
    return {label: value for label, value in shown.items() if value not in ("", None)}


def _mixed(fleet: Fleet) -> Iterator[Nic]:
    if len(fleet.speeds) > 1:
        yield from (nic for nic in fleet.nics() if _can(nic))


def _off(fleet: Fleet) -> Iterator[Hit]:
    for nic in _mixed(fleet):
        if not _on(nic) and not _told(nic) and nic.text("pause_partner") != "No":
            yield Hit(_evidence(nic, fleet), nic.name, nic.host.name, nic_remedy(nic.name, pause=_ON))


def _partner(fleet: Fleet) -> Iterator[Hit]:
    for nic in _mixed(fleet):
        refused = nic.text("pause_partner") == "No"
        told = [] if _on(nic) else _told(nic)
        if refused or told:
            evidence = {**_evidence(nic, fleet), **({"told at boot": told} if told else {})}
            remedy = {} if _on(nic) or told else nic_remedy(nic.name, pause=_ON)
            yield Hit(evidence, nic.name, nic.host.name, remedy)


_WHY = (
    "Where a fast link feeds a slow one, the switch drops what its buffer cannot hold, and each loss stops TCP for a "
    "moment: 10G to 1G comes down to 40 MB/s or less, while 1G to 10G is fine."
)

RULES = (
    Rule(
        id="pause-off",
        severity="high",
        title="Flow control is off where speeds are mixed",
        condition="the fleet has links of different speeds, and the NIC neither uses nor offers pause frames",
        explanation=f"{_WHY} Pause frames let the sender wait instead.",
        action="Switch pause frames on. If they stay off, the switch refuses them: switch them on at its port.",
        reference=_PAGE,
        fleet=_off,
    ),
    Rule(
        id="pause-off-at-partner",
        severity="high",
        title="It is the switch: the link partner refuses flow control",
        condition="the fleet has links of different speeds, and the link partner offers no pause frames, or the NIC is "
        "told to use them and still does not",
        explanation=f"{_WHY} The NIC can, so the port of the switch at the other end of the cable has it off.",
        action="Switch flow control on at the port of the switch; no setting of this host can replace it.",
        reference=_PAGE,
        fleet=_partner,
    ),
)
