# SPDX-License-Identifier: GPL-3.0-or-later
"""A NIC that does not come back to its MTU at the end of a window, by the shell's way back and real iproute2.

The NICs are veths in a network namespace of the test; an `ip` in front of the real one refuses what such a driver does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back.script import RUN_TEXT

STUBBORN = """#!/bin/sh
up() { [ -n "$(IP -o link show dev $1 up)" ]; }
case "$*" in
"link set dev win0 mtu 1500")
  case $STUBBORN in
  refuses) [ -z "$(IP -o link show dev win0 up)" ] || exit 2 ;;
  ignores) [ -z "$(IP -o link show dev win0 up)" ] || exit 0 ;;
  port) ! up prt0 || exit 2 ;;
  never) exit 0 ;;
  esac ;;
# A macvlan in the place of a VLAN, which goes down and up with the NIC below it (vlan_device_event in the kernel).
"link set dev win0 down") [ ! -e /sys/class/net/win0.7 ] || IP link set dev win0.7 down ;;
"link set dev win0 up") IP "$@"; [ ! -e /sys/class/net/win0.7 ] || IP link set dev win0.7 up; exit ;;
"-o link show up type vlan") exec IP -o link show up type macvlan ;;
# A bridge in the place of a bond.
"-d -o link show dev win0") [ $STUBBORN != port ] || { echo "9: win0: <UP> bond mode balance-rr"; exit; } ;;
esac
exec IP "$@"
"""
LAYER = """layer\t1\t0\t5\t{"at": "now", "timeout": 5, "changes": []}
key\t1\t0\theld\twin0 link mtu\t1300\t1500\tlive ip link set dev win0\tmtu 1500
"""
MAKE = """
ip link add win0 type veth peer name win1
ip link set lo up; ip link set win1 up; ip link set win0 up
ip addr add 192.0.2.1/24 dev win0
ip route add 198.51.100.0/24 via 192.0.2.9 dev win0 metric 77
ip link set dev win0 mtu 1300
"""
ADDRESSES = """
ip -6 addr add 2001:db8::1/64 dev win0 nodad
ip -6 route add 2001:db8:5::/48 via 2001:db8::9 dev win0 metric 99
ip route add 203.0.113.0/24 dev win0 table 77
"""


VLAN = """
ip link add link win0 name win0.7 type macvlan
ip link set win0.7 up
ip addr add 10.7.0.1/24 dev win0.7
ip route add 10.77.0.0/16 via 10.7.0.9 dev win0.7 metric 7
"""
VLAN_ADDRESSES = """
ip -6 addr add 2001:db8:7::1/64 dev win0.7 nodad
ip -6 route add 2001:db8:77::/48 via 2001:db8:7::9 dev win0.7 metric 7
"""
VLAN_KEY = "key\t1\t0\tbeside\twin0.7 link mtu\tnull\t1500\tlive ip link set dev win0.7\tmtu 1500\n"
BOND = """
ip link add win0 type bridge; ip link add prt0 type veth peer name prt1
ip link set prt0 master win0; ip link set prt1 up; ip link set prt0 up; ip link set win0 up
ip addr add 192.0.2.1/24 dev win0
ip route add 198.51.100.0/24 via 192.0.2.9 dev win0 metric 77
ip link set dev win0 mtu 1300
"""


def inside(script, folder, stubborn=""):
    """What a script says in the namespace of the test."""
    environment = {**os.environ, "STUBBORN": stubborn, "PATH": f"{folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    command = ["ip", "netns", "exec", f"window-{os.getpid()}", "sh", "-c", script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture
def folder(tmp_path):
    if os.geteuid() or subprocess.run(["ip", "netns", "add", f"window-{os.getpid()}"], check=False).returncode:
        pytest.skip("network namespaces need root")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/logger").symlink_to("/bin/true")
    yield tmp_path
    subprocess.run(["ip", "netns", "del", f"window-{os.getpid()}"], check=True)


def window_ends(folder, stubborn, layer=LAYER):
    """The end of the window on such a NIC: what it says, and the files that it leaves."""
    (folder / "layers").write_text(layer)
    moved = RUN_TEXT.replace("/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin", f"{folder}/bin:$PATH")
    moved = moved.replace("/run/linuxnet-tuning", f"{folder}/run").replace("/var/lib/linuxnet-tuning", f"{folder}/lib")
    (folder / "revert").write_text(moved)
    (folder / "bin/ip").write_text(STUBBORN.replace("IP", shutil.which("ip", path="/usr/sbin:/usr/bin:/sbin:/bin")))
    (folder / "bin/ip").chmod(0o755)
    said = inside(f"sh {folder}/revert held all", folder, stubborn)
    left = folder / "lib/reverted/failed"
    return said, left.read_text() if left.exists() else ""


@pytest.mark.parametrize("stubborn", ["", "refuses", "ignores"])
def test_a_nic_that_keeps_its_mtu_goes_down_and_comes_back_with_all_it_had(folder, stubborn):
    six = Path("/proc/sys/net/ipv6").exists()
    inside(MAKE + ADDRESSES * six, folder)
    asks = [
        f"ip -{way} {what}" for way in (4, 6) for what in ("-o addr show dev win0", "route show table all dev win0")
    ]
    # Without the state of an address that the kernel is still asking about.
    plain = "sed 's/ tentative//; s/ *$//'"
    before = [sorted(inside(f"{ask} | {plain}", folder).splitlines()) for ask in asks]
    said, failed = window_ends(folder, stubborn)
    assert "mtu 1500" in inside("ip -o link show dev win0 up", folder)
    assert ("so it went down and up" in said) == bool(stubborn)
    assert "cannot set" not in said
    assert not failed
    assert [sorted(inside(f"{ask} | {plain}", folder).splitlines()) for ask in asks] == before


def test_a_nic_that_keeps_its_mtu_for_good_is_named(folder):
    inside(MAKE, folder)
    said, failed = window_ends(folder, "never")
    assert "cannot set win0 link mtu back to 1500: the device answers 1300" in said
    assert failed == "win0 link mtu\t1500\n"
    assert "mtu 1300" in inside("ip -o link show dev win0 up", folder)


def addressed(folder, nic):
    """The addresses and routes of a NIC, but for what the kernel gives to it by itself."""
    asks = [f"ip -{way} {what} dev {nic}" for way in (4, 6) for what in ("-o addr show", "route show table all")]
    lines = [line.strip() for ask in asks for line in inside(ask, folder).splitlines()]
    return sorted(line for line in lines if "fe80::" not in line and "ff00::" not in line)


@pytest.mark.parametrize("stubborn", ["refuses", "ignores"])
def test_a_vlan_above_comes_back_with_its_mtu_and_all_it_had(folder, stubborn):
    six = Path("/proc/sys/net/ipv6").exists()
    inside(MAKE + VLAN + VLAN_ADDRESSES * six, folder)
    before = addressed(folder, "win0.7")
    said, failed = window_ends(folder, stubborn, LAYER + VLAN_KEY)
    assert "win0 kept its MTU, so it went down and up" in said and not failed
    assert "mtu 1500" in inside("ip -o link show dev win0.7 up", folder)
    assert addressed(folder, "win0.7") == before


def test_the_ports_of_a_bond_go_down_as_well(folder):
    inside(BOND, folder)
    before = addressed(folder, "win0")
    said, failed = window_ends(folder, "port")
    assert "win0 kept its MTU, so it went down and up" in said and not failed
    assert "mtu 1500" in inside("ip -o link show dev win0 up", folder)
    assert "prt0" in inside("ip -o link show dev prt0 up", folder)
    assert addressed(folder, "win0") == before
