# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command changes beside its purpose is reported."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.tests.unit import device_host, devices


def test_features_that_go_down_with_another():
    host = device_host.DeviceHost({"eth0": devices.igb()})
    desired = {"nics": [{"name": "eth0", "features": {"sg": False}}], "on_unsupported": "fail"}
    result = engine.tune(host, "ethtool", desired)
    assert result["before"] == {"eth0": {"features": {"tx-scatter-gather": True}}}
    assert [(item["key"], item["before"], item["after"]) for item in result["side_effects"]] == [
        ("tx-tcp-segmentation", True, False),
        ("tx-tcp6-segmentation", True, False),
    ]
    assert engine.tune(host, "ethtool", desired)["side_effects"] == []
