# SPDX-License-Identifier: GPL-3.0-or-later
"""What a router should not do with the packets that it passes on."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host


def _merged(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not host.forwards or nic.count("fastest") < 10000 or nic.flag("physical") is not True:
            continue
        on = [key for key in ("gro", "lro") if nic.value("features", key) is True]
        loose = [key for key in on if nic.flag("features", key, "fixed") is not True]
        if loose:
            evidence = {
                **dict.fromkeys(on, "on"),
                "forwarding": "on",
                "fastest link mode": f"{nic.count('fastest')}Mb/s",
            }
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, features=dict.fromkeys(loose, False)))


RULES = (
    Rule(
        id="merging-while-forwarding",
        severity="medium",
        title="A router merges packets that it only passes on",
        condition="the host forwards packets, and a NIC that can do 10000 Mb/s or more has gro or lro on",
        explanation="Merged packets must be cut again for the next link, which costs a router time, and lro even "
        "changes them. Hosts at the ends of a connection keep these features.",
        action="Switch gro and lro off on the fast NICs of the router.",
        reference="https://docs.kernel.org/networking/segmentation-offloads.html",
        host=_merged,
    ),
)
