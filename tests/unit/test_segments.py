# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of overlays, VLANs and stations, each as the kernel and its tools write it."""

from __future__ import annotations

import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import bridges, everything, listeners
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import bridge, iw
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

UDP = (
    "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer\n"
    "  412: 00000000:12B5 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 {0} 2 0 0\n"
)


@pytest.mark.parametrize(
    "inode, bridge, found",
    [("0", "docker_gwbridge", True), ("20411", "docker_gwbridge", None), ("0", "docker0", None)],
    ids=["swarm", "a program", "no swarm"],
)
def test_an_overlay_of_docker_is_known_by_its_socket(inode, bridge, found):
    files = {"/proc/net/udp": UDP.format(inode), f"/sys/class/net/{bridge}/ifindex": "5\n"}
    host = memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)
    assert listeners.gather(host).get("docker_overlay") == found


def test_addresses_of_lo_are_those_of_services():
    def run(words, _data=""):
        rows = [{"local": one, "prefixlen": size} for one, size in (("127.0.0.1", 8), ("10.1.0.100", 32), ("::1", 128))]
        return 0, json.dumps([{"ifname": "lo", "addr_info": [{**row, "scope": "global"} for row in rows]}]), ""

    host = memory_host.connect(memory_host.Files(), run, True)
    assert everything.gather(host, [], 0, [])["host"]["loopback"] == ["10.1.0.100/32"]


VLANS = "port              vlan-id  \nenp65s0f0np0      1 PVID Egress Untagged\n                  2-4094\n"


@pytest.mark.parametrize(
    "driver, filtering, found",
    [("mlx5_core", "1", {"enp65s0f0np0": 4094}), ("mlx5_core", "0", None), ("ixgbe", "1", None)],
)
def test_vlans_of_ports_whose_cards_filter_few(driver, filtering, found):
    def run(words, _data=""):
        return (0, VLANS, "") if list(words) == ["bridge", "-c", "vlan", "show", "dev", "enp65s0f0np0"] else (1, "", "")

    disk = memory_host.Files({"/sys/class/net/vmbr0/brif/enp65s0f0np0/state": "3\n"})
    disk.add_nic("enp65s0f0np0", driver=driver, pci="15b3:1015", bus="0000:41:00.0")
    disk.files["/sys/class/net/vmbr0/bridge/vlan_filtering"] = f"{filtering}\n"
    (row,) = bridges.gather(memory_host.connect(disk, run, True))
    assert row.get("vlan_ids") == found


def test_vlans_in_the_form_of_old_bridges():
    assert bridge.count("port\tvlan ids\neth0\t 1 PVID Egress Untagged\n\t 10\n\t 20\n\n") == 3
    assert bridge.count("") == 0


LINK = "Connected to 9c:3d:cf:00:00:01 (on wlan0)\n\tfreq: 2437\n\tsignal: -48 dBm\n\ttx bitrate: 72.2 MBit/s MCS 7\n"


@pytest.mark.parametrize(
    "text, found",
    [
        (LINK, {"frequency_mhz": 2437, "rate_mbit": 72.2}),
        (LINK.replace("2437", "5180.0"), {"frequency_mhz": 5180, "rate_mbit": 72.2}),
        ("Not connected.\n", {}),
    ],
)
def test_a_station_has_a_frequency_and_a_rate(text, found):
    assert iw.link(memory_host.connect(memory_host.Files(), lambda *_words: (0, text, ""), True), "wlan0") == found
