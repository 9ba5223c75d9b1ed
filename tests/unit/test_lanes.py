# SPDX-License-Identifier: GPL-3.0-or-later
"""The PCIe links above a NIC, as sysfs tells them: each folder lies in that of the bridge that leads to it."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysfs
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

DEVICE = "/sys/class/net/eth0/device"


def link(folder, width, speed, bus="", vendor="0x8086"):
    files = {f"{folder}/current_link_width": f"{width}\n", f"{folder}/current_link_speed": f"{speed} GT/s PCIe\n"}
    return {**files, f"{folder}/uevent": f"DRIVER=pcieport\nPCI_SLOT_NAME={bus}\n", f"{folder}/vendor": f"{vendor}\n"}


def pcie(**files):
    disk = memory_host.Files({path: text for group in files.values() for path, text in group.items()})
    return sysfs.pcie(memory_host.connect(disk, None, True), "eth0")


def test_every_bridge_on_the_way_up_is_read():
    assert pcie(
        nic=link(DEVICE, 8, "5.0"),
        port=link(f"{DEVICE}/..", 8, "5.0", "0000:02:01.0"),
        # A bridge that does not tell.
        silent={f"{DEVICE}/../../uevent": "PCI_SLOT_NAME=0000:01:00.0\n"},
        root=link(f"{DEVICE}/../../..", 4, "2.5", "0000:00:1c.0"),
    ) == {
        "current": {"width": 8, "speed_gt": 5.0},
        "above": [
            {"bus": "0000:02:01.0", "width": 8, "speed_gt": 5.0},
            {"bus": "0000:00:1c.0", "width": 4, "speed_gt": 2.5},
        ],
    }


def test_a_hypervisors_bridge_is_no_evidence():
    found = pcie(nic=link(DEVICE, 8, "8.0"), root=link(f"{DEVICE}/..", 1, "2.5", "0000:00:02.0", vendor="0x1b36"))
    assert found == {"current": {"width": 8, "speed_gt": 8.0}}


def test_what_is_no_pcie_device_has_no_way():
    assert pcie(usb={f"{DEVICE}/uevent": "PRODUCT=bda/8153/3000\n"}) == {}


def test_the_bridges_of_a_thunderbolt_tunnel_are_no_evidence():
    found = pcie(
        nic={**link(DEVICE, 4, "8.0"), f"{DEVICE}/removable": "removable\n"},
        root=link(f"{DEVICE}/..", 4, "2.5", "0000:03:00.0"),
    )
    assert found == {"current": {"width": 4, "speed_gt": 8.0}}


def test_errors_of_the_link_are_told_by_kind():
    files = {
        f"{DEVICE}/aer_dev_correctable": "RxErr 912233\nBadTLP 41233\nTOTAL_ERR_COR 953466\n",
        f"{DEVICE}/aer_dev_nonfatal": "Undefined 0\nTOTAL_ERR_NONFATAL 0\n",
        f"{DEVICE}/aer_dev_fatal": "DLP 1\nTOTAL_ERR_FATAL 1\n",
    }
    assert pcie(nic=link(DEVICE, 8, "5.0"), errors=files)["errors"] == {"corrected": 953466, "fatal": 1}
    assert "errors" not in pcie(nic=link(DEVICE, 8, "5.0"))
