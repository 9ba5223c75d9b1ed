# SPDX-License-Identifier: GPL-3.0-or-later
"""After the reboot the values are those that somebody set by hand, though no file of theirs sets them any more."""

import pytest


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("ethtool -g igb0 | awk '/^RX:/ { print $2 }' | tail -n 1", "1024"),
        ("ethtool -g igb1 | awk '/^TX:/ { print $2 }' | tail -n 1", "512"),
        ("ethtool -g vmxnet0 | awk '/^RX:/ { print $2 }' | tail -n 1", "2048"),
        ("ethtool -k igb1 | awk '/^generic-receive-offload/ { print $2 }'", "off"),
        ("ethtool -c e1000e0 | awk '/^rx-usecs:/ { print $2 }'", "50"),
        ("cat /sys/class/net/e1000e0/tx_queue_len", "5000"),
        ("sysctl -n net.core.rmem_max net.core.wmem_max net.core.netdev_max_backlog", "33554432\n33554432\n5000"),
    ],
)
def test_value(host, command, answer):
    assert host.check_output(command) == answer
