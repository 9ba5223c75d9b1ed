# SPDX-License-Identifier: GPL-3.0-or-later
"""Links with a duplex that the ends do not share, or do not negotiate."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"


def _duplex(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not mismatched(nic):
            continue
        broken, since = nic.counted("rx_crc")
        evidence = {
            "Duplex": nic.text("duplex"),
            "Auto-negotiation": "on" if nic.flag("autoneg") else "off",
            "late collisions": nic.counted("late_collisions")[0],
            "broken packets": f"{broken} {since}",
        }
        partner = nic.words("partner_modes")
        half = nic.text("duplex") == "Half" and partner and not any(mode.endswith("/Full") for mode in partner)
        fixed = nic.flag("autoneg") is False and nic.text("autoneg_supported") != "No"
        # Where the partner does not negotiate, its one mode is what the NIC has guessed from the signal. It is wrong
        # where collisions come late: that end sends whenever it likes, so it runs full duplex.
        silent = nic.text("partner_autoneg") == "No"
        if not fixed and (silent or (half and len(partner) == 1 and _full_there(nic))):
            told = {"Link partner advertised auto-negotiation": "No"} if silent else {}
            shown = {**evidence, **told, **({} if silent else {"Link partner advertised link modes": partner})}
            yield Hit(shown, nic.name, action=_FIXED_THERE)
        elif half:
            shown = {**evidence, "Link partner advertised link modes": partner}
            action = "Replace the device at the other end, or its port; a switch between the two helps as well."
            yield Hit(shown, nic.name, severity="medium", action=action)
        else:
            remedy = nic_remedy(nic.name, speed={"autoneg": True}) if fixed else {}
            mute = _mute(nic) and not collides(nic)
            yield Hit(evidence, nic.name, "", remedy, _TALK if mute else "", "high" if mute else "")


_FIXED_THERE = (
    "The other end has a fixed speed and duplex, which this one cannot see: let the port of the switch negotiate, or "
    "set the very same speed and full duplex here."
)
_TALK = (
    "Let both ends negotiate (`speed: {autoneg: true}` here, and the same on the port of the switch): over copper 1000 "
    "Mb/s need it to agree on the clock as well, and an end that hears nothing falls back to half duplex or another "
    "speed. If packets still arrive damaged, replace the cable."
)


def mismatched(nic: Nic) -> bool:
    """Whether the ends of its wire do not agree on the duplex, which by itself breaks packets."""
    # A fixed `Half` from a driver without a PHY is no statement about a wire.
    if not nic.real or nic.speed > 1000:
        return False
    broken, often = nic.counted("rx_crc")[0], _often(nic)
    fixed = nic.flag("autoneg") is False and (nic.speed in (10, 100) or _mute(nic))
    return nic.text("duplex") == "Half" or (fixed and broken >= 10 and broken > often) or collides(nic)


def _mute(nic: Nic) -> bool:
    """Whether a cable of copper carries 1000 Mb/s without negotiation, which a chip without a PHY has not."""
    able = nic.text("autoneg_supported") == "Yes" and nic.text("port") == "Twisted Pair"
    return able and nic.flag("autoneg") is False and nic.speed == 1000


def collides(nic: Nic) -> bool:
    """Whether collisions come late, which only a partner of another duplex does."""
    late = nic.counted("late_collisions")[0]
    return late >= 10 and late > _often(nic)


def _full_there(nic: Nic) -> bool:
    """Whether many collisions come late, of which a hub with long cables has a few."""
    return collides(nic) and nic.counted("late_collisions")[0] * 100 >= nic.counted("collisions")[0]


def _often(nic: Nic) -> float:
    return max(nic.packets, nic.counted("tx_packets")[0]) / 100_000


RULES = (
    Rule(
        id="duplex-mismatch",
        severity="critical",
        title="The link runs half duplex, or the ends do not agree on it",
        condition="a link that has a wire runs half duplex, has counted late collisions, or has a fixed speed and "
        "receives broken packets; high at 1000 Mb/s over copper without negotiation",
        explanation="One end sends, and the other takes that for a collision, so packets are lost under load. It "
        "comes from a fixed speed on one end: the other cannot negotiate and falls back to half duplex.",
        action="Let both ends negotiate (`speed: {autoneg: true}` here, and the same on the port of the switch).",
        reference=_PAGE,
        host=_duplex,
        switch=True,
    ),
)
