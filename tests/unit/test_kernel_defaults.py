# SPDX-License-Identifier: GPL-3.0-or-later
"""The defaults of the kernel that a capture knows: by release and memory, and each table in itself."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import kernel


@pytest.mark.parametrize(
    ("key", "value", "release", "differs"),
    [
        # Read on Linux 6.18, of which nobody has set these.
        ("net.core.rmem_max", "4194304", (6, 18), False),
        ("net.ipv4.tcp_rmem", "4096 131072 33554432", (6, 18), False),
        ("net.ipv4.tcp_mem", "287898 383867 575796", (6, 18), False),
        ("net.ipv4.udp_mem", "575799 767734 1151598", (6, 18), False),
        ("net.core.rmem_max", "4194304", (6, 1), True),
        ("net.ipv4.tcp_rmem", "4096 131072 33554432", (6, 1), True),
        ("net.ipv4.tcp_rmem", "4096 131072 3145728", (6, 1), False),  # a machine with 384 MiB
        ("net.ipv4.tcp_rmem", "4096 87380 16777216", (6, 1), True),
        ("net.ipv4.tcp_mem", "8388608 12582912 16777216", (6, 1), True),
        ("net.core.nothing", "1", (6, 1), None),
    ],
)
def test_what_the_kernel_sets_by_itself(key, value, release, differs):
    assert kernel.differs(key, {key: value}, release) is differs


def test_values_of_one_table_agree():
    # Read on Linux 6.18 with 24 GiB.
    own = {"net.ipv4.tcp_max_orphans": "131072", "net.ipv4.tcp_max_tw_buckets": "131072"}
    own["net.ipv4.tcp_max_syn_backlog"] = "2048"
    assert not any(kernel.differs(key, own, (6, 18)) for key in own)
    set_by_hand = {**own, "net.ipv4.tcp_max_tw_buckets": "2000000"}
    assert [key for key in own if kernel.differs(key, set_by_hand, (6, 18))] == ["net.ipv4.tcp_max_tw_buckets"]
