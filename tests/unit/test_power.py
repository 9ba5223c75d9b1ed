# SPDX-License-Identifier: GPL-3.0-or-later
"""What saves power on a host: its battery, its suspends, and its wireless NICs with the signal that they have."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import power
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import iw
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

# As Linux 6.1 writes it; a driver of before cfg80211 has a measure of its own.
WIRELESS = """\
Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   28.  -82.  -256        0      0      0  597063   3527       41
wlan10: 0000   58   180.   0.         0      0      0      9     41        0
"""


def host(files):
    return memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)


def test_only_wireless_nics_are_asked_for_power_saving_and_a_mouse_is_no_battery():
    supplies = "/sys/class/power_supply"
    mouse = {f"{supplies}/hid-0/type": "Battery\n", f"{supplies}/hid-0/scope": "Device\n"}
    laptop = {**mouse, f"{supplies}/AC/type": "Mains\n", f"{supplies}/BAT0/type": "Battery\n"}
    assert "battery" not in power.gather(host(mouse))
    assert power.gather(host(laptop))["battery"] is True
    assert "suspends" not in power.gather(host({"/sys/power/suspend_stats/success": "0\n"}))
    assert power.gather(host({"/sys/power/suspend_stats/success": "51\n"}))["suspends"] == 51
    files = memory_host.Files({"/sys/class/net/wlan0/phy80211": ""})
    answer = memory_host.connect(files, lambda *_words: (0, "Power save: on\n", ""), True)
    assert power.of_nic(answer, "wlan0") == {"power_save": "on"}
    files.files["/proc/net/wireless"] = WIRELESS
    assert power.of_nic(answer, "wlan0") == {"power_save": "on", "signal_dbm": -82}
    assert power.of_nic(answer, "eth0") == power.of_nic(host({"/sys/class/net/wlan0/phy80211": ""}), "wlan0") == {}


def test_the_signal_of_a_nic_is_told_in_dbm_alone():
    assert [iw.signal(WIRELESS, nic) for nic in ("wlan0", "wlan1", "wlan10")] == [-82, None, None]


def test_the_clock_is_told_where_there_is_one():
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    assert power.gather(host({path: "hpet\n"}))["clocksource"] == "hpet"
    assert "clocksource" not in power.gather(host({}))
