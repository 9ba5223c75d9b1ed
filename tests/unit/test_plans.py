# SPDX-License-Identifier: GPL-3.0-or-later
"""What a difference comes to, and its way back; a new case is five lines in cases/plans, without code.

A case has `about`, `current` (what NICs hold already, where that is not what their driver starts with), `desired`
(entries by NIC, and parameters as `sysctl`), the `commands` that bring it about, and those that the script runs when
the layer is `taken_away`. Afterwards all is as before.
"""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import stack
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Reader
from ansible_collections.linuxnet.tuning.tests.unit.wilful_host import WilfulHost

CASES = [
    (path.stem, case) for path in sorted((case_files.FOLDER / "plans").glob("*.yml")) for case in case_files.read(path)
]
SIZES = {"mtu": "mtu", "txqueuelen": "txqlen"}
SECONDS = 60


def hold(device, family, values):
    """Have a device hold what the inventory would call so."""
    if family in SIZES:
        device.link[SIZES[family]] = values
        return
    for key, value in values.items():
        assert key.replace("_", "-") in getattr(device, family), key
        for row in (family, "requested")[: 1 + (family == "features")]:
            getattr(device, row)[key.replace("_", "-")] = value


@pytest.mark.parametrize(("topic", "case"), CASES, ids=[f"{topic}-{case['about']}" for topic, case in CASES])
def test_a_difference_and_its_way_back(topic, case, tmp_path):
    host = WilfulHost(tmp_path)
    for nic, families in case.get("current", {}).items():
        for family, values in families.items():
            hold(host.devices[nic], family, values)
    nics = [{"name": nic, **entry} for nic, entry in case["desired"].items() if nic != "sysctl"]
    params = {"nics": nics, "sysctl": case["desired"].get("sysctl"), "on_unsupported": "fail", "guard_timeout": 0}
    params.update(permanent=False, temporary=SECONDS)
    before = host.raw()
    assert engine.tune(Reader(host), "tune", params)["commands"] == case["commands"]
    done = engine.tune(host, "tune", params)
    assert not done.get("failed"), done["msg"]
    assert done["commands"] == case["commands"]
    assert (host.raw() == before) == (not case["commands"])
    host.passes(SECONDS)
    assert host.ran == case["taken_away"]
    assert host.raw() == before
    assert stack.read(host) == []
