# SPDX-License-Identifier: GPL-3.0-or-later
"""VLANs that the other end of the cable does not know."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

# By itself a device sends some packets when it comes up; the wire below must carry more than that, too.
_SENT, _HEARD = 100, 10_000


def _deaf(host: Host) -> Iterator[Hit]:
    for row in host.rows("vlans"):
        below = row.text("below")
        ports = host.under(below) or [nic for nic in host.nics if nic.text("master") == below]
        heard = sum(nic.count("counters", "total", "rx_packets") for nic in ports if nic.linked)
        if row.count("sent") >= _SENT and heard >= _HEARD:
            silent = row.count("unanswered")
            evidence = {
                "VLAN": row.count("id"),
                f"sent by {row.text('nic')}": f"{row.count('sent')} packets, and none received",
                f"received by {', '.join(nic.name for nic in ports)}": f"{heard} packets",
                **({"neighbours that do not answer ARP": silent} if silent else {}),
            }
            yield Hit(evidence, ports[0].name if len(ports) == 1 else "", severity="low" if silent else "")


RULES = (
    Rule(
        id="vlan-hears-nothing",
        severity="note",
        title="Nothing comes back in a VLAN",
        condition="a VLAN has sent at least 100 packets and received none since it was made, while the NICs below have "
        "received at least 10000; low where a neighbour in it does not answer ARP",
        explanation="The port of the switch does not carry that VLAN tagged, so that each packet of it is dropped. A "
        "VLAN in which nobody else is yet looks the same.",
        action="Make the port of the switch a tagged member of that VLAN, on each switch of the way; where a bridge "
        "with VLAN filtering lies between, let both ports have it (`bridge vlan show`). If the port is to carry one "
        "network only, put the address on the NIC itself.",
        reference="https://grokdatum.github.io/grokdevops-wiki/library/scenarios/networking/vlan-trunk-mismatch",
        host=_deaf,
        switch=True,
    ),
)
