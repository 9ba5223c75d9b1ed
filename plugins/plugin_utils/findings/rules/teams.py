# SPDX-License-Identifier: GPL-3.0-or-later
"""Teams (teamd): ports that do not carry their part."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

_PAGE = "https://access.redhat.com/solutions/2905801"
_NOBODY = "00:00:00:00:00:00"


def _down(host: Host) -> Iterator[Hit]:
    for team, facts in host.below("teams").items():
        ports = facts.below("ports")
        down = {name: "down" for name, port in ports.items() if port.text("link") == "down"}
        if down:
            # A port that only waits moves nothing, and may be down on purpose.
            spare = facts.text("runner") == "activebackup" and len(down) < len(ports)
            evidence = {"runner": facts.text("runner"), "ports": len(ports), **down}
            yield Hit(evidence, team, severity="note" if spare else "")


def _alone(host: Host) -> Iterator[Hit]:
    for team, facts in host.below("teams").items():
        up = {name: port for name, port in facts.below("ports").items() if port.text("link") == "up"}
        # A port without a partner that is selected carries packets all the same (fallback).
        idle = {name: port.text("partner") for name, port in up.items() if port.flag("selected") is False}
        carry = {name: port.text("partner") for name, port in up.items() if port.flag("selected") is True}
        evidence = {
            "runner": facts.text("runner"),
            **{name: f"selected, partner {partner}" for name, partner in carry.items()},
            **{
                name: "no partner" if partner == _NOBODY else f"not selected, partner {partner}"
                for name, partner in idle.items()
            },
        }
        # Two switches that are no pair: the port to one of them waits, as somebody may like it.
        spare = bool(carry) and not {*carry.values(), _NOBODY} & set(idle.values())
        if idle:
            yield Hit(evidence, team, severity="note" if spare else "")


RULES = (
    Rule(
        id="team-port-down",
        severity="high",
        title="A port of the team is down",
        condition="teamd sees no link at a port of a team; a note with the runner activebackup while another port has "
        "a link",
        explanation="The team continues with the remaining ports, at part of its speed. The next failure may take it "
        "down.",
        action="Check the cable, the transceiver and the port of the switch; if the NIC itself has a link, see the "
        "link watch of the team (`teamdctl TEAM config dump`): with arp_ping it is the address that does not answer.",
        reference=_PAGE,
        host=_down,
        switch=True,
    ),
    Rule(
        id="team-without-partner",
        severity="high",
        title="The switch does not speak LACP with all ports of the team",
        condition="a port of a team with the runner lacp has a link and is not selected, because it has no partner or "
        "is in another aggregator; a note where another switch is at its other end than at that of the ports in use",
        explanation="Only the selected aggregator carries packets, and this port carries none. The ports of the "
        "switch are not in one group with LACP.",
        action="Put the ports of the switch into one LACP group (two switches have to be a pair, MLAG or a stack), and "
        "see with `teamdctl TEAM state` whether each port is then `selected: yes`, `state: current`.",
        reference=_PAGE,
        host=_alone,
        switch=True,
    ),
)
