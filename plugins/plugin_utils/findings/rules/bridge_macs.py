# SPDX-License-Identifier: GPL-3.0-or-later
"""Bridges whose MAC belongs to somebody who may go."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _borrowed(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        name, port = row.text("name"), row.text("mac_of")
        # The address is the host's own, and the wire below carries it.
        own = [each for each in host.rows("addresses") if each.text("nic") == name and each.words("hardware")]
        if port and own:
            below = sorted({nic for each in own for nic in each.words("hardware")})
            evidence = {"bridge": name, "address": own[0].text("address"), "MAC": own[0].text("mac"), "MAC of": port}
            yield Hit({**evidence, "hardware below": below})


RULES = (
    Rule(
        id="bridge-has-mac-of-guest",
        severity="medium",
        title="A bridge has the MAC of a guest, and changes it when that ends",
        condition="nobody has given a MAC to a bridge that has an address of this host and hardware below, and the one "
        "it has is that of a port of a guest or container only",
        explanation="A bridge without a MAC of its own takes the smallest one of its ports, and another one when a "
        "guest starts or ends. Routers and neighbours send to the old one until their entry expires, so that the host "
        "cannot be reached for seconds or minutes.",
        action="Give the bridge the MAC of its NIC or bond: `bridge.mac-address` of NetworkManager, `MACAddress=` in "
        "the .netdev of systemd-networkd, `macaddress` of netplan, `bridge_hw` of ifupdown.",
        reference="https://github.com/harvester/harvester/issues/11260",
        host=_borrowed,
    ),
)
