# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunnels that a program serves: it reads packets from a queue, and what comes while that is full is lost."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

# What such a device had before OpenVPN 2.5 was 100, and the kernel's own is 500; TCP begins to fit from here on.
_ENOUGH = 1000


def _short(host: Host) -> Iterator[Hit]:
    for row in host.rows("tunnels"):
        queue, dropped, sent = row.count("queue"), row.count("dropped"), row.count("sent")
        if row.text("kind") != "tap" and 0 < queue < _ENOUGH and dropped >= 1000 and dropped * 10_000 > sent:
            evidence = {"queue length": queue, "dropped before the program": f"{dropped} beside {sent} packets"}
            yield Hit(evidence, row.text("nic"))


RULES = (
    Rule(
        id="tunnel-queue-short",
        severity="medium",
        title="The queue of a tunnel is too short for its program",
        condition="a tunnel that a program serves (tun) has a queue of less than 1000 packets, and has dropped at "
        "least 1000, and one in ten thousand",
        explanation="A program such as OpenVPN reads one packet after the other, and a TCP burst is longer than a "
        "queue of 100. Each loss halves the rate of a connection, so that the tunnel is several times slower.",
        action="Let the queue hold 1000 packets (`txqueuelen 1000` in the configuration of OpenVPN, which creates the "
        "device anew each time; `ip link set NIC txqueuelen 1000` until then); then check whether the program has a "
        "processor to itself.",
        reference="https://github.com/pritunl/pritunl/pull/467",
        host=_short,
    ),
)
