# SPDX-License-Identifier: GPL-3.0-or-later
"""Links: slower than both ends could be, or with a duplex that the ends do not share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host, Nic

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"


def _best(nic: Nic, *modes: str) -> int:
    """The fastest link mode that all these lists have, in Mb/s; 0 where one says nothing."""
    speeds = [
        {int(match[1]) for word in nic.words(key) for match in [re.match(r"(\d{1,7})base", word)] if match}
        for key in modes
    ]
    return max(set.intersection(*speeds), default=0)


def _slow(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not nic.real or not nic.speed:
            continue
        both = _best(nic, "supported_modes", "partner_modes")
        evidence = {"Speed": f"{nic.speed}Mb/s", "Supported link modes": nic.words("supported_modes")}
        if both > nic.speed:
            yield Hit({**evidence, "Link partner advertised link modes": nic.words("partner_modes")}, nic.name)
        elif not both and nic.speed <= 100 and nic.count("fastest") >= 1000:
            yield Hit(evidence, nic.name, severity="medium")


def _duplex(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not nic.real:
            continue
        late, _since = nic.counted("late_collisions")
        broken, since = nic.counted("rx_crc")
        forced = nic.flag("autoneg") is False and nic.speed in (10, 100) and broken > 0
        if nic.text("duplex") == "Half" or late or forced:
            yield Hit(
                {
                    "Duplex": nic.text("duplex"),
                    "Auto-negotiation": "on" if nic.flag("autoneg") else "off",
                    "late collisions": late,
                    "broken packets": f"{broken} {since}",
                },
                nic.name,
            )


RULES = (
    Rule(
        id="link-slower-than-both-ends",
        severity="high",
        title="The link is slower than both ends could be",
        condition="the link is slower than the fastest mode that NIC and link partner have in common, or at most "
        "100 Mb/s on a NIC that can do 1000 where the link partner does not tell",
        explanation="A cable with a broken pair falls back to 100 Mb/s. A host like this slows down others too, when "
        "a router sends to all of them through one queue.",
        action="Replace the cable, or the plug; then see whether the port of the switch has a fixed speed.",
        reference=_PAGE,
        host=_slow,
    ),
    Rule(
        id="duplex-mismatch",
        severity="critical",
        title="The ends do not agree on the duplex",
        condition="the link runs half duplex, counts late collisions, or has a fixed speed and receives broken packets",
        explanation="One end sends while the other takes that for a collision, so packets are lost under load. It "
        "comes from a fixed speed on one end: the other cannot negotiate and falls back to half duplex.",
        action="Let both ends negotiate (`ethtool -s NIC autoneg on`, and the same on the port of the switch).",
        reference=_PAGE,
        host=_duplex,
    ),
)
