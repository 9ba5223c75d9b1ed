# SPDX-License-Identifier: GPL-3.0-or-later
"""After a good run every setting comes back by itself: with the boot of a whole machine, and with the driver."""

from __future__ import annotations

from lab_faults import SHARED, ask


def test_driver(fault):
    """A new start of the driver"""
    ask("modprobe -r igb && modprobe igb")
    fault.has_nics()
    fault.is_as_before()
    fault.next_site_works("")


def test_reboot(fault):
    """A reboot of a virtual machine"""
    fault.reboots()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")


def test_power(fault):
    """Power cut of a virtual machine, before a change is confirmed"""
    fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=[{"name": "igb1", "mtu": 1800, "ring": {"rx": 256}}]).says(
        "changed: [router", 150
    )
    fault.loses_power()
    fault.comes_back()
