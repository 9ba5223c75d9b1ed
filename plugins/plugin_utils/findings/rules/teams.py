# SPDX-License-Identifier: GPL-3.0-or-later
"""Teams (teamd): ports that do not carry their part."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Host

_PAGE = "https://access.redhat.com/solutions/2905801"
_NOBODY = "00:00:00:00:00:00"


def _ports(facts: Facts) -> dict[str, Facts]:
    return facts.below("ports")


def _down(host: Host) -> Iterator[Hit]:
    for team, facts in host.below("teams").items():
        ports = _ports(facts)
        down = {name: "down" for name, port in ports.items() if port.text("link") == "down"}
        if down:
            # A port that only waits moves nothing, and may be down on purpose.
            spare = facts.text("runner") == "activebackup" and len(down) < len(ports)
            yield Hit(
                {"runner": facts.text("runner"), "ports": len(ports), **down}, team, severity="note" if spare else ""
            )


def _alone(host: Host) -> Iterator[Hit]:
    for team, facts in host.below("teams").items():
        up = {name: port for name, port in _ports(facts).items() if port.text("link") == "up"}
        if facts.text("runner") != "lacp":
            continue
        silent = {name: "no partner" for name, port in up.items() if port.text("partner") == _NOBODY}
        idle = {
            name: f"not selected, partner {port.text('partner')}"
            for name, port in up.items()
            if port.flag("selected") is False and name not in silent and port.text("partner")
        }
        if silent:
            yield Hit({"runner": "lacp", **silent, **idle}, team)
        elif idle:
            # Two switches that are no pair: the port to one of them waits, as somebody may like it.
            others = {port.text("partner") for name, port in up.items() if name not in idle}
            apart = bool(others) and not others & {up[name].text("partner") for name in idle}
            carry = {name: f"selected, partner {port.text('partner')}" for name, port in up.items() if name not in idle}
            yield Hit({"runner": "lacp", **carry, **idle}, team, severity="note" if apart else "")


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
        condition="a team of the runner lacp has a port with a link and without a partner, or one whose aggregator is "
        "not selected; a note where that port has another switch at its other end",
        explanation="Only the selected aggregator carries packets, and a port without a partner carries none. The "
        "ports of the switch are not in one group with LACP.",
        action="Put the ports of the switch into one LACP group (two switches have to be a pair, MLAG or a stack), and "
        "see with `teamdctl TEAM state` whether each port is then `selected: yes`, `state: current`.",
        reference=_PAGE,
        host=_alone,
        switch=True,
    ),
)
