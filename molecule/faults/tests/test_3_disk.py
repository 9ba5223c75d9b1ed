# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that takes nothing: a clear message, everything as it was, no empty or half file."""

from __future__ import annotations

import pytest
from lab_faults import CHANGE, ask

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


@pytest.mark.parametrize("place", [UNITS, STATE])
@pytest.mark.parametrize("disk", DISKS)
def test_disk(fault, disk, place):
    """No room for what has to be written"""
    ask(f"({DISKS[disk].format(place)}) 2> /run/fault-said; mountpoint -q {place}")
    try:
        fault.strikes()
        play = fault.play(tuning_host_nics=CHANGE)
        assert play.end() != 0
        assert {"Full": "No space left on device", "Read-only": "Read-only file system"}[disk] in play.output
        assert ("rolled back" if place == UNITS else "Nothing was changed") in play.output
        fault.answers()
    finally:
        ask(f"umount {place}; [ ! -d /run/fault-disk ] || {{ umount /run/fault-disk; rmdir /run/fault-disk; }}")
    fault.is_as_before()
    fault.next_site_works("")
