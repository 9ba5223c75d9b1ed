# SPDX-License-Identifier: GPL-3.0-or-later
"""What slows a host, its bridges and mounts down, and addresses of IPv6 that may not be used, by the files of each."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import brakes, bridges, kernel, listeners, power
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import protocols as facts
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import protocols
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

INTEL = "/sys/devices/system/cpu/cpu0/thermal_throttle"
COOLER = "/sys/class/thermal/cooling_device0"
FIRMWARE = "/sys/devices/platform/soc/soc:firmware/get_throttled"
QUOTA = "usage_usec 912\nnr_periods {}\nnr_throttled {}\nthrottled_usec 412\n"
PRESSURE = "some avg10=61.20 avg60=58.11 avg300=52.09 total=912\nfull avg10=48.90 avg60=44.01 avg300={} total=812\n"
# As Linux 6.1 writes it.
ADDRESSES = """\
00000000000000000000000000000001 01 80 10 80       lo
20010db8000400000000000000000009 02 40 00 c8   ens160
20010db8000400000000000000000007 02 40 00 80   ens160
fe80000000000000025056fffe991122 02 40 20 80   ens160
"""


def host(files):
    return memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)


@pytest.mark.parametrize(
    "files, expected",
    [
        ({}, None),
        ({f"{INTEL}/core_throttle_count": "0\n", f"{INTEL}/package_throttle_count": "0\n"}, None),
        ({f"{INTEL}/core_throttle_count": "31\n"}, {"hot_times": 31}),
        (
            {
                f"{INTEL}/{part}_throttle_{word}": "40\n"
                for part in ("core", "package")
                for word in ("count", "total_time_ms")
            },
            {"hot_ms": 40, "hot_times": 40},
        ),
        (
            {f"{COOLER}/type": "cpufreq-cpu0\n", f"{COOLER}/cur_state": "7\n", f"{COOLER}/max_state": "12\n"},
            {"cools": ["cpufreq-cpu0, step 7 of 12"]},
        ),
        ({f"{COOLER}/type": "cpufreq-cpu0\n", f"{COOLER}/cur_state": "0\n"}, None),
        ({f"{COOLER}/type": "pwm-fan\n", f"{COOLER}/cur_state": "3\n"}, None),
        ({FIRMWARE: "e0008\n"}, {"cools": ["get_throttled e0008"]}),
        ({FIRMWARE: "50000\n"}, None),
        ({FIRMWARE: "?\n"}, None),
        ({"/sys/fs/cgroup/cpu.stat": QUOTA.format(1200, 31)}, {"quota": {"periods": 1200, "throttled": 31}}),
        ({"/sys/fs/cgroup/cpu/cpu.stat": QUOTA.format(1200, 31)}, {"quota": {"periods": 1200, "throttled": 31}}),
        ({"/sys/fs/cgroup/cpu.stat": QUOTA.format(0, 0)}, None),
        ({"/proc/pressure/memory": PRESSURE.format("41.77")}, {"memory_waits": 41.77}),
        ({"/proc/pressure/memory": PRESSURE.format("0.00")}, None),
        ({"/proc/pressure/memory": "?\n"}, None),
        ({"/sys/fs/cgroup/cpu.stat": "usage_usec 912\nuser_usec 12\n"}, None),
    ],
)
def test_heat_and_quotas_are_told_where_there_are_any(files, expected):
    assert brakes.gather(host(files)) == expected


def test_processors_of_a_program_are_told():
    assert power.gather(host({"/sys/devices/system/cpu/isolated": "2-7\n"}))["isolated"] == "2-7"
    assert "isolated" not in power.gather(host({"/sys/devices/system/cpu/isolated": "\n"}))


def test_processors_that_are_not_alike_are_told():
    cpu = "/sys/devices/system/cpu/cpu{}/cpu_capacity".format
    assert power.gather(host({cpu(0): "414\n", cpu(4): "1024\n"}))["capacities"] == {"0": 414, "4": 1024}
    assert "capacities" not in power.gather(host({cpu(0): "1024\n", cpu(1): "1024\n"}))


@pytest.mark.parametrize(
    "line, told",
    [("ro pci=nomsi quiet", True), ("pci=noaer,nomsi", True), ("pci=noaer nomsi", False), ("pci=nomsix", False)],
)
def test_a_kernel_that_may_use_no_messages_says_so(line, told):
    assert kernel.gather(host({"/proc/cmdline": f"BOOT_IMAGE=/vmlinuz {line}\n"})).get("no_msi", False) is told


def test_addresses_that_were_found_to_be_taken():
    told = [{"nic": "ens160", "address": "2001:db8:4::9"}]
    assert protocols.refused_6(ADDRESSES) == told
    assert listeners.gather(host({"/proc/net/if_inet6": ADDRESSES}))["refused_6"] == told
    assert "refused_6" not in listeners.gather(host({}))
    assert protocols.refused_6("x 01 80 10 08 lo\n" + "0" * 32 + " 01 80 10 zz lo\n") == []


def test_a_bridge_that_keeps_no_addresses_says_so():
    base = "/sys/class/net/br0"
    files = {f"{base}/brif/eth0/state": "3\n", f"{base}/bridge/ageing_time": "0\n"}
    assert [row.get("forgets") for row in bridges.gather(host(files))] == [True]
    files[f"{base}/bridge/ageing_time"] = "30000\n"
    assert [row.get("forgets") for row in bridges.gather(host(files))] == [None]


def test_options_of_mounts_that_keep_nothing():
    line = "52 30 0:52 / /srv/www rw - nfs4 nas:/www rw,sync,vers=4.2,noac,acregmin=0,acregmax=0\n"
    (row,) = facts.mounts(host({"/proc/self/mountinfo": line}), {}, 0)
    assert row["options"] == {"vers": "4.2", "sync": "on", "noac": "on"}
