# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of switches, by what they tell of themselves over LLDP."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host

_PAGE = "https://www.ieee802.org/1/pages/802.1AB-rev.html"

# Header and checksum of a frame, which the size that LLDP tells may or may not contain.
_AROUND = 18


def _frames(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        size, mtu = nic.count("lldp", "frame_size"), nic.count("mtu")
        carried = any(
            peer.text("nic") == nic.name and peer.flag("carries") is True and peer.count("mtu") == mtu
            for peer in host.rows("peers")
        )
        # All switches take 1500; some tell a size without header or checksum.
        if nic.linked and mtu > 1500 and 0 < size < mtu and not carried:
            evidence = {"mtu": mtu, "largest frame of the switch port": size}
            yield Hit(evidence, nic.name, remedy=nic_remedy(_above(host, nic.name), mtu=max(1500, size - _AROUND)))


def _above(host: Host, nic: str) -> str:
    """The bond of a member, which has the MTU of all of them."""
    bonds = host.below("bonds").items()
    return next((bond for bond, facts in bonds if nic in facts.below("members")), nic)


def _vlans(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        ports = {nic.name: nic.count("lldp", "vlan") for nic in host.under(bond) if nic.count("lldp", "vlan")}
        if len(set(ports.values())) > 1 and len(ports) == len(facts.below("members")):
            yield Hit({f"VLAN of the port of {name}": vlan for name, vlan in ports.items()}, bond)


RULES = (
    Rule(
        id="switch-port-frame-size",
        severity="medium",
        title="The port of the switch takes smaller frames than the NIC sends",
        condition="the MTU is above 1500 and above the largest frame that the port of the switch announces over LLDP, "
        "and no path_check has shown that it passes",
        explanation="The switch silently drops frames that are too large. Small packets pass, so that logins work and "
        "transfers hang.",
        action="Raise the frame size of the port, or lower the MTU to what it accepts.",
        reference=_PAGE,
        host=_frames,
        switch=True,
    ),
    Rule(
        id="bond-ports-in-different-vlans",
        severity="high",
        title="The members of a bond are connected to different VLANs",
        condition="the switch ports of all members announce their VLAN over LLDP, and these differ",
        explanation="One of the cables is in the wrong port, or one port is configured wrongly. What the bond sends "
        "through that member reaches nobody, either now or when the other one fails.",
        action="Put the ports into the same VLAN, or the cable into the right port.",
        reference=_PAGE,
        host=_vlans,
        switch=True,
    ),
)
