# SPDX-License-Identifier: GPL-3.0-or-later
"""The register holds what was asked for: 000 in bits 14 to 12 is 128 bytes."""

import pytest


@pytest.mark.parametrize("nic", ["igb0", "igb1"])
def test_max_read_request(host, nic):
    device = host.check_output(f"basename $(readlink /sys/class/net/{nic}/device)")
    assert int(host.check_output(f"setpci -s {device} CAP_EXP+8.w"), 16) >> 12 & 7 == 0
