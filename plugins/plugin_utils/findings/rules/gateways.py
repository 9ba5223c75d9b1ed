# SPDX-License-Identifier: GPL-3.0-or-later
"""Default routes that lead nowhere: a gateway that is gone, and none at all; and addresses for want of a lease."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Host
from ..wires import on_a_wire

_BY_ITSELF = "169.254."


def _first(host: Host) -> Facts | None:
    """The default route that the kernel takes: the smallest metric, and of two that are equal the first one."""
    return min(host.rows("default_routes"), key=lambda row: row.count("metric"), default=None)


def _silent(host: Host) -> Iterator[Hit]:
    way = _first(host)
    if way is None or way.flag("silent") is not True or _without_wire(host, way.text("nic")):
        return
    evidence = {"default route": f"via {way.text('gateway')} dev {way.text('nic')}", "MAC of the gateway": "not told"}
    others = [row for row in host.rows("default_routes") if row.text("gateway") and row.flag("silent") is not True]
    # A network that has no router at all on purpose has no second one either.
    behind = [f"via {row.text('gateway')} dev {row.text('nic')}" for row in others]
    told = {"behind it": behind} if behind else {}
    yield Hit({**evidence, **told}, way.text("nic"), severity="high" if behind else "")


def _without_wire(host: Host, name: str) -> bool:
    """Whether it is a bridge or bond whose port is not there, which has a finding of its own."""
    gone = any(row.text("above") == name for row in host.rows("absent"))
    return gone and not any(nic.text("master") == name for nic in host.nics)


def _none(host: Host) -> Iterator[Hit]:
    way = _first(host)
    if way is None or way.text("gateway"):
        return
    rows = [row for row in host.rows("addresses") if ":" not in row.text("address") and on_a_wire(host, row)]
    own = [row.text("address") for row in rows if row.text("nic") == way.text("nic")]
    made = [address for address in own if address.startswith(_BY_ITSELF)]
    real = [row.text("address") for row in rows if not row.text("address").startswith(_BY_ITSELF)]
    if made and real:
        evidence = {"default route": f"dev {way.text('nic')}, no gateway", "address": made[0], "others": real}
        yield Hit(evidence, way.text("nic"))


def _made_up(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        rows = [row.text("address") for row in host.rows("addresses") if row.text("nic") == nic.name]
        own = [address for address in rows if address and ":" not in address]
        # One that the firmware of a server shows at USB has no other, nor has a cable between two machines.
        wire = nic.real and not nic.text("master") and not nic.driver.startswith("thunderbolt")
        # Smaller networks of these addresses are links between routers.
        made = all(address.startswith(_BY_ITSELF) and address.endswith("/16") for address in own)
        if wire and own and made:
            yield Hit({"address": own[0], "driver": nic.driver}, nic.name)


RULES = (
    Rule(
        id="gateway-silent",
        severity="medium",
        title="Nobody answers for the default gateway",
        condition="within the last minute the gateway of the default route of IPv4 with the smallest metric has not "
        "answered ARP; high where there is another default route behind it",
        explanation="Everything beyond the own networks goes there and is lost, while neighbours answer. The kernel "
        "does not turn to another default route as long as the link of the first one is up.",
        action="See cable, port and VLAN of that NIC, and whether the router still has that address. Where the route "
        "should not be there, take `gateway` (`use-routes: false` of netplan, `ipv4.never-default` of NetworkManager) "
        "out of the configuration of its NIC, or give it the larger metric.",
        reference="https://github.com/FABtotum/fabui-colibri/issues/24",
        host=_silent,
        switch=True,
    ),
    Rule(
        id="default-route-without-gateway",
        severity="high",
        title="The default route leads to the wire itself, as an address was made up for want of DHCP",
        condition="the default route of IPv4 with the smallest metric has no gateway, and its NIC an address of "
        "169.254.0.0/16, while the host has another address of IPv4 on a wire",
        explanation="A DHCP client that gets no lease makes up such an address, and dhcpcd a default route with it. "
        "The host then looks for the whole internet on its own wire.",
        action="Have DHCP or the static configuration give the NIC its gateway (`static routers=` in dhcpcd.conf), and "
        "keep the client from making up addresses (`noipv4ll`), or end it where others configure the NIC.",
        reference="https://github.com/pi-hole/pi-hole/issues/3656",
        host=_none,
    ),
    Rule(
        id="address-without-lease",
        severity="note",
        title="A NIC has made up its address, as no DHCP server answered",
        condition="the only address of IPv4 of a NIC with a cable is one of 169.254.0.0/16",
        explanation="Nobody has given it an address, so it has taken one by which it reaches only others of its kind. "
        "Cameras and other devices that are connected directly are used in this way on purpose.",
        action="If it should have a lease, see whether its port is in the right VLAN, whether the DHCP server has "
        "addresses left, and whether spanning tree holds the port back while the client asks (`portfast`, `edge`).",
        reference="https://github.com/guysoft/OctoPi/issues/751",
        host=_made_up,
        switch=True,
    ),
)
