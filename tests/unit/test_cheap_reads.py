# SPDX-License-Identifier: GPL-3.0-or-later
"""What an audit learns from a file of the kernel, without the program that would cost more."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import paths
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import managers
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

SLICE = "/sys/fs/cgroup/system.slice"


def host_of(files, answer=(1, "", "")):
    return memory_host.MemoryHost(lambda _argv, _data="": answer, memory_host.Files(files))


@pytest.mark.parametrize(
    ("release", "statistics", "families"),
    [
        ("6.1.0-39-amd64", "0009 0006 0030 0007 0000 0000 0000", ["-4"]),
        ("6.1.0-39-amd64", "0009 0006 0030 0007 0002 0000 0000", ["-4", "-6"]),
        # Before Linux 4.15 the kernel left the number at 0.
        ("3.10.0-1160.el7.x86_64", "0009 0006 0030 0007 0000 0000 0000", ["-4", "-6"]),
        ("6.1.0-39-amd64", "", ["-4", "-6"]),
        ("", "0009 0006 0030 0007 0000 0000 0000", ["-4", "-6"]),
    ],
)
def test_ip_is_only_started_for_exceptions_that_there_may_be(release, statistics, families):
    host = host_of({"/proc/sys/kernel/osrelease": f"{release}\n", "/proc/net/rt6_stats": f"{statistics}\n"})
    paths.learned(host)
    assert [argv[1] for argv in host.commands] == families


@pytest.mark.parametrize(
    ("first", "units", "programs"),
    [
        ("systemd", ["ssh.service"], []),
        ("systemd", ["ssh.service", "systemd-networkd.service"], ["systemctl", "networkctl"]),
        # Where the kernel tells nothing, systemd is the one to know, if it is there.
        ("systemd", [], ["systemctl", "networkctl"]),
        ("busybox", [], []),
    ],
)
def test_systemd_is_only_started_for_a_manager_that_may_run(first, units, programs):
    files = {"/proc/1/comm": f"{first}\n", **{f"{SLICE}/{unit}/cgroup.procs": "7\n" for unit in units}}
    host = host_of(files, (0, "inactive\nactive\n", ""))
    managers.owned(host)
    assert [argv[0] for argv in host.commands] == programs
