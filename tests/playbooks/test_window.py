# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook mtu_window: which NICs it takes of a router with three networks, and what it refuses and says."""

from __future__ import annotations

import json
import re
import sys
import time

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import nics
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Identity
from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

STUB = """
def answer(host, asked, _check_mode, variables):
    with open(folder + "/calls", "a") as calls:
        calls.write(json.dumps([host, asked]) + "\\n")
    return {"changed": True, "after": {name: {"link": {"mtu": 1300}} for name in variables["opened"]}}
"""
# The router of a classroom: to the backbone, to the room, to the internet; a PC; a server behind the router.
ADDRESSES = {
    "router": {
        "enp1s0f0": ["10.1.0.3/16"],
        "enp1s0f1": ["192.168.34.1/24"],
        "eno1": ["203.0.113.7/29"],
    },
    "pc21": {"eno1": ["192.168.34.21/24"]},
    "server": {"bond0": ["10.1.0.10/16"]},
}
ROOM = "192.168.34.0/24"


def window(folder, hosts=tuple(ADDRESSES), opened=("router", "pc21"), **variables):
    """Run it: its end, what it said in one line, and by host the NICs whose MTU was set."""
    if not (folder / "cable").exists():
        made_up.collection(folder, STUB, ("link",))
    shared = {"ansible_connection": "local", "ansible_become": False, "ansible_python_interpreter": sys.executable}
    named = {host: {"opened": ["one"] if host in opened else []} for host in hosts}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": named, "vars": shared}}))
    (folder / "calls").write_text("")
    ended, said = made_up.play(folder, "hosts.json", "linuxnet.tuning.mtu_window", variables=variables)
    calls = [json.loads(line) for line in (folder / "calls").read_text().splitlines()]
    took = {host: taken(host, asked) for host, asked in calls}
    return ended, " ".join(said.split()), took, [asked for _host, asked in calls]


def taken(host, asked):
    own = ADDRESSES[host]
    have = [Identity(name, physical=True) for name in own]
    return sorted(name for entry in asked["nics"] for name in nics.select(entry, have, lambda _nic: 0, lambda: own))


def test_a_router_with_three_networks_changes_the_port_to_the_room_alone(tmp_path):
    ended, said, took, calls = window(tmp_path, mtu_window_networks=ROOM, mtu_window_seconds=7200)
    assert ended == 0, said
    assert took == {"router": ["enp1s0f1"], "pc21": ["eno1"], "server": []}
    assert all(int(asked["temporary"]) == 7200 for asked in calls)
    assert {int(entry["mtu"]) for asked in calls for entry in asked["nics"]} == {1300}
    assert f"No NIC has an address in {ROOM} on server. Nothing was changed there." in said
    end = re.search(r"The MTU is 1300 on one of router, one of pc21 until (\d\d):(\d\d) by the clock", said)
    assert end, said
    late = (int(end[1]) * 60 + int(end[2]) - time.localtime().tm_hour * 60 - time.localtime().tm_min) % 1440
    assert 117 <= late <= 120
    assert "ansible all -b -m linuxnet.tuning.guard -a 'state=reverted temporary=true'" in said


@pytest.mark.parametrize("pattern", ["en*", "e?o1", "[e]no1", ["eno1", "enp*"]])
def test_patterns_are_refused_before_anything_is_touched(tmp_path, pattern):
    ended, said, took, _calls = window(tmp_path, mtu_window_nics=pattern)
    assert ended != 0 and took == {}
    first = pattern if isinstance(pattern, str) else "enp*"
    assert f"mtu_window_nics has the pattern {first}, which means every NIC that is called so" in said
    assert "mtu_window_networks=192.168.32.0/24" in said and "Nothing was changed." in said


def test_neither_networks_nor_nics_are_refused(tmp_path):
    ended, said, took, _calls = window(tmp_path)
    assert ended != 0 and took == {}
    assert "Say which networks the window is about" in said


def test_names_are_for_the_hosts_that_have_them(tmp_path):
    names = ["bond0", "enp1s0f1"]
    ended, said, took, _calls = window(tmp_path, opened=("router", "server"), mtu_window_nics=names)
    assert ended == 0, said
    assert took == {"router": ["enp1s0f1"], "pc21": [], "server": ["bond0"]}
    assert "No NIC is called bond0, enp1s0f1 on pc21. Nothing was changed there." in said


def test_a_window_that_is_open_nowhere_is_an_error(tmp_path):
    ended, said, _took, _calls = window(tmp_path, opened=(), mtu_window_networks="192.168.99.0/24")
    assert ended != 0
    assert "No NIC has an address in 192.168.99.0/24 on any host. Nothing was changed." in said
