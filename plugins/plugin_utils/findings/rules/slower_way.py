# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ways into one subnet, of which the kernel takes the slower one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from ..model import Hit, Rule
from ..view import Host, Nic
from .routing import shared_subnets

# Bytes, and packets, from which on it says something; within an interval a tenth is enough.
_BYTES, _PACKETS = 10_000_000_000, 1_000_000
_SHARE = 10


def _slower(host: Host) -> Iterator[Hit]:
    for network, members in sorted(shared_subnets(host).items()):
        nics = [nic for nic in (host.nic(name) for name, _address in members) if nic and nic.real and nic.speed]
        for slow, fast in permutations(nics, 2):
            if fast.speed >= 2 * slow.speed and _one_way(slow, fast):
                evidence = {
                    "subnet": network,
                    f"sent by {slow.name}, {slow.speed}Mb/s": _bytes(slow, "tx_bytes"),
                    f"sent by {fast.name}, {fast.speed}Mb/s": _bytes(fast, "tx_bytes"),
                    f"received by {slow.name}": f"{slow.packets} packets",
                    f"received by {fast.name}": f"{fast.packets} packets",
                }
                yield Hit(evidence, fast.name, action=_FIRST.format(fast.name, slow.name, network))


def _one_way(slow: Nic, fast: Nic) -> bool:
    """Whether others ask the fast one, and the slow one answers."""
    scale = 10 if slow.number("counters", "interval") else 1
    sent = slow.counted("tx_bytes")[0]
    enough = sent * scale >= _BYTES and fast.packets * scale >= _PACKETS
    return enough and sent >= _SHARE * fast.counted("tx_bytes")[0] and fast.packets >= 2 * slow.packets


def _bytes(nic: Nic, name: str) -> str:
    count, since = nic.counted(name)
    return f"{count / 1e9:.1f} GB {since}"


_FIRST = (
    "Let one NIC alone have an address in {2}: the simplest is to take the cable of {1} out, or to give it another "
    "subnet. Else give the route of {0} the smaller metric (`ipv4.route-metric` of NetworkManager, `RouteMetric=` of "
    "systemd-networkd), or each address a table of its own (`ip rule`); a bond of active-backup with {0} as primary "
    "has both cables."
)

RULES = (
    Rule(
        id="slower-way-out",
        severity="medium",
        title="What the faster NIC is asked for leaves by the slower one",
        condition="of two NICs in one subnet of IPv4 the slower one, of half the speed or less, has sent at least 10 "
        "GB (1 GB within an interval), ten times as much as the faster one, while the faster one has received at "
        "least 1000000 packets (100000), twice as many as the slower one",
        explanation="For a subnet the kernel takes one route, whatever NIC was asked and whatever speed it has: that "
        "of the smaller metric, or the one that came first. So reads are slow and writes are fast.",
        action="Let the faster NIC alone have an address in this subnet, or give its route the smaller metric.",
        reference="https://github.com/bb-qq/r8152/issues/318",
        host=_slower,
        proven=True,
    ),
)
