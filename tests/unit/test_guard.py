# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back as plain commands: carried out on devices in memory, it leads where the change came from."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine, guard, plan, revert
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import (
    EXACTLY,
    Address,
    Cell,
    Change,
    Poke,
    Run,
    Save,
    Wish,
    plain,
)
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.tests.unit.fake_host import FakeHost, igb

FAMILIES = registry.view("tune")


@settings(max_examples=60, deadline=None)
@given(
    rx=st.integers(10, 512).map(lambda number: number * 8),
    channels=st.integers(1, 8),
    gro=st.booleans(),
    mtu=st.integers(68, 9216),
)
def test_the_inverse_leads_back(rx, channels, gro, mtu):
    host = FakeHost({"igb0": igb()})
    wishes = {
        Address("ring", "igb0", "rx"): Wish(EXACTLY, rx),
        Address("channels", "igb0", "combined"): Wish(EXACTLY, channels),
        Address("features", "igb0", "gro"): Wish(EXACTLY, gro),
        Address("link", "igb0", "mtu"): Wish(EXACTLY, mtu),
    }
    groups = engine._groups(wishes)
    before = engine.read(host, FAMILIES, groups).cells
    todo = plan.make(wishes, before, FAMILIES, {})
    back = revert.inverse(FAMILIES, todo, before, [])
    for (name, scope), values in plan.steps(todo.changes).items():
        for action in FAMILIES[name].write(scope, values, plan.keys(before, name, scope)):
            assert host.do(action) == ""
    for action in back:
        assert host.do(action) == ""
    after = engine.read(host, FAMILIES, groups).cells
    assert {address: after[address].value for address in wishes} == {a: before[a].value for a in wishes}


def test_filters_come_back_with_the_clsact_that_was_left():
    clients = ("192.168.32.1=1", "others=0")
    state = {"method": "clsact", "clients": clients, "root": "mq 0:", "clsact": True, "others": (), "queues": 4}
    before = {Address("multiq", "igb0", key): Cell(value) for key, value in state.items()}
    todo = plan.make({Address("multiq", "igb0", "method"): Wish(EXACTLY, "multiq")}, before, FAMILIES, {})
    lines = [line for action in revert.inverse(FAMILIES, todo, before, []) for line in plain(action)]
    assert lines[:2] == ["tc qdisc add dev igb0 clsact", "tc qdisc del dev igb0 root"]
    assert sum("filter add" in line for line in lines) == len(clients)


def test_what_is_newest_goes_back_first():
    wishes = {Address("link", "igb0", "mtu"): Wish(EXACTLY, 9000), Address("ring", "igb0", "rx"): Wish(EXACTLY, 4096)}
    before = engine.read(FakeHost({"igb0": igb()}), FAMILIES, engine._groups(wishes)).cells
    back = revert.inverse(FAMILIES, plan.make(wishes, before, FAMILIES, {}), before, [])
    assert [str(action) for action in back] == ["ethtool -G igb0 rx 256", "ip link set dev igb0 mtu 1500"]


# A name that a shell would take for a command.
EVIL = "a;touch x"


@pytest.mark.parametrize(
    "action",
    [
        Run(("ip", "link", "set", "dev", EVIL, "mtu", "1500")),
        Run(("tc", "-batch", "-"), ("qdisc del dev $(touch x) root",)),
        Save(f"/etc/{EVIL}", "text"),
        Save(f"/etc/{EVIL}", None),
        Poke("/x", "1", f"echo 1 > {shlex.quote(EVIL)}"),
    ],
)
def test_no_word_becomes_a_command(action, tmp_path):
    """A real shell with harmless words for programs runs the lines in an empty folder."""
    lines, _files = revert.script([action])
    harmless = "live() { :; }; put() { :; }; rm() { :; }\n"
    done = subprocess.run(["sh", "-c", harmless + "\n".join(lines)], cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, b"", [])


def test_at_boot_only_what_is_about_files_runs():
    lines, files = revert.script(
        [
            Run(("ip", "link", "set", "dev", "igb0", "mtu", "1500")),
            Run(("systemctl", "disable", "--quiet", "linuxnet-tuning@igb0.service")),
            Save("/etc/a", "old\n"),
            Save("/etc/b", None),
        ]
    )
    assert [line.split()[0] for line in lines] == ["live", "systemctl", "put", "rm"]
    assert files == {"file-1": "old\n"}


def test_a_level_tells_what_it_changed_in_one_breath():
    changes = [Change(Address("ring", f"igb{number}", "rx"), 256, 4096) for number in range(7)]
    level = guard.Level(1, "now", 120, tuple(guard._about(change) for change in changes))
    assert str(level).startswith("igb0 ring rx 4096 to 256, ")
    assert str(level).endswith(", and 2 more")
