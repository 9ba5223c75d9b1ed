# SPDX-License-Identifier: GPL-3.0-or-later
"""The PCIe links between a NIC and the processor, and what they carry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .view import Nic

# What is left after the headers of the packets on the bus.
_PAYLOAD = 0.87


class Link(NamedTuple):
    """One link on the way: `where` is the slot of the card, or the address of the bridge that it belongs to."""

    where: str
    width: float
    speed: float
    bridge: bool = False

    @property
    def capacity(self) -> int:
        """Mb/s: 8 of 10 bits carry data up to 5 GT/s, 128 of 130 above."""
        return int(self.width * self.speed * 1000 * (0.8 if self.speed <= 5 else 128 / 130) * _PAYLOAD)

    def __str__(self) -> str:
        at = f" at the bridge {self.where}" if self.bridge else ""
        return f"{self.speed:g} GT/s x{self.width:g}, {self.capacity} Mbit/s{at}"


def card(nic: Nic) -> str:
    """The slot of a card: its address without the number of the port."""
    return nic.text("bus").rpartition(".")[0]


def links(nic: Nic) -> list[Link]:
    """From the card up; only those that tell what they are.

    Both ends of a link tell of it. The bridge right above a card is the other end of the card's own, the one above that
    the lower end of the next.
    """
    own = Link(card(nic), nic.number("pcie", "current", "width") or 0, nic.number("pcie", "current", "speed_gt") or 0)
    above = [
        Link(row.text("bus"), row.number("width") or 0, row.number("speed_gt") or 0, bridge=True)
        for row in nic.rows("pcie", "above")[1::2]
    ]
    return [link for link in (own, *above) if link.where and link.width and link.speed]


def sharing(link: Link, ports: Iterable[Nic]) -> list[Nic]:
    """Those of some ports that the link is on the way of."""
    return [port for port in ports if link.where in {other.where for other in links(port)}]


def advice(nic: Nic, link: Link) -> str:
    """What helps against a link of its way that no slot with more lanes would make wider; empty for all others."""
    if link.bridge:
        return "Put the cards into slots of their own at the processor; the link of this bridge is what limits them."
    top = best(nic, link)
    if top.capacity > link.capacity and link.width >= top.width:
        return "All lanes are in use; the slot, or its setting in the firmware of the board, is slower than the card."
    return ""


def best(nic: Nic, link: Link) -> Link:
    """What the card could have in place of its own link, as far as it tells."""
    width, speed = (nic.number("pcie", "max", key) for key in ("width", "speed_gt"))
    return Link(link.where, width or link.width, speed or link.speed)
