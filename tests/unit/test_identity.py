# SPDX-License-Identifier: GPL-3.0-or-later
"""What a device says of itself beside its driver: its stepping, whether it may sleep, and whether it is still there."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import nics
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

DEVICE = "/sys/class/net/eth0/device"


def facts_of(bus="0000:0a:00.0", **files):
    disk = memory_host.Files()
    disk.add_nic("eth0", driver="igc", pci="8086:15f3", bus=bus)
    disk.files.update({f"{DEVICE}/{name}": f"{text}\n" for name, text in files.items()})
    return nics.gather(memory_host.connect(disk, lambda *_words: (1, "", ""), True), [], [])["eth0"]


@pytest.mark.parametrize("text, found", [("0x02", 2), ("0x15", 21), ("", None), ("2", None), ("0xfff", None)])
def test_the_revision_tells_steppings_apart(text, found):
    assert facts_of(revision=text).get("revision") == found


@pytest.mark.parametrize("width, gone", [("63", True), ("255", True), ("4", None), ("", None)])
def test_a_device_that_has_left_the_bus_reads_as_ones(width, gone):
    link = {"current_link_width": width, "current_link_speed": "Unknown", "max_link_width": "4"}
    assert facts_of(**link)["pcie"].get("gone") == gone


@pytest.mark.parametrize("control, sleeps", [("auto", True), ("on", None), ("", None)])
def test_an_adapter_for_usb_may_sleep(control, sleeps):
    assert facts_of("2-1:1.0", **{"../power/control": control}).get("usb_sleeps") == sleeps


def test_only_adapters_for_usb_are_asked():
    assert "usb_sleeps" not in facts_of(**{"../power/control": "auto"})
