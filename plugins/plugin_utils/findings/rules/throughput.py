# SPDX-License-Identifier: GPL-3.0-or-later
"""What measurements tell: a path that is slower in one direction, and clients that got in each other's way."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface
from statistics import median
from typing import Any

from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Fleet, Host, Nic


def _flows(measured: Facts) -> Iterator[Facts]:
    """Of single flows where there are some, for those of many at once share a link; never of UDP or small packets."""
    runs = measured.rows("runs")
    alone = [run for run in runs if run.text("kind") == "single"]
    for run in alone or [run for run in runs if run.text("kind") not in ("udp", "packets")]:
        yield from run.rows("flows")


def lopsided(measured: Facts) -> dict[tuple[str, str], tuple[float, float]]:
    """The Mbit/s up and down between clients and servers where one direction is much slower than the other."""
    pairs: dict[tuple[str, str], dict[str, list[float]]] = {}
    for flow in _flows(measured):
        ways = pairs.setdefault((flow.text("client"), flow.text("server")), {"up": [], "down": []})
        for way, rates in ways.items():
            rate = flow.number("bits_per_second", way)
            rates += [rate / 1e6] if rate else []
    both = {who: ways for who, ways in sorted(pairs.items()) if all(ways.values())}
    found = {who: (median(ways["up"]), median(ways["down"])) for who, ways in both.items()}
    return {who: (up, down) for who, (up, down) in found.items() if min(up, down) < 0.75 * max(up, down)}


def _asymmetric(fleet: Fleet) -> Iterator[Hit]:
    names = {host.name for host in fleet.hosts}
    for (client, server), (up, down) in lopsided(fleet.measured).items():
        if client in names:
            evidence = {
                f"{client} to {server or 'server'}": f"{up:.0f} Mbit/s",
                f"{server or 'server'} to {client}": f"{down:.0f} Mbit/s",
                "slower sender": client if up < down else server,
            }
            slow = client if up < down or server not in names else server
            yield Hit(evidence, host=slow)


def _sent_to_many(run: Facts) -> Iterator[tuple[str, dict[str, float]]]:
    """Who sends to several at once in a run, and the rate of each of those."""
    for way, sender, other in (("down", "server", "client"), ("up", "client", "server")):
        rates: dict[str, dict[str, float]] = {}
        for flow in run.rows("flows"):
            rate = flow.number("bits_per_second", way)
            if rate is not None:
                rates.setdefault(flow.text(sender), {})[flow.text(other)] = rate
        yield from ((name, found) for name, found in rates.items() if len(found) > 1)


def _crowds(fleet: Fleet) -> Iterator[tuple[Nic, dict[str, float], list[int]]]:
    """NICs that served fewer queues than clients though they have more, the rates of the clients, bytes by queue."""
    hosts = {host.name: host for host in fleet.hosts}
    for run in fleet.measured.rows("runs"):
        for name, rates in _sent_to_many(run):
            if name not in hosts:
                continue
            for sender in Facts(run.at("queues", name)).raw:
                nic = hosts[name].nic(sender) or Nic(hosts[name], sender, {})
                queues = Facts(run.at("queues", name)).numbers(sender)[: _queues(fleet, nic) or None]
                if 0 < len(_busy(queues, rates)) < min(len(rates), len(queues)) and not nic.rows("queues", "filters"):
                    yield nic, rates, queues


def _queues(fleet: Fleet, nic: Nic) -> int:
    """The transmit queues in use; of a NIC that is no hardware the measurement knows them."""
    channels = Facts(fleet.measured.at("hosts", nic.host.name, "nics", nic.name, "channels"))
    return nic.count("queues", "tx") or channels.count("combined") or channels.count("tx")


def _busy(queues: list[int], rates: dict[str, float]) -> list[int]:
    """The queues that carried half of what the slowest client got, or more: others have requests and headers only."""
    least = sum(queues) * min(rates.values()) / (sum(rates.values()) or 1.0) / 2
    return [sent for sent in queues if sent > least]


def _crowded(fleet: Fleet) -> Iterator[Hit]:
    hosts = {host.name: host for host in fleet.hosts}
    worst: dict[tuple[str, str], Hit] = {}
    for nic, rates, queues in sorted(_crowds(fleet), key=lambda crowd: _share(crowd[1])):
        if _share(rates) < 0.75:
            slow, fast = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
            evidence = {
                "clients at once": len(rates),
                "transmit queues that served them": f"{len(_busy(queues, rates))} of {len(queues)}",
                "slowest": f"{slow}, {rates[slow] / 1e6:.3g} Mbit/s",
                "fastest": f"{fast}, {rates[fast] / 1e6:.3g} Mbit/s",
            }
            remedy = _queue_for_each(nic, len(queues), [hosts[client] for client in rates if client in hosts])
            worst.setdefault((nic.host.name, nic.name), Hit(evidence, nic.name, nic.host.name, remedy))
    yield from worst.values()


def _share(rates: dict[str, float]) -> float:
    """The slowest rate as a part of the fastest."""
    return min(rates.values()) / (max(rates.values()) or 1.0)


def _queue_for_each(nic: Nic, queues: int, clients: list[Host]) -> dict[str, Any]:
    """The inventory with a queue for each client; empty where the NIC cannot have as many."""
    near = {address.network for address in _addresses(nic.host, nic.name)}
    found = sorted({one.ip for client in clients for one in _addresses(client) if one.network in near})
    key = "combined" if nic.maximum("channels", "combined") else "tx"
    if not found or len(found) >= max(queues, nic.maximum("channels", key) or 0):
        return {}
    more: dict[str, Any] = {} if queues > len(found) else {"channels": {key: "max"}}
    return nic_remedy(nic.name, **more, multiq={"clients": [str(address) for address in found]})


def _addresses(host: Host, nic: str = "") -> Iterator[Any]:
    """The IPv4 addresses of a host with their networks; of one NIC where it is named."""
    for row in host.rows("addresses"):
        try:
            address = ip_interface(row.text("address"))
        except ValueError:
            continue
        if address.version == 4 and (not nic or row.text("nic") == nic):
            yield address


RULES = (
    Rule(
        id="throughput-asymmetric",
        severity="high",
        title="One direction is much slower than the other",
        condition="a benchmark has measured less than 75 % of one direction in the other",
        explanation="A cable or a slot mostly slows down both directions alike. More often it is the sender (its "
        "chip, its offloads), missing flow control from a fast link to a slow one, or a receiver that loses packets.",
        action="Look at the other findings of the slower sender first: quirks of its chip, then flow control; then at "
        "what the receiver loses. Another cable and another port of the switch tell whether it is those.",
        reference="https://software.es.net/iperf/",
        fleet=_asymmetric,
    ),
    Rule(
        id="clients-crowd-queues",
        severity="high",
        title="Clients crowd in some queues while others are idle",
        condition="in a benchmark one host sent to many at once through fewer queues than it has and than there were "
        "clients, and the slowest of these got less than 75 % of the fastest",
        explanation="mq chooses the queue by a hash, so some clients share one. If a queue carries only what one "
        "client can take, for example because a switch holds it back for a slower port, each of them gets a half or a "
        "third of that.",
        action="Give each client a queue of its own.",
        reference="https://docs.kernel.org/networking/multiqueue.html",
        fleet=_crowded,
    ),
)
