# SPDX-License-Identifier: GPL-3.0-or-later
"""The own network behind a tunnel: answers that leave by another way than they were asked."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _led_away(host: Host) -> Iterator[Hit]:
    for row in host.rows("detours"):
        network, tunnel, priority = row.text("network"), row.text("by"), row.count("priority")
        evidence = {
            "network of the wire": f"{network} by {row.text('nic')}",
            f"table {row.text('table')}": f"{network} by {tunnel}",
            "priority of its rule": priority,
        }
        first = _OF_TAILSCALE if tunnel.startswith("tailscale") else _OF_OTHERS
        yield Hit(evidence, row.text("nic"), action=f"{first} {_STAY.format(network, priority - 10)}")


_OF_TAILSCALE = "Do not take the routes of the own network on this host (`tailscale set --accept-routes=false`)."
_OF_OTHERS = "Take the own network out of what the tunnel carries (`AllowedIPs`, or the route that its server pushes)."
_STAY = (
    "Where it needs the other routes, let packets for the own network ask the main table first: `ip rule add to {0} "
    "priority {1} lookup main`, in the configuration of the network as well."
)

RULES = (
    Rule(
        id="own-network-by-tunnel",
        severity="medium",
        title="What is meant for the own network goes into a tunnel",
        condition="a table of routes that all packets ask before the main one leads a network of IPv4, to which a NIC "
        "is connected, into WireGuard or the tunnel of a program, and by no route that is wider than a /8",
        explanation="Neighbours ask this host over the wire, and it answers through the tunnel: they drop what comes "
        "another way, or all traffic of the own network takes the detour. A router for that network elsewhere, such "
        "as a subnet router of Tailscale, offers the route to every host, also to those that are in it.",
        action="Take the own network out of what the tunnel carries.",
        reference="https://github.com/tailscale/tailscale/issues/6231",
        host=_led_away,
    ),
)
