# SPDX-License-Identifier: GPL-3.0-or-later
"""What boards and desktops tell of themselves: a weak supply, an invented MAC, and who stops them from waking."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import managers, nics, power
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

FOLDER = "/sys/class/hwmon"


@pytest.mark.parametrize(
    "sensor, alarm, found",
    [("rpi_volt", "1", True), ("rpi_volt", "0", None), ("rpi_volt", "", None), ("nct6775", "1", None)],
)
def test_the_supply_of_a_raspberry_pi(sensor, alarm, found):
    files = {f"{FOLDER}/hwmon0/name": "cpu_thermal\n", f"{FOLDER}/hwmon1/name": f"{sensor}\n"}
    files[f"{FOLDER}/hwmon1/in0_lcrit_alarm"] = f"{alarm}\n"
    host = memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)
    assert power.gather(host).get("undervoltage") == found


@pytest.mark.parametrize("kind, found", [("1", True), ("0", None), ("3", None), ("", None)])
def test_a_mac_that_the_driver_has_invented(kind, found):
    disk = memory_host.Files({"/sys/class/net/eth0/addr_assign_type": f"{kind}\n"})
    disk.add_nic("eth0", driver="st_gmac", bus="fe1c0000.ethernet")
    host = memory_host.connect(disk, lambda *_words: (1, "", ""), True)
    assert nics.gather(host, [], [])["eth0"].get("mac_invented") == found


@pytest.mark.parametrize(
    "path, text, found",
    [
        ("/etc/default/tlp", "TLP_ENABLE=1\nWOL_DISABLE=Y\n", True),
        ("/etc/tlp.conf", "# WOL_DISABLE=N\n", True),
        ("/etc/tlp.conf", 'WOL_DISABLE="N"\n', None),
        ("/etc/tlp.conf", "TLP_ENABLE=0\nWOL_DISABLE=Y\n", None),
        ("/etc/other.conf", "WOL_DISABLE=Y\n", None),
    ],
)
def test_tlp_that_stops_a_host_from_being_woken(path, text, found):
    host = memory_host.connect(memory_host.Files({path: text}), lambda *_words: (1, "", ""), True)
    assert managers.gather(host).get("tlp_stops_waking") == found
