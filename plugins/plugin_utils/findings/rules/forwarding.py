# SPDX-License-Identifier: GPL-3.0-or-later
"""What a router or a bridge should not do with the packets that it passes on."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host


def _merged(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # gro keeps what is needed to cut a packet again as it came, so it may stay on; lro does not.
        if nic.flag("physical") is not True or nic.value("features", "lro") is not True:
            continue
        above = nic.text("master")
        bridged = above != "" and host.bridge(above)
        if not host.forwards and not bridged:
            continue
        evidence = {"lro": "on", **({"port of the bridge": above} if bridged else {"forwarding": "on"})}
        fixed = nic.flag("features", "lro", "fixed") is True
        yield Hit(evidence, nic.name, remedy={} if fixed else nic_remedy(nic.name, features={"lro": False}))


RULES = (
    Rule(
        id="merging-while-forwarding",
        severity="high",
        title="A host merges packets that it only passes on",
        condition="the host routes packets, or the NIC is the port of a bridge, and the NIC has lro on",
        explanation="Large receive offload forgets how the packets were cut, so the merged ones are too large for the "
        "next link and are dropped. Guests, containers and hosts behind a router then see transfers that hang.",
        action="Switch lro off on this NIC; gro may stay on.",
        reference="https://docs.kernel.org/networking/segmentation-offloads.html",
        host=_merged,
    ),
)
