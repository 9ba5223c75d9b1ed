# SPDX-License-Identifier: GPL-3.0-or-later
"""Policers as `tc -s filter show` tells them: only those that take all packets count, however long the text is."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import policers

FILTER = """filter {head} handle 0x1
  not_in_hw (rule hit 620000)
  action order 1:  police 0x1 rate 100Kbit burst 100b mtu 2Kb action drop overhead 0b
  Sent 90000000 bytes 620000 pkt (dropped 410000, overlimits 410000 requeues 0)
"""
FOUND = policers.Policer("eth0", "ingress", 100_000, 100, 620_000, 410_000)


@pytest.mark.parametrize(
    "head, found",
    [
        ("protocol all pref 49152 matchall chain 0", [FOUND]),
        ("protocol all pref 49152 matchall", [FOUND]),
        ("parent ffff: protocol ip pref 49 basic chain 0", [FOUND]),
        ("protocol arp pref 50 matchall chain 0", []),
        ("protocol ipv6 pref 50 matchall chain 0", []),
        ("protocol all pref 50 matchall chain 7", []),
        ("parent ffff: protocol arp pref 50 basic chain 0", []),
    ],
)
def test_filters_of_one_protocol_or_another_chain_do_not_take_all(head, found):
    assert policers.parse(FILTER.format(head=head), "eth0", "ingress", 0) == found


@pytest.mark.parametrize(
    "text",
    [
        "filter protocol all matchall " + "police 1 rate 2 burst 3 " * 100_000,
        "filter protocol all basic " + "(rule hit " * 100_000 + "police 1 rate 2mbit burst 3 action drop",
    ],
    ids=["police", "bracket"],
)
def test_a_text_without_an_end_is_read_once(text):
    """Read anew from each of its parts, it would take hours."""
    assert policers.parse(text, "eth0", "ingress", 0) == []
