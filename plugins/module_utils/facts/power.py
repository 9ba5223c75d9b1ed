# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what saves power and costs time: the CPU governor, idle states, ASPM, energy-efficient Ethernet; and NUMA."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..host import ReadOnlyHost
from ..tools import cpus, ethtool, iw, sysfs
from .saying import said

_CPU = "/sys/devices/system/cpu"
_NODES = "/sys/devices/system/node"
_SUPPLIES = "/sys/class/power_supply"
_SENSORS = "/sys/class/hwmon"
_AIR = "/proc/net/wireless"
_CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """Of the host: the governor and driver of the first CPU, its idle states, the policy of ASPM, CPUs by NUMA node.

    `slowest_khz` and `fastest_khz` are the clocks between which the governor chooses, and `suspends` is how often the
    host has slept since the boot (Linux 5.4); `undervoltage` is whether the supply of a Raspberry Pi is too weak, and
    `clocksource` is what the kernel reads the time from, and `isolated` are CPUs that are kept for certain programs;
    `capacities` are there where not all CPUs are alike.
    """
    first = f"{_CPU}/cpu0"
    idle = [f"{first}/cpuidle/{name}" for name in host.names(f"{first}/cpuidle") if name.startswith("state")]
    slept = sysfs.number(host, "/sys/power/suspend_stats/success")
    capacities = _capacities(host)
    source, isolated = sysfs.text(host, _CLOCK), sysfs.text(host, f"{_CPU}/isolated")
    policy = re.search(r"\[(\w+)\]", sysfs.text(host, "/sys/module/pcie_aspm/parameters/policy"))
    clock = {
        key: sysfs.number(host, f"{first}/cpufreq/{file}")
        for key, file in (("slowest_khz", "scaling_min_freq"), ("fastest_khz", "cpuinfo_max_freq"))
    }
    return {
        "governor": sysfs.text(host, f"{first}/cpufreq/scaling_governor"),
        "frequency_driver": sysfs.text(host, f"{first}/cpufreq/scaling_driver"),
        "idle_states": [_idle(host, path) for path in idle],
        "aspm_policy": policy[1] if policy else "",
        "nodes": _nodes(host),
        **{key: found for key, found in clock.items() if found},
        **({"battery": True} if _battery(host) else {}),
        **({"suspends": slept} if slept else {}),
        **({"clocksource": source} if source else {}),
        **({"isolated": isolated} if isolated else {}),
        **({"capacities": capacities} if len(set(capacities.values())) > 1 else {}),
        **({"undervoltage": True} if _undervoltage(host) else {}),
    }


def _capacities(host: ReadOnlyHost) -> Dict[str, int]:
    """By CPU what it can do, of 1024 for the fastest; only Arm and RISC-V tell."""
    if not host.exists(f"{_CPU}/cpu0/cpu_capacity"):
        return {}
    names = [name for name in host.names(_CPU) if re.fullmatch(r"cpu\d{1,4}", name)]
    found = {name[3:]: sysfs.number(host, f"{_CPU}/{name}/cpu_capacity") for name in names}
    return {name: number for name, number in found.items() if number}


def _undervoltage(host: ReadOnlyHost) -> bool:
    """Whether a Raspberry Pi says that its supply has fallen short, within the last two seconds (raspberrypi-hwmon)."""
    for name in host.names(_SENSORS):
        if sysfs.text(host, f"{_SENSORS}/{name}/name") == "rpi_volt":
            return sysfs.number(host, f"{_SENSORS}/{name}/in0_lcrit_alarm") == 1
    return False


def _battery(host: ReadOnlyHost) -> bool:
    """Whether the host has one of its own; those of its mouse have the scope Device."""
    for name in host.names(_SUPPLIES):
        kind, scope = (sysfs.text(host, f"{_SUPPLIES}/{name}/{file}") for file in ("type", "scope"))
        if kind == "Battery" and scope != "Device":
            return True
    return False


def _idle(host: ReadOnlyHost, path: str) -> Dict[str, Any]:
    return {
        "name": sysfs.text(host, f"{path}/name"),
        "latency_us": sysfs.number(host, f"{path}/latency"),
        "disabled": sysfs.text(host, f"{path}/disable") == "1",
    }


def _nodes(host: ReadOnlyHost) -> Dict[str, str]:
    """The CPUs of each NUMA node, as a list such as 0-21; by the nodes that are online."""
    found = {}
    for node in _list(sysfs.text(host, f"{_NODES}/online")):
        text = sysfs.text(host, f"{_NODES}/node{node}/cpulist")
        if text:
            found[str(node)] = text
    return found


def _list(text: str) -> List[int]:
    try:
        return list(cpus.parse_list(text))
    except ValueError:
        return []


def of_nic(host: ReadOnlyHost, nic: str) -> Dict[str, Any]:
    """Of a NIC: which savings of its PCIe link are on, whether it saves energy while idle, and its signal.

    One without a link may be `suspended`.
    """
    facts: Dict[str, Any] = {}
    base = f"{sysfs.ROOT}/{nic}/device"
    states = {name: sysfs.text(host, f"{base}/link/{name}_aspm") for name in ("l0s", "l1", "l1_1", "l1_2")}
    known = {name: word for name, word in states.items() if word}
    if known:
        facts["aspm"] = " ".join(name for name, word in known.items() if word == "1") or "off"
    # One that is down may sleep, and one with a link never does.
    if (
        sysfs.text(host, sysfs.carrier_path(nic)) == "0"
        and sysfs.text(host, f"{base}/power/runtime_status") == "suspended"
    ):
        facts["suspended"] = True
    eee = _eee(host, nic) if host.exists(base) else ""
    if host.exists(f"{sysfs.ROOT}/{nic}/phy80211"):
        air = {"power_save": iw.power_save(host, nic), "signal_dbm": iw.signal(host.read(_AIR) or "", nic)}
        facts.update({name: value for name, value in air.items() if value}, **iw.link(host, nic))
    return {**facts, **({"eee": eee} if eee else {})}


def _eee(host: ReadOnlyHost, nic: str) -> str:
    """`EEE status: enabled - active`, which ethtool shows, comes to active, inactive, disabled or nothing."""
    text = said(host, ethtool.query("--show-eee", nic))
    match = re.search(r"EEE status: (enabled - active|enabled - inactive|disabled)", text)
    return match[1].rpartition(" ")[2] if match else ""
