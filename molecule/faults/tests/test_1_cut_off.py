# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that cut the connection they came by, and a driver that stalls."""

from __future__ import annotations

from lab_faults import GUARD_TIMEOUT, ask, held, hold, ssh, wait_for


def cut_off(way):
    wait_for(lambda: ssh("true", way, timeout=8).returncode == 255, 120, 0)


def test_mtu(fault):
    """An MTU below 1280 on the NIC of an IPv6 connection"""
    fault.play(host="router_by_ipv6", tuning_host_nics=[{"name": "igb0", "mtu": 1000}])
    cut_off("router_by_ipv6")
    fault.strikes()
    fault.comes_back("router_by_ipv6")
    # A connection that takes longer to be given up than the guard to strike is the other way to hear of it.
    said = ("no new connection to this host can be made", "the guard has reverted the change before it could")
    assert any(text in fault.plays[0].output for text in said)


def test_stall(fault):
    """A driver that stalls"""
    hold("ethtool", "-L igb1", seconds=600)
    fault.play(tuning_host_nics=[{"name": "igb1", "mtu": 1800, "channels": {"rx": 4, "tx": 4}}])
    held()
    fault.strikes()
    # The call itself ends the command, before the guard would have to end the call.
    fault.comes_back(told="ethtool -L igb1 rx 4 tx 4` did not end within 30 s")


def test_slow(fault):
    """A host so slow that a call takes longer than the guard waits"""
    hold("ethtool", "", seconds=3)
    fault.strikes()
    play = fault.play(tuning_host_nics=[{"name": "igb1", "mtu": 1800, "channels": {"rx": 4, "tx": 4}}])
    assert play.end() == 0, play.output
    assert ask("cat /sys/class/net/igb1/mtu").strip() == "1800"
    ask("rm /usr/local/sbin/ethtool")
    # It has had the time that the guard would have waited, and more, and goes back only because somebody wants it to.
    assert fault.took() > GUARD_TIMEOUT
    assert fault.play(tuning_guard_timeout=120).end() == 0
    fault.strikes()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")
