# SPDX-License-Identifier: GPL-3.0-or-later
"""The PCIe link of a card: whether it carries what the ports can."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..quirks import card
from ..view import Host, Nic

# What is left after the headers of the packets on the bus.
_PAYLOAD = 0.87


def _capacity(width: float, speed: float) -> int:
    """Mb/s of a PCIe link: 8 of 10 bits carry data up to 5 GT/s, 128 of 130 above."""
    return int(width * speed * 1000 * (0.8 if speed <= 5 else 128 / 130) * _PAYLOAD)


def _narrow(host: Host) -> Iterator[Hit]:
    cards: dict[str, list[Nic]] = {}
    for nic in host.nics:
        if nic.real and card(nic):
            cards.setdefault(card(nic), []).append(nic)
    for slot, ports in sorted(cards.items()):
        width, speed = ports[0].number("pcie", "current", "width"), ports[0].number("pcie", "current", "speed_gt")
        need = _need(host, ports)
        if not width or not speed or _capacity(width, speed) >= need:
            continue
        best = (ports[0].number("pcie", "max", "width") or width, ports[0].number("pcie", "max", "speed_gt") or speed)
        evidence = {
            "slot": slot,
            "PCIe link": f"{speed:g} GT/s x{width:g}, {_capacity(width, speed)} Mbit/s",
            "PCIe link of the card at best": f"{best[1]:g} GT/s x{best[0]:g}",
            "ports": {port.name: f"{port.speed}Mb/s" for port in ports},
        }
        if _capacity(*best) > _capacity(width, speed):
            yield Hit(evidence, ports[0].name)
        else:
            action = "Use one port each of several cards; this card cannot have a wider slot."
            yield Hit(evidence, ports[0].name, severity="note", action=action)


def _need(host: Host, ports: list[Nic]) -> int:
    """What the ports of a card can move at once: a bond of active-backup uses one member at a time."""
    spare = [facts.below("members") for facts in host.below("bonds").values() if facts.text("mode") == "active-backup"]
    groups: dict[int, int] = {}
    for place, port in enumerate(ports):
        bond = next((number for number, members in enumerate(spare, len(ports)) if port.name in members), place)
        groups[bond] = max(groups.get(bond, 0), port.speed)
    return sum(groups.values())


RULES = (
    Rule(
        id="pcie-narrower-than-ports",
        severity="high",
        title="The slot is narrower than the ports of the card",
        condition="the PCIe link carries less than the ports of the card can move at once",
        explanation="All ports of a card share its PCIe link. Two 10G ports behind four lanes of 5 GT/s give 14 Gbit/s "
        "together, whatever a bond promises.",
        action="Put the card into a slot with more lanes, and see whether the firmware of the board shares them.",
        reference="https://docs.kernel.org/PCI/pci.html",
        host=_narrow,
    ),
)
