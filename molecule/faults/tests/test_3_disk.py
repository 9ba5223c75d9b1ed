# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that takes nothing: a clear message, everything as it was, no empty or half file."""

from __future__ import annotations

import pytest
from lab_faults import CHANGE, SHARED, ask, until

UNITS, STATE = "/etc/systemd/system", "/var/lib/linuxnet-tuning"
DISKS = {
    "Read-only": "mount --bind {0} {0} && mount -o remount,ro,bind {0}",
    # With room for its own content and not a byte more.
    "Full": (
        "mkdir /run/fault-disk && mount -t tmpfs -o mode=0700 fault /run/fault-disk && cp -a {0}/. /run/fault-disk/ && "
        "chmod --reference={0} /run/fault-disk && mount --bind /run/fault-disk {0} && "
        "mount -o remount,nr_blocks=$(du -s --block-size=4096 {0} | cut -f1) /run/fault-disk && "
        "cat /dev/zero > {0}/fault-filler"
    ),
}


def breaks(disk, folder):
    ask(f"({DISKS[disk].format(folder)}) 2> /run/fault-said; mountpoint -q {folder}")


@pytest.mark.parametrize("folder", [UNITS, STATE])
@pytest.mark.parametrize("disk", DISKS)
def test_disk(fault, disk, folder):
    """No room for what has to be written"""
    breaks(disk, folder)
    try:
        fault.strikes()
        play = fault.play(tuning_host_nics=CHANGE)
        assert play.end() != 0
        assert {"Full": "No space left on device", "Read-only": "Read-only file system"}[disk] in play.output
        assert ("rolled back" if folder == UNITS else "Nothing was changed") in play.output
        fault.answers()
    finally:
        ask(f"umount {folder}; [ ! -d /run/fault-disk ] || {{ umount /run/fault-disk; rmdir /run/fault-disk; }}")
    fault.is_as_before()
    fault.next_site_works("")


@pytest.mark.parametrize("disk", DISKS)
def test_way_back(fault, disk):
    """The folder of the units takes nothing when the host reverts, and the power fails then"""
    fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=CHANGE).says("changed: [router", 150)
    breaks(disk, UNITS)
    fault.plays[-1].kill()
    until("test $(cat /sys/class/net/igb1/mtu) = 2000")
    # The boot must not bring what stands in the file of then.
    ask(f"grep -q 'mtu 1800' {UNITS}/linuxnet-tuning@igb1.service.d/20-link.conf")
    fault.loses_power()
    fault.comes_back()


def test_run(fault):
    """/run is full when the host reverts"""
    fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=CHANGE).says("changed: [router", 150)
    # What is there stays, as on a disk that has become full.
    ask("mount -o remount,size=$(df --output=used -k /run | tr -dc 0-9)k /run; ! cp /etc/services /run/fault-filler")
    try:
        fault.plays[-1].kill()
        fault.strikes()
        fault.answers()
    finally:
        ask("mount -o remount,size=50% /run; rm -f /run/fault-filler")
    fault.is_as_before()
    fault.next_site_works()
