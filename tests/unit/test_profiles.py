# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles raise and never lower; only the recipe that exists to reproduce figures harms, and says so line by line."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import desire
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import profiles
from ansible_collections.linuxnet.tuning.tests.unit import device_host

ROOT = Path(__file__).parents[2]
PROFILES = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "playbooks" / "profiles").glob("*.yml")}
HARMLESS = sorted(set(PROFILES) - {"intel_82599"})
PATH = registry.FAMILIES["sysctl"].write

# A host that somebody has given more of everything than any profile asks for.
LARGE = {
    "net.core.rmem_max": "2147483647",
    "net.core.wmem_max": "2147483647",
    "net.core.netdev_max_backlog": "500000",
    "net.ipv4.tcp_rmem": "8192 262144 1073741824",
    "net.ipv4.tcp_wmem": "8192 262144 1073741824",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_mtu_probing": "2",
    "net.ipv4.tcp_congestion_control": "bbr",
    "net.core.default_qdisc": "fq",
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    "net.ipv4.tcp_slow_start_after_idle": "0",
    "net.ipv4.tcp_fastopen": "3",
    "net.core.busy_read": "100",
    "net.core.busy_poll": "100",
    "net.core.optmem_max": "4194304",
    "net.core.somaxconn": "65535",
    "net.ipv4.udp_rmem_min": "65536",
    "net.ipv4.udp_wmem_min": "65536",
    "net.netfilter.nf_conntrack_max": "4194304",
    **{f"net.ipv{way}.neigh.default.gc_thresh{index}": "65536" for way in "46" for index in "23"},
    "vm.min_free_kbytes": "4194304",
}
SWITCHED_OFF = ("net.ipv4.tcp_slow_start_after_idle",)
MACHINE = {"/proc/meminfo": "MemTotal: 67108864 kB\n", "/sys/devices/system/cpu/online": "0-63\n"}
# These have no source for each line: their lines come from field reports, and say what they are for.
OLDER = {"classroom_client", "compute_node", "file_server", "intel_82599", "mixed_speeds", "nfs_10g", "router"}


def host(values):
    files = {PATH("", {key: value}, {})[0].path: f"{value}\n" for key, value in values.items()}
    return device_host.DeviceHost({}, {**MACHINE, **files})


def tuned(machine, profile):
    desired = {
        "sysctl": PROFILES[profile].get("sysctl", {}),
        "file": "90-linuxnet-tuning.conf",
        "on_unsupported": "fail",
    }
    return engine.tune(machine, "sysctl", {**desired, "guard_timeout": 0})


@pytest.mark.parametrize("profile", HARMLESS)
def test_nothing_is_lowered(profile):
    """Numbers stay, each of a vector; words such as a congestion control are asked for only where they are there."""
    machine = host(LARGE)
    result = tuned(machine, profile)
    assert not result.get("failed"), result.get("msg")
    lowered = {
        key: (before, result["after"][key])
        for key, before in result["before"].items()
        if before.split()[0].isdigit()
        and any(int(new) < int(old) for old, new in zip(before.split(), result["after"][key].split(), strict=True))
    }
    assert lowered == {}


@pytest.mark.parametrize("profile", HARMLESS)
def test_every_value_is_a_bound_an_option_or_a_switch(profile):
    for key, value in PROFILES[profile].get("sysctl", {}).items():
        value = value["if_available"] if isinstance(value, dict) and "if_available" in value else value
        bound = isinstance(value, dict) and (
            set(value) == {"at_least"} or (value == {"at_most": 0} and key in SWITCHED_OFF)
        )
        assert bound or isinstance(value, str) or key.endswith("forward") or key.endswith("forwarding"), key


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_the_modules_take_it(profile, monkeypatch):
    """A mistake in an entry shows on every host, be there a NIC for it or not."""
    monkeypatch.setattr(desire.ip, "addresses", lambda *_host, **_options: {})
    result = engine._compare(host({**LARGE, "fs.file-max": "1"}), {**PROFILES[profile], "on_unsupported": "ignore"})
    assert not result.get("failed"), result.get("msg")


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_each_line_has_its_reason_and_source(profile):
    text = (ROOT / "playbooks" / "profiles" / f"{profile}.yml").read_text()
    known = profiles.sources(text)
    reasons = profiles.reasons(text)
    parameters = PROFILES[profile].get("sysctl", {})
    desired = [(f, ks) for e in PROFILES[profile]["nics"] for f, ks in e.items() if f != "match"]
    parts = [(f, k) for f, ks in desired for k in (ks if isinstance(ks, dict) else [""])]
    settings = {f if k in ("", *profiles.CONDITIONS) else f"{f} {k}" for f, k in parts}
    assert set(reasons) == settings | set(parameters)
    for setting, why in reasons.items():
        warned = isinstance(parameters.get(setting), dict) and "warning" in parameters[setting]
        assert why.text or warned, setting
        assert profile in OLDER or (len(why.text) > 20 and why.reference in known.values()), setting


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_the_head_of_a_file_is_nobodys_reason(profile):
    text = (ROOT / "playbooks" / "profiles" / f"{profile}.yml").read_text()
    head = text.split("\n", 2)[1].lstrip("# ")
    assert not [setting for setting, why in profiles.reasons(text).items() if head in why.text]


def test_the_recipe_warns_of_each_harmful_line():
    harmful = {
        "fs.file-max",
        *(f"net.ipv4.tcp_{name}" for name in ("sack", "timestamps", "rmem", "wmem", "mem")),
        "net.core.rmem_max",
        "net.core.wmem_max",
    }
    start = {**LARGE, "fs.file-max": "6553600", "net.ipv4.tcp_sack": "1", "net.ipv4.tcp_timestamps": "1"}
    keys = PROFILES["intel_82599"]["sysctl"]
    vectors = {"net.ipv4.tcp_mem": "187053 249407 374106", "net.ipv4.ip_local_port_range": "32768 60999"}
    machine = host({**dict.fromkeys(keys, "1"), **vectors, **start})
    remarks = tuned(machine, "intel_82599")["remarks"]
    assert {line.partition(": ")[0] for line in remarks if ": harmful: " in line} == harmful


def test_flow_control_is_asked_for_only_where_speeds_are_mixed():
    asking = {
        (name, entry["match"]["min_speed"])
        for name, profile in PROFILES.items()
        for entry in profile["nics"]
        if "pause" in entry
    }
    assert asking == {("mixed_speeds", 1000), ("classroom_client", 1000), ("router", 10000)}
    for path in (ROOT / "inventory" / "group_vars").glob("*.yml"):
        assert "pause:" not in path.read_text(), path


# Device ids of the driver e1000e by the type of their MAC: the first are e1000_pch_spt, the others are newer or older.
# From the table of PCI ids in drivers/net/ethernet/intel/e1000e/netdev.c.
SUNRISE_POINT = ["156f", "1570", "15b7", "15b8", "15b9", "15d6", "15d7", "15d8", "15e3", "0d53", "0d55"]
OTHERS = ["15bb", "15bc", "15bd", "15be", "15df", "15e0", "15f4", "0d4c", "0d4f", "1a1c", "15a2", "153a", "10d3"]


def test_segmentation_goes_off_on_the_chips_that_are_slowed_down_and_on_no_other():
    entries = [entry for entry in PROFILES["compute_node"]["nics"] if "features" in entry]
    assert all(entry["features"] == {"tso": {"if_available": False}} for entry in entries)
    assert all(entry["match"]["driver"] == "e1000e" for entry in entries)

    def meant(device):
        return any(fnmatchcase(f"8086:{device}", entry["match"]["pci"]) for entry in entries)

    assert [device for device in SUNRISE_POINT if not meant(device)] == []
    assert [device for device in OTHERS if meant(device)] == []


def test_no_profile_sets_a_queue_length_that_its_own_discipline_does_not_read():
    for name, profile in PROFILES.items():
        lengths = [entry for entry in profile["nics"] if "txqueuelen" in entry]
        assert not lengths or "net.core.default_qdisc" not in profile.get("sysctl", {}), name


@pytest.mark.parametrize("profile", HARMLESS)
def test_no_nic_gets_a_smaller_mtu(profile):
    """Some clouds have frames of 9001 bytes, and some networks larger ones."""
    desired = [entry["mtu"] for entry in PROFILES[profile].get("nics", []) if "mtu" in entry]
    assert all(set(one) == {"at_least"} for one in desired)


def test_a_bound_is_no_key_of_a_family():
    assert (
        "largest"
        in profiles.reasons("nics:\n  - match: {bus: x}\n    # The largest.\n    mtu: {at_least: 9}")["mtu"].text
    )


_WINDOW = re.compile(r"(\d+) (MB|GB)\b.*?(\d+) Gbit/s over (\d+) ms")


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_buffer_holds_the_path_that_its_reason_names(profile):
    """Half of a receive buffer is the window up to Linux 6.5 (tcp_adv_win_scale), so a path needs twice its product."""
    text = (ROOT / "playbooks" / "profiles" / f"{profile}.yml").read_text()
    for setting, why in profiles.reasons(text).items():
        for size, unit, rate, time in _WINDOW.findall(why.text):
            window = int(size) * {"MB": 1 << 20, "GB": 1 << 30}[unit] / 2
            # A tenth is rounding.
            assert int(rate) * 1e9 / 8 * int(time) / 1000 <= 1.1 * window, f"{setting}: {why.text}"


def test_bbr_is_for_long_ways():
    """In a LAN it is of no use, and may slow NFS down."""
    desired = {name for name, about in PROFILES.items() if "bbr" in str(about.get("sysctl", {}))}
    assert desired <= {"azure"}
