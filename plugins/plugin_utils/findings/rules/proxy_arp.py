# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that answer ARP for an address that another host on the same wire has."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Fleet, Host
from ..wires import network_of, on_a_wire

_Row = tuple[Host, Facts]


def _answered(fleet: Fleet) -> Iterator[Hit]:
    rows = [(host, row) for host in fleet.hosts for row in host.rows("addresses")]
    proxies = {row.text("mac"): (host, row) for host, row in rows if row.words("proxies") and row.text("mac")}
    if not proxies:
        return
    owners: dict[str, list[_Row]] = {}
    for host, row in rows:
        if on_a_wire(host, row):
            owners.setdefault(row.text("address").partition("/")[0], []).append((host, row))
    seen: dict[tuple[str, str], list[str]] = {}
    for client in fleet.hosts:
        for entry in client.rows("neighbours"):
            address, mac = entry.text("address"), entry.text("mac")
            if mac in proxies and _takes(proxies[mac], owners.get(address, []), client):
                seen.setdefault((mac, address), []).append(client.name)
    for (mac, address), clients in sorted(seen.items()):
        (wrong, row), (owner, own) = proxies[mac], owners[address][0]
        nic = row.text("nic")
        names = (f"net.ipv4.conf.{nic.replace('.', '/')}.{key}" for key in row.words("proxies"))
        keys = {name: 0 for name in names if wrong.sysctl(name) != "0"}
        if not keys:
            continue
        evidence = {
            "address": address,
            "belongs to": f"{owner.name} {own.text('nic')} {own.text('mac')}",
            "answered with the MAC": f"{mac} of {nic}",
            "so believed by": clients[:3],
            **dict.fromkeys(keys, 1),
        }
        yield Hit(evidence, nic, wrong.name, remedy={"tuning_host_sysctl": keys})


def _takes(proxy: _Row, owners: list[_Row], client: Host) -> bool:
    """Whether one other host has the address, and has one in the proxy's own network as well."""
    host, row = proxy
    if len(owners) != 1 or owners[0][0] is host or owners[0][0] is client or host is client:
        return False
    # An address in the network of the proxy that lies behind it, such as that of a VPN's client, is what it is for.
    network = network_of(row.text("address"))
    others = (each for each in owners[0][0].rows("addresses") if on_a_wire(owners[0][0], each))
    return bool(network) and any(network_of(each.text("address")) == network for each in others)


RULES = (
    Rule(
        id="proxy-arp-answers",
        severity="medium",
        title="A host answers ARP for an address that another one has",
        condition="the neighbour table of a host has an address of a second host with the MAC of a third one, whose "
        "NIC has proxy_arp or proxy_arp_pvlan on, and the second and third have addresses in one subnet",
        explanation="With proxy ARP a router says its own MAC for what it can reach, with proxy_arp_pvlan also for "
        "what is on the same wire. Whoever answers last is believed, so that packets for a virtual address go to the "
        "backup that does not have it.",
        action="Switch both off on this NIC, unless it stands for hosts that cannot be reached on this wire.",
        reference="https://github.com/acassen/keepalived/issues/1507",
        fleet=_answered,
    ),
)
