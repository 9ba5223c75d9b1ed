# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that two hosts of the fleet have at once."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Fleet
from ..wires import Place, subnets, together


def _twice(fleet: Fleet) -> Iterator[Hit]:
    for places in subnets(fleet).values():
        found: dict[str, list[Place]] = {}
        for place in places:
            # A cable that is not plugged in, such as that of a spare host, reaches nobody.
            if place.mac and all(nic.flag("carrier") is not False for nic in place.ports):
                found.setdefault(place.alone, []).append(place)
        for address, owners in sorted(found.items()):
            first = owners[0]
            # Routers of one gateway (anycast) share its MAC as well, and a cloud has many networks of the same numbers.
            others = [
                other
                for other in owners[1:]
                if other.host is not first.host and other.mac != first.mac and together(first, other) is not False
            ]
            if others and not first.site:
                known = any(together(first, other) for other in others)
                evidence = {
                    "address": address,
                    "MAC": first.mac,
                    "also at": [f"{other.host.name} {other.nic} {other.mac}" for other in others[:3]],
                    "share a link": "yes, by the neighbour table" if known else "not known",
                }
                yield Hit(evidence, first.nic, first.host.name, severity="" if known else "note")


RULES = (
    Rule(
        id="duplicate-address",
        severity="high",
        title="Two hosts have the same address",
        condition="an address is on NICs of two hosts that share a link, as their neighbours tell; where that is not "
        "known it is a note",
        explanation="Neighbours send to whoever answered last, so connections to both break off at random. Machines "
        "that were cloned with their /etc/machine-id get the same lease of DHCP, as systemd-networkd asks by that.",
        action="Give one of them another address; make a new machine-id on clones (`rm /etc/machine-id && "
        "systemd-machine-id-setup`), or set `ClientIdentifier=mac`.",
        reference="https://github.com/aws/eks-anywhere/issues/940",
        fleet=_twice,
    ),
)
