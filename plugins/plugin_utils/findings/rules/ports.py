# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of bridges and bonds that have addresses of their own."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

from ..model import Hit, Rule
from ..view import Host


def _own(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        master = nic.text("master")
        if not master or not (host.bridge(master) or master in host.below("bonds") or _stands_in(host, master)):
            continue
        own, above = _addresses(host, nic.name), _addresses(host, master)
        routes = [row for row in host.rows("default_routes") if row.text("nic") == nic.name]
        shared = {_network(one) for one in own} & {_network(one) for one in above}
        if own:
            evidence = {
                f"address of {nic.name}": own,
                "port of": master,
                **({f"address of {master}": above} if above else {}),
                **({"default route": f"dev {nic.name}"} if routes else {}),
            }
            action = _FUNCTION if _stands_in(host, master) else ""
            yield Hit(evidence, nic.name, severity="high" if routes or shared else "", action=action)


def _stands_in(host: Host, master: str) -> bool:
    """Whether it is the NIC that Hyper-V puts in front of a virtual function, which may come and go."""
    above = host.nic(master)
    return above is not None and above.driver == "hv_netvsc"


_FUNCTION = (
    "Leave the virtual function to the NIC in front of it, which alone has the address and stays when the function is "
    'taken away for maintenance: mark it as unmanaged (a udev rule with `DRIVERS=="hv_pci", ENV{NM_UNMANAGED}="1"` '
    "for NetworkManager, `Unmanaged=yes` in a .network file, as images of Azure have them), and restart the host."
)


def _addresses(host: Host, name: str) -> list[str]:
    """Those of IPv4; of IPv6 each device may have made one by itself before it became a port."""
    rows = (row.text("address") for row in host.rows("addresses") if row.text("nic") == name)
    return sorted(address for address in rows if address and ":" not in address)


def _network(address: str) -> str:
    try:
        return str(ip_interface(address).network)
    except ValueError:
        return address


RULES = (
    Rule(
        id="address-on-port",
        severity="medium",
        title="The port of a bridge or bond has an address of its own",
        condition="a NIC that is the port of a bridge or bond, or the virtual function behind a NIC of Hyper-V, has an "
        "address of IPv4; high where a default route "
        "leaves by it, or its master has an address of the same subnet",
        explanation="What arrives at a port belongs to its master, so that the address cannot be used, but the routes "
        "of it are: packets leave by the port and their answers arrive at the master. Mostly a DHCP client or a "
        "second manager serves the port as if it were alone.",
        action="Leave the port without an address (`iface NIC inet manual` of ifupdown, `dhcp4: false` of netplan, "
        "`denyinterfaces` in dhcpcd.conf, or unmanaged for NetworkManager), and give it to the bridge or bond alone.",
        reference="https://github.com/pimox/pimox7/issues/20",
        host=_own,
    ),
)
