# SPDX-License-Identifier: GPL-3.0-or-later
"""The links carry what they should, by the kernel's own files and by packets of that size."""

import pytest


@pytest.mark.parametrize(
    ("nic", "mtu", "length"),
    [("igb0", "9000", "2000"), ("igb1", "9216", "1000"), ("igb1.100", "9000", "1000"), ("lab0", "1500", "5000")],
)
def test_mtu_and_queue_length(host, nic, mtu, length):
    folder = f"/sys/class/net/{nic}"
    assert host.file(f"{folder}/mtu").content_string.strip() == mtu
    assert host.file(f"{folder}/tx_queue_len").content_string.strip() == length


@pytest.mark.parametrize(
    ("prefix", "route"),
    [
        ("192.168.32.0/24", "proto kernel scope link src 192.168.32.254 initcwnd 30 rto_min lock 50ms initrwnd 30"),
        ("10.77.0.0/16", "via 192.168.32.1 proto static metric 50 mtu lock 1400 advmss 1300 hoplimit 60 quickack 1"),
    ],
)
def test_metrics_of_a_route_and_all_else_of_it(host, prefix, route):
    assert host.check_output(f"ip -4 route show {prefix} dev igb0").split() == [prefix, *route.split()]


def test_path_carries_jumbo_frames(host):
    assert host.run("ping -c 3 -i 0.2 -w 20 -M do -s 8972 -I igb0 192.168.32.1").rc == 0
