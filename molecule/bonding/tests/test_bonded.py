# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel has the bond that was asked for, it carries traffic, and it goes on when a wire is cut."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from pathlib import Path

import pytest
from common import LAB

STATUS = "/proc/net/bonding/bond0"
EXPECTED = {
    "systemd-networkd": ["load balancing (round-robin)", "MII Polling Interval (ms): 100"],
    "NetworkManager": ["IEEE 802.3ad", "LACP rate: fast", "layer3+4 (1)", "Number of ports: 2"],
    "ifupdown": ["active-backup", "Primary Slave: igb1", "Up Delay (ms): 100", "MII Polling Interval (ms): 50"],
}
# 802.3ad keeps one flow on one member, whichever its hash chooses.
TAKEN = {
    "systemd-networkd": [["igb0", "igb1"]],
    "NetworkManager": [["igb0"], ["igb1"]],
    "ifupdown": [["igb1"]],
}


@pytest.fixture
def manager(host):
    return host.file("/root/manager").content_string


def cable(plugged, nic="igb1"):
    """Plug or pull a cable at both ends, by the monitor of the virtual machines."""
    for guest in ("router", "switch"):
        with socket.socket(socket.AF_UNIX) as monitor:
            here = Path.cwd()
            os.chdir(LAB)  # the path of a socket may have 107 bytes only
            try:
                monitor.connect(f"{guest}/qmp.sock")
            finally:
                os.chdir(here)
            stream = monitor.makefile("rw")
            stream.readline()
            for name, arguments in (("qmp_capabilities", {}), ("set_link", {"name": f"nic-{nic}", "up": plugged})):
                stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
                stream.flush()
                while "return" not in (answer := json.loads(stream.readline())):
                    assert "error" not in answer, answer


def wait_for(read, *expected, seconds=30):
    """Ask until the answer is a wanted one. What held once counts: a busy machine may drop the next packet."""
    end = time.monotonic() + seconds
    while (answer := read()) not in expected:
        assert time.monotonic() < end, f"{answer!r} after {seconds} s, not {' or '.join(map(repr, expected))}"
        time.sleep(0.5)


def lost(host, *options):
    """Packets in a hundred that the partner does not answer."""
    out = host.run(f"ping -q -i 0.05 -c 40 {' '.join(options)} 10.9.0.2").stdout
    return float(re.search(r"([\d.]+)% packet loss", out).group(1))


def sent(host, nic):
    return int(host.file(f"/sys/class/net/{nic}/statistics/tx_packets").content_string)


def members_taken(host):
    """The members that send an exchange of 40 packets, of which none is lost; round-robin gives each the half."""
    before = {nic: sent(host, nic) for nic in ("igb0", "igb1")}
    share = lost(host)
    return f"{share} % lost" if share else [nic for nic, count in before.items() if sent(host, nic) - count >= 15]


def members_up(host):
    text = host.file(STATUS).content_string
    return sorted(re.findall(r"Slave Interface: (\w+)\nMII Status: up", text))


def test_kernel_has_what_is_desired(host, manager):
    wait_for(lambda: [part for part in EXPECTED[manager] if part not in host.file(STATUS).content_string], [])
    wait_for(lambda: members_up(host), ["igb0", "igb1"])
    for nic in ("bond0", "igb0", "igb1"):
        assert host.file(f"/sys/class/net/{nic}/mtu").content_string.strip() == "9000"
    addresses = host.run("ip -o address show dev bond0 scope global").stdout
    assert "10.9.0.1/24" in addresses
    assert ("fd00:9::1/64" in addresses) == (manager == "NetworkManager")
    assert ("10.9.0.11/24" in addresses) == (manager == "ifupdown")


def test_round_robin_may_reorder_more(host, manager):
    by_networkd = manager == "systemd-networkd"
    assert host.file("/proc/sys/net/ipv4/tcp_reordering").content_string.strip() == ("127" if by_networkd else "3")
    kept = host.file("/etc/sysctl.d/90-linuxnet-tuning.conf")
    assert kept.exists == by_networkd
    assert not by_networkd or "net.ipv4.tcp_reordering = 127" in kept.content_string


def test_files_are_the_managers_own(host, manager):
    files = {
        "systemd-networkd": ("/etc/systemd/network/05-bond0.netdev", 0o644),
        "NetworkManager": ("/etc/NetworkManager/system-connections/bond0.nmconnection", 0o600),
        "ifupdown": ("/etc/network/interfaces.d/bond0", 0o644),
    }
    for name, (path, mode) in files.items():
        assert host.file(path).exists == (name == manager)
        assert name != manager or host.file(path).mode == mode


def test_jumbo_frames_go_through(host, manager):
    wait_for(lambda: lost(host, "-s 8972", "-M do"), 0)


def test_traffic_takes_the_members_that_the_mode_takes(host, manager):
    wait_for(lambda: members_taken(host), *TAKEN[manager])


def test_survivors_carry_on_when_a_wire_is_cut(host, manager):
    cable(False)
    try:
        wait_for(lambda: members_up(host), ["igb0"])
        wait_for(lambda: lost(host), 0)
        wait_for(lambda: lost(host, "-s 8972", "-M do"), 0)
    finally:
        cable(True)
    wait_for(lambda: members_up(host), ["igb0", "igb1"])
    wait_for(lambda: lost(host), 0)
