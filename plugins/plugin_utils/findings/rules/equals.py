# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that are alike: one whose link is slower than those of all others with the same card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Fleet, Nic
from ..wires import subnets
from .link import FIXED, fixed, negotiate, slower_than_both

# With fewer hosts nobody knows which of them is the rule; and so many of them, in percent, may be the exception.
_ALIKE, _FEW = 4, 25


def _outliers(fleet: Fleet) -> Iterator[Hit]:
    told: set[int] = set()
    for network, members in sorted(subnets(fleet).items()):
        cards: dict[tuple[str, str], list[Nic]] = {}
        for member in members:
            for port in member.ports:
                if port.real and port.speed and port.text("pci_id") and port not in cards.get(_card(port), ()):
                    cards.setdefault(_card(port), []).append(port)
        for ports in cards.values():
            speed, count = Counter(port.speed for port in ports).most_common(1)[0]
            slow = [port for port in ports if port.speed < speed]
            usual = count + len(slow) == len(ports) and len({port.host.name for port in ports}) >= _ALIKE
            if not slow or not usual or len(slow) * 100 > _FEW * len(ports):
                continue
            for port in slow:
                # What both ends could do has a rule of its own.
                if id(port) not in told and port.count("fastest") >= speed and not slower_than_both(port):
                    told.add(id(port))
                    own, offered = fixed(port), port.words("partner_modes")
                    evidence = {
                        "Speed": f"{port.speed}Mb/s",
                        "the same card elsewhere": f"{speed}Mb/s on {count} ports in {network}",
                        **({"Auto-negotiation": "off"} if own else {}),
                        **({"Link partner advertised link modes": offered} if offered and not own else {}),
                    }
                    remedy = negotiate(port) if own else {}
                    yield Hit(evidence, port.name, port.host.name, remedy, FIXED if own else "")


def _card(nic: Nic) -> tuple[str, str]:
    return nic.driver, nic.text("pci_id")


RULES = (
    Rule(
        id="link-slower-than-others",
        severity="medium",
        title="The link is slower than those of all other hosts with the same card",
        condition="of at least four hosts with the same card in one subnet, a quarter at most have a slower link than "
        "the others, which their card could have as well",
        explanation="The other end offers no more, so it is another switch, another port, or one with a fixed speed. "
        "Whatever spreads its data over all hosts, such as HDFS or Ceph, then waits for the slowest one.",
        action="Plug this host into a port like those of the others, or let that port offer the speed; see transceiver "
        "and cable, too.",
        reference="https://docs.cloudera.com/runtime/7.2.6/scaling-namespaces/topics/hdfs-detecting-slow-datanodes.html",
        fleet=_outliers,
        switch=True,
    ),
)
