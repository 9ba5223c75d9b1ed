# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that hear nothing: whether the path swallows what is large, or the peer is gone, or somebody tells."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import everything
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import ss
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

# As ss of iproute2 6.1 writes them.
WAITS = " bbr wscale:10,10 rto:3264 backoff:4 rtt:0.08/0.04 mss:1448 pmtu:1500 bytes_sent:21720 unacked:11 lost:11"
GOES_ON = " cubic wscale:7,7 rto:204 rtt:0.9/0.3 mss:1448 pmtu:1500 bytes_acked:90000 segs_out:90 segs_in:80"


def row(peer, about=WAITS):
    return f"0      78192  10.99.0.1:46710 {peer}:5001\n\t{about}\n"


def test_peers_are_read_once_each_and_few():
    text = row("10.0.0.7", GOES_ON) + row("10.0.0.8") * 2 + row("[::ffff:10.0.0.9]") + row("[fe80::1]%eth0")
    assert ss.stuck(text, 9) == ["10.0.0.8", "10.0.0.9", "fe80::1"]
    assert ss.stuck(text, 1) == ["10.0.0.8"]


def test_text_of_another_form_has_none():
    assert ss.stuck("", 2) == ss.stuck("backoff:4\nbackoff:4 unacked:1\n", 2) == []


def swallowed(answer, via="via 10.99.0.254 ", mtu="1500", programs=("ss", "ip", "ping"), about=WAITS):
    """What is known of the path to the one peer; `answer` is what ping says to a packet of so many bytes."""
    disk = memory_host.Files({"/sys/class/net/a0/mtu": f"{mtu}\n"})

    def run(words, _data=""):
        if words[0] not in programs:
            raise FileNotFoundError(2, "No such file or directory")
        if words[0] == "ping":
            return answer(int(words[words.index("-s") + 1]) + 28)
        if words[:3] != ("ip", "-o", "route") and words[0] != "ss":
            return 1, "", "no answer"
        if words[0] == "ip":
            return 0, f"10.0.0.8 {via}dev a0 src 10.99.0.1 uid 0 \\    cache\n", ""
        return 0, row("10.0.0.8", about), ""

    found = everything.gather(memory_host.connect(disk, run, True), [], 0, [])
    assert not [remark for remark in found["remarks"] if "ping" in remark]
    return found["host"]["peers"]


def up_to(most):
    return lambda size: (0, "", "") if size <= most else (1, "1 packets transmitted, 0 received", "")


def test_a_path_that_swallows_what_is_large_is_measured():
    facts = {"nic": "a0", "address": "10.0.0.8", "mtu": 1500, "carries": False, "answers": True, "stuck": True}
    assert swallowed(up_to(1400)) == [{**facts, "largest": 1400}]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(up_to(0), id="the peer is gone"),
        pytest.param(
            lambda size: (0, "", "") if size <= 1400 else (1, "0 received, +1 errors, 100% packet loss", ""),
            id="a router says that it is too large",
        ),
        pytest.param(
            lambda size: (0, "", "") if size <= 1400 else (1, "", "ping: local error: message too long, mtu=1400"),
            id="the kernel knows already",
        ),
    ],
)
def test_whoever_is_gone_or_tells_is_no_black_hole(answer):
    assert swallowed(answer) == []


def test_a_path_that_carries_all_is_told_as_such():
    facts = {"nic": "a0", "address": "10.0.0.8", "mtu": 1500, "carries": True, "answers": True, "stuck": True}
    assert swallowed(up_to(9000)) == [facts]


def test_beyond_a_router_no_more_than_1500_is_asked_for():
    assert [row["carries"] for row in swallowed(up_to(1500), mtu="9000")] == [True]
    found = swallowed(up_to(1500), via="", mtu="9000")[0]
    assert found["mtu"] == 9000 and found["link"] is True
    assert "link" not in swallowed(up_to(1400))[0]


def test_beyond_a_router_it_is_what_the_connection_has_agreed_on():
    jumbo = WAITS.replace("mss:1448 pmtu:1500", "mss:8949 pmtu:9001")
    (found,) = swallowed(up_to(1500), mtu="9001", about=jumbo)
    assert (found["mtu"], found["largest"], found["stuck"]) == (9001, 1500, True)
    assert [row["carries"] for row in swallowed(up_to(9001), mtu="9001", about=jumbo)] == [True]


@pytest.mark.parametrize("missing", ["ss", "ip", "ping"])
def test_a_host_without_the_programs_lacks_nothing(missing):
    assert swallowed(up_to(1400), programs={"ss", "ip", "ping"} - {missing}) == []
