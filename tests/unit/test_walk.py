# SPDX-License-Identifier: GPL-3.0-or-later
"""What the profiles that docs/stories.md names do to the NICs that the authors of the field reports had."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import nics
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Identity
from ansible_collections.linuxnet.tuning.tests.unit import device_host, devices

ROOT = Path(__file__).parents[2]
PROFILES = ROOT / "playbooks/profiles"
GIGABIT, TEN = 1000, 10000
# By report and host: the NICs with their drivers, PCI ids and highest speeds.
HOSTS = {
    "A router": {
        "enp1s0f0": ("ixgbe", "8086:1528", TEN),
        "enp1s0f1": ("ixgbe", "8086:1528", TEN),
        "enp7s0": ("tg3", "14e4:1657", GIGABIT),
    },
    "A pc": {"enp3s0": ("tg3", "14e4:1657", GIGABIT)},
    "B server": {"enp1s0f0": ("ixgbe", "8086:10fb", TEN), "eno1": ("igb", "8086:1521", GIGABIT)},
    "D head": {"enp0s31f6": ("e1000e", "8086:15b9", GIGABIT), "enp4s0": ("igb", "8086:1533", GIGABIT)},
    "D node": {"eno1": ("tg3", "14e4:165f", GIGABIT)},
    "E node": {"eth2": ("ixgbe", "8086:10fb", TEN), "eth0": ("bnx2", "14e4:1639", GIGABIT)},
}
PAUSE = {"pause": {"rx": {"if_available": True}, "tx": {"if_available": True}}}
RINGS = {"ring": {"rx": "max", "tx": "max"}}
TEN_OF_ROUTER = {**PAUSE, **RINGS, "features": {"gro": False, "lro": False}, "channels": {"combined": "max"}}
SLOWED = {"features": {"tso": {"if_available": False}}}
REACHED = {
    ("router", "A router"): {"enp1s0f0": TEN_OF_ROUTER, "enp1s0f1": TEN_OF_ROUTER},
    ("router", "A pc"): {},
    ("classroom_client", "A pc"): {"enp3s0": PAUSE},
    ("mixed_speeds", "A router"): dict.fromkeys(HOSTS["A router"], PAUSE),
    ("nfs_10g", "B server"): {"enp1s0f0": {"mtu": {"at_least": 9000}}},
    ("compute_node", "D head"): {"enp0s31f6": {**RINGS, **SLOWED}, "enp4s0": RINGS},
    ("compute_node", "D node"): {"eno1": RINGS},
    ("intel_82599", "E node"): {"eth2": {"mtu": 9000, "txqueuelen": 1000, "pci": {"max_read_request": 4096}}},
}


@pytest.mark.parametrize(("profile", "host"), REACHED)
def test_a_profile_reaches_the_nics_that_it_is_for_and_no_other(profile, host):
    have = [Identity(name, physical=True, driver=about[0], pci=about[1]) for name, about in HOSTS[host].items()]
    found = {}
    for entry in yaml.safe_load((PROFILES / f"{profile}.yml").read_text())["nics"]:
        for name in nics.select(entry, have, lambda nic: HOSTS[host][nic][2]):
            found.setdefault(name, {}).update({key: value for key, value in entry.items() if key != "match"})
    assert found == REACHED[profile, host]


def test_a_port_that_only_faces_the_internet_keeps_its_segmentation():
    """`features: {tso: true}` under its name wins over compute_node, which would switch it off."""
    slowed = {"match": {"driver": "e1000e", "pci": "8086:15b9"}, **SLOWED}
    for more, kept in (([], False), ([{"name": "enp0s31f6", "features": {"tso": True}}], True)):
        host = device_host.DeviceHost({"enp0s31f6": devices.e1000e()})
        host.disk.add_nic("enp0s31f6", "e1000e", "8086:15b9", "0000:00:1f.6")
        params = {"nics": [slowed, *more], "permanent": False, "guard_timeout": 0, "on_unsupported": "fail"}
        result = engine.tune(host, "ethtool", params)
        assert not result.get("failed"), result
        assert host.devices["enp0s31f6"].features["tx-tcp-segmentation"] is kept


def test_segments_are_clamped_to_what_the_window_of_the_page_would_carry():
    """The lines of nft on docs/safety.md are about the network of its mtu_window, in both directions."""
    page = (ROOT / "docs/safety.md").read_text()
    mtu = int(re.search(r"mtu_window_mtu=(\d+)", page)[1])
    network = re.search(r"mtu_window_networks=(\S+)", page)[1]
    rules = re.findall(r"^nft add rule (.*)$", page, re.MULTILINE)
    # 40 bytes are the headers of IPv4 and TCP.
    assert rules == [
        f"ip window forward ip {end} {network} tcp flags syn tcp option maxseg size set {mtu - 40}"
        for end in ("saddr", "daddr")
    ]
    chain = re.search(r"^nft add chain ip window forward '\{(.*)\}'$", page, re.MULTILINE)[1]
    assert "type filter hook forward priority mangle" in chain and "nft delete table ip window" in page
