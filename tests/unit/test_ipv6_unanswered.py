# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether IPv6 hears nothing is told by counters and by connections that ask again, not by those of IPv4."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import protocols
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import unanswered
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

# As ss of iproute2 6.1 writes them.
AGAIN = "0 1 [2001:db8:12:1::20]:41002 [2a00:1450:4001:82b::2004]:443 timer:(on,1.812sec,2)\n"
FIRST = "0 1 [2001:db8:12:1::20]:41004 [2a00:1450:4001:82b::2004]:443 timer:(on,812ms,0)\n"
NEIGHBOUR = "0 1 [2001:db8:12:1::20]:41008 [2001:db8:12:1:0:a::9]:443 timer:(on,1.812sec,3)\n"
INSIDE = "0 1 [fd00::20]%eth0:41006 [fd00::9]:443 timer:(on,1.812sec,3)\n"
SNMP_6 = {"Ip6InDelivers": 9120, "Ip6OutRequests": 98211, "Icmp6InMsgs": 9100, "Icmp6OutMsgs": 10000}


@pytest.mark.parametrize(
    "text, count",
    [(AGAIN * 2, 2), (FIRST, 0), (INSIDE, 0), (NEIGHBOUR, 0), (AGAIN.replace("timer:", ""), 0), ("", 0), ("x\n\n", 0)],
)
def test_connections_to_public_addresses_that_ask_again(text, count):
    assert unanswered.asking(text) == count


def told(grown=None, **counts):
    commands = []

    def answer(words, _data=""):
        commands.append(words)
        return (0, AGAIN, "") if "syn-sent" in words else (1, "", "")

    text = "".join(f"{name:<32}{count}\n" for name, count in {**SNMP_6, **counts}.items())
    host = memory_host.connect(memory_host.Files({"/proc/net/snmp6": text}), answer, True)
    return protocols.sockets(host, grown or {}).get("unanswered_6"), any("syn-sent" in words for words in commands)


def test_they_are_asked_for_only_where_hardly_anything_came_back():
    assert told() == (1, True)
    assert told(Ip6InDelivers=79120) == (None, False)
    assert told(Udp6OutDatagrams=87800) == (None, False)


def test_what_came_back_before_the_interval_does_not_hide_that_nothing_does_now():
    assert told(grown={"Ip6OutRequests": 412, "Icmp6OutMsgs": 12}, Ip6InDelivers=79120) == (1, True)
    assert told(grown={"Ip6OutRequests": 412, "Ip6InDelivers": 400}, Ip6InDelivers=79120) == (None, False)
