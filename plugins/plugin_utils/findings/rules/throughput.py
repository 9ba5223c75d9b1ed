# SPDX-License-Identifier: GPL-3.0-or-later
"""What measurements tell: a path that is slower in one direction."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..model import Hit, Rule
from ..view import Facts, Fleet


def _flows(measured: Facts) -> Iterator[Facts]:
    """Of single flows where there are some, for those of many at once share a link."""
    runs = measured.rows("runs")
    alone = [run for run in runs if run.text("kind") == "single"]
    for run in alone or runs:
        yield from run.rows("flows")


def _asymmetric(fleet: Fleet) -> Iterator[Hit]:
    pairs: dict[tuple[str, str], dict[str, list[float]]] = {}
    for flow in _flows(fleet.measured):
        client, server = flow.text("client"), flow.text("server")
        ways = pairs.setdefault((client, server), {"up": [], "down": []})
        for way, rates in ways.items():
            rate = flow.number("bits_per_second", way)
            rates += [rate / 1e6] if rate else []
    names = {host.name for host in fleet.hosts}
    for (client, server), ways in sorted(pairs.items()):
        if not all(ways.values()) or client not in names:
            continue
        up, down = median(ways["up"]), median(ways["down"])
        if min(up, down) < 0.75 * max(up, down):
            evidence = {
                f"{client} to {server or 'server'}": f"{up:.0f} Mbit/s",
                f"{server or 'server'} to {client}": f"{down:.0f} Mbit/s",
                "slower sender": client if up < down else server,
            }
            slow = client if up < down or server not in names else server
            yield Hit(evidence, host=slow)


RULES = (
    Rule(
        id="throughput-asymmetric",
        severity="high",
        title="One direction is much slower than the other",
        condition="a benchmark has measured less than 75 % of one direction in the other",
        explanation="Cable, slot and buffers serve both directions, so they are not the cause. It is the sender: its "
        "chip, its offloads, or flow control on the way from a fast link to a slow one.",
        action="Look at the other findings of the slower sender first: quirks of its chip, then flow control.",
        reference="https://software.es.net/iperf/",
        fleet=_asymmetric,
    ),
)
