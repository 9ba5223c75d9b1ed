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


def _ungrouped(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        ports = [nic for nic in host.under(bond) if nic.text("lldp", "switch")]
        # What is no bridge is another host, heard through a switch that says nothing.
        ports = [nic for nic in ports if nic.flag("lldp", "bridge") is not False]
        if facts.text("mode") not in ("balance-rr", "balance-xor") or len(ports) < 2:
            continue
        grouped = [nic.flag("lldp", "aggregated") for nic in ports]
        groups = {nic.count("lldp", "group") for nic in ports}
        apart = len({nic.text("lldp", "switch") for nic in ports}) > 1
        # Two switches that act as one give the members one group.
        if all(grouped) and (len(groups) == 1 or apart):
            continue
        # Nobody tells whether two switches are connected; for two that are not this mode is made.
        told = not apart and (False in grouped or all(grouped))
        said = {nic.name: _GROUPED[nic.flag("lldp", "aggregated")] for nic in ports}
        numbers = {f"group of {nic.name}": nic.count("lldp", "group") for nic in ports if nic.count("lldp", "group")}
        evidence = {"mode": facts.text("mode"), **said, **numbers}
        yield Hit(evidence, bond, severity="" if told else "note", action=_APART if apart else "")


_GROUPED = {True: "in a group", False: "in no group", None: "does not tell of a group"}
_APART = (
    "If the two switches are not connected to each other, and all hosts have a port at each, nothing is wrong: this "
    "mode is made for that. If they act as one (MLAG, a stack), put the ports into one group there. Else take both "
    "cables to one switch and put its ports into a static group, or set mode active-backup."
)

# The private flag of a driver for the agent in its firmware, and its value when that does not take LLDP away.
_AGENTS = {"i40e": ("disable-fw-lldp", True), "ice": ("fw-lldp-agent", False)}


def _taken(host: Host) -> Iterator[Hit]:
    # Somebody listens here, or no port would be known.
    if not any(nic.switch_port for nic in host.nics):
        return
    for nic in host.nics:
        flag, free = _AGENTS.get(nic.driver, ("", False))
        if flag and nic.linked and not nic.switch_port and nic.value("private_flags", flag) is (not free):
            evidence = {"driver": nic.driver, flag: "off" if free else "on", "neighbour by LLDP": "none"}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, private_flags={flag: free}))


RULES = (
    Rule(
        id="round-robin-without-group",
        severity="medium",
        title="The ports of a bond without LACP are not one group of the switch",
        condition="a bond of mode balance-rr or balance-xor has members whose switch announces over LLDP that their "
        "ports are in no group or in different ones; a note where a switch that speaks LLDP does not tell of groups, "
        "or the members lead to different switches",
        explanation="These modes send from one address through all members. A switch whose ports are no group learns "
        "that address at another port again and again, so what is sent back goes to one port at a time, and some "
        "switches drop it. Switches that cannot be managed often bear it; those that can need a static group.",
        action="Put the ports into one static group (a trunk, or channel group of mode on) of the switch, or bond with "
        "LACP (`mode: 802.3ad`).",
        reference="https://docs.kernel.org/networking/bonding.html#switch-configuration",
        host=_ungrouped,
        switch=True,
    ),
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
    Rule(
        id="lldp-taken-by-firmware",
        severity="note",
        title="The firmware of a NIC keeps LLDP to itself",
        condition="a NIC of i40e or ice with a link has heard no neighbour, the agent in its firmware is on, and other "
        "ports of the host have heard theirs",
        explanation="Intel's cards have an agent for DCB in their firmware, which takes every frame of LLDP, so that "
        "lldpd and what depends on it hear nothing on these ports. It also answers the switch in its own name.",
        action="Switch the agent off (`private_flags` of the NIC), unless DCB of the switch is meant to rule the "
        "queues of this card.",
        reference="https://github.com/lldpd/lldpd/issues/444",
        host=_taken,
    ),
)
