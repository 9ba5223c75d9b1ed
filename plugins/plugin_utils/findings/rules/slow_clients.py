# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow clients of a port with flow control: one of them stops the port for all, unless its queue has a rate."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from statistics import median
from typing import NamedTuple

from ...rates import of_host
from ..model import Hit, Rule, nic_remedy
from ..view import Fleet, Host, Nic
from .pause_storms import told_to_wait

_PAGE = "https://docs.kernel.org/networking/ethtool-netlink.html#pause-get"
# What a rate takes off the speed of a link, and what rounding may.
_ROOM = 0.95


class _Client(NamedTuple):
    """An address of the fleet, as a number too, and the Mbit/s that its link can carry."""

    position: tuple[int, int]
    address: str
    host: Host
    rate: float


def _clients(fleet: Fleet) -> list[_Client]:
    """All addresses whose link tells its speed, in order: to search all for each NIC would take the fleet's square."""
    found = []
    for host in fleet.hosts:
        for address, rate in of_host(host).items():
            try:
                known = ip_address(address)
            except ValueError:
                continue
            found.append(_Client(_numbered(known), address, host, float(rate)))
    return sorted(found, key=_position)


def _numbered(address: IPv4Address | IPv6Address) -> tuple[int, int]:
    return address.version, int(address)


def _position(client: _Client) -> tuple[int, int]:
    return client.position


def _served(nic: Nic, clients: list[_Client]) -> dict[str, float]:
    """The Mbit/s that the link of each client of a NIC can carry, by address: who shares a subnet with it."""
    found = {}
    for row in nic.host.rows("addresses"):
        if nic.name not in (row.words("hardware") or [row.text("nic")]):
            continue
        try:
            network = ip_interface(row.text("address")).network
        except ValueError:
            continue
        if network.num_addresses > 1:
            first, last = (_numbered(network[end]) for end in (0, -1))
            near = clients[bisect_left(clients, first, key=_position) : bisect_right(clients, last, key=_position)]
            found.update({client.address: client.rate for client in near if client.host is not nic.host})
    return found


def _rates(nic: Nic) -> dict[str, float]:
    """The Mbit/s of the queue of each client that has a rate."""
    value = nic.value("multiq", "rate")
    found = {}
    for word in value if isinstance(value, (list, tuple)) else ():
        whom, _equals, rate = str(word).rpartition("=")
        try:
            found[whom] = float(rate)
        except ValueError:
            continue
    return found


def _mapped(nic: Nic) -> list[str]:
    """The clients that have a queue each, in the words of the inventory."""
    value = nic.value("multiq", "clients")
    words = [str(word) for word in value] if isinstance(value, (list, tuple)) else []
    return [word for word in words if word != "others=0" and not word.startswith("pref ")]


def _stops(fleet: Fleet) -> Iterator[Hit]:
    clients = _clients(fleet)
    for nic in fleet.nics():
        if not nic.real or nic.value("pause", "rx") is not True:
            continue
        links, rates = _served(nic, clients), _rates(nic)
        fastest = max(links.values(), default=0)
        # A NIC that is as slow itself has nobody to keep waiting.
        much = 0.5 * min(fastest, nic.speed or fastest)
        slow = {address: link for address, link in links.items() if link < much and address not in rates}
        mapped = _mapped(nic)
        # Any host of the subnet may send to any other; a router has many clients at once, and who is faster than most.
        serves = mapped or nic.host.forwards or told_to_wait(nic) or 0.98 * nic.speed > median(links.values() or [0])
        if slow and serves:
            evidence: dict[str, object] = {"RX": True, "clients of this NIC in the fleet": len(links)}
            evidence.update({f"link of {address}": f"{link / 0.98:g}Mb/s" for address, link in sorted(slow.items())})
            evidence["links of others, up to"] = f"{fastest / 0.98:g}Mb/s"
            remedy = nic_remedy(nic.name, multiq={"clients": mapped, "rate": "auto"}) if mapped else {}
            # Many hosts have this, and few suffer from it; those are told to wait, or their clients have a queue each.
            harm = bool(mapped) or told_to_wait(nic)
            yield Hit(evidence, nic.name, nic.host.name, remedy, severity="" if harm else "note")


def _differs(fleet: Fleet) -> Iterator[Hit]:
    clients = _clients(fleet)
    for nic in fleet.nics():
        rates = _rates(nic)
        links = _served(nic, clients) if rates else {}
        for above in (True, False):
            wrong = {
                address: (rate, links[address])
                for address, rate in sorted(rates.items())
                if address in links and (rate * _ROOM > links[address] if above else rate < _ROOM * links[address])
            }
            if wrong:
                evidence = {
                    address: f"rate {rate:g} Mbit/s, link {link / 0.98:g}Mb/s"
                    for address, (rate, link) in wrong.items()
                }
                remedy = nic_remedy(nic.name, multiq={"clients": _mapped(nic), "rate": "auto"})
                # Above its link a rate is as good as none; below it only this client is slower than it could be.
                yield Hit(evidence, nic.name, nic.host.name, remedy, severity="" if above else "low")


RULES = (
    Rule(
        id="slow-client-stops-port",
        severity="high",
        title="One slow client stops the port for all others",
        condition="the NIC honours pause frames, and the link of a client in its subnet is less than half as fast as "
        "that of another, without a rate for its queue; a note where neither clients have queues nor the NIC was "
        "told to wait",
        explanation="A switch with small buffers pauses the whole port as soon as the buffer of one client is full. "
        "All others then come down to the speed of the slow one, whatever queue or priority they have.",
        action="Check the cable of the slow client. Until then give each client a queue with a rate (`rate: auto` of "
        "multiq), which keeps the switch from pausing.",
        reference=_PAGE,
        fleet=_stops,
    ),
    Rule(
        id="clients-rate-differs",
        severity="high",
        title="The rate of a client does not match its link",
        condition="the queue of a client has a rate above the speed of its link; low where it is below",
        explanation="The rate was set when the link had another speed. Above that of the link it does not keep the "
        "switch from pausing the port; below it the client gets less than it could.",
        action="Run site, which reads the speeds again, and check the cable of a link that has become slower.",
        reference=_PAGE,
        fleet=_differs,
    ),
)
