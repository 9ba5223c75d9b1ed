# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back as plain commands: carried out on devices in memory, it leads where the change came from."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import conclude, prepare
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import revert, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import (
    EXACTLY,
    Address,
    Cell,
    Change,
    Desired,
    Poke,
    Run,
    Save,
    plain,
)
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb

FAMILIES = registry.view("tune")


def way_back(todo, before, beside=()):
    return [action for step in revert.steps(FAMILIES, todo, before, beside) for action in step.actions]


@settings(max_examples=60, deadline=None)
@given(
    rx=st.integers(10, 512).map(lambda number: number * 8),
    channels=st.integers(1, 8),
    gro=st.booleans(),
    mtu=st.integers(68, 9216),
)
def test_the_inverse_leads_back(rx, channels, gro, mtu):
    host = DeviceHost({"igb0": igb()})
    desired = {
        Address("ring", "igb0", "rx"): Desired(EXACTLY, rx),
        Address("channels", "igb0", "combined"): Desired(EXACTLY, channels),
        Address("features", "igb0", "gro"): Desired(EXACTLY, gro),
        Address("link", "igb0", "mtu"): Desired(EXACTLY, mtu),
    }
    groups = prepare.groups_of(desired)
    before = prepare.read(host, FAMILIES, groups).cells
    todo = plan.make(desired, before, FAMILIES, {})
    back = way_back(todo, before)
    for (name, scope), values in plan.steps(todo.changes).items():
        for action in FAMILIES[name].write(scope, values, plan.keys(before, name, scope)):
            assert host.do(action) == ""
    for action in back:
        assert host.do(action) == ""
    after = prepare.read(host, FAMILIES, groups).cells
    assert {address: after[address].value for address in desired} == {a: before[a].value for a in desired}


def test_filters_come_back_with_the_clsact_that_was_left():
    clients = ("192.168.32.1=1", "others=0")
    state = {"method": "clsact", "clients": clients, "root": "mq 0:", "clsact": True, "others": (), "queues": 4}
    before = {Address("multiq", "igb0", key): Cell(value) for key, value in state.items()}
    todo = plan.make({Address("multiq", "igb0", "method"): Desired(EXACTLY, "multiq")}, before, FAMILIES, {})
    lines = [line for action in way_back(todo, before) for line in plain(action)]
    assert lines[:2] == ["tc qdisc add dev igb0 clsact", "tc qdisc del dev igb0 root"]
    assert sum("filter add" in line for line in lines) == len(clients)


@pytest.mark.parametrize(
    ("current", "desired", "there", "back"),
    [
        ((8, "equal"), (2, "weight 3 1"), ["-X weight", "-L combined"], ["-L combined", "-X default"]),
        ((2, "weight 3 1"), (8, "equal 6"), ["-L combined", "-X equal"], ["-X weight", "-L combined"]),
    ],
)
def test_what_uses_queues_lets_go_of_them_before_there_are_fewer(current, desired, there, back):
    addresses = [Address("channels", "igb0", "combined"), Address("rss", "igb0", "indirection")]
    before = {address: Cell(value) for address, value in zip(addresses, current, strict=True)}
    todo = plan.make(
        {address: Desired(EXACTLY, value) for address, value in zip(addresses, desired, strict=True)},
        before,
        FAMILIES,
        {},
    )
    assert _short(plan.commands(todo.changes, before, FAMILIES)) == there
    assert _short([str(action) for action in way_back(todo, before)]) == back


def _short(commands):
    return [f"{words[1]} {words[3]}" for words in map(str.split, commands)]


def test_leaves_come_back_with_the_mq_that_was_left():
    root, leaves = (Address("qdisc", "v0", key) for key in ("root", "leaves"))
    before = {root: Cell("mq", where="1:"), leaves: Cell("bfifo limit 20480", where="2")}
    expand = FAMILIES["qdisc"].expand
    made = expand("v0", {"root": Desired(EXACTLY, "pfifo")}, plan.keys(before, "qdisc", "v0"), {})
    desired = {Address("qdisc", "v0", key): one for key, one in made.desired.items()}
    todo = plan.make(desired, before, FAMILIES, {})
    assert plan.commands(todo.changes, before, FAMILIES) == ["tc qdisc replace dev v0 root pfifo"]
    assert [line for action in way_back(todo, before) for line in plain(action)] == [
        "tc qdisc del dev v0 root",
        "tc qdisc replace dev v0 root handle 1: mq",
        "tc qdisc replace dev v0 parent 1:1 bfifo limit 20480",
        "tc qdisc replace dev v0 parent 1:2 bfifo limit 20480",
    ]


def test_leaves_that_go_take_their_mq_along():
    """Where the leaf of an mq is deleted, the kernel leaves one that drops everything."""
    cells = {"root": Cell("mq", where="1:"), "leaves": Cell("bfifo limit 9; pfifo limit 9", where="2")}
    for desired, kept in (("default", []), ("bfifo limit 9; default", ["parent 1:1 bfifo limit 9"])):
        actions = FAMILIES["qdisc"].write("v0", {"leaves": desired}, cells)
        anew = ["qdisc del dev v0 root", "qdisc replace dev v0 root handle 1: mq"]
        assert [line for action in actions for line in action.lines] == [
            *anew,
            *(f"qdisc replace dev v0 {leaf}" for leaf in kept),
        ]


def test_virtual_functions_go_back_however_many_there_are():
    address = Address("sriov", "eth0", "vfs")
    before = {address: Cell(2, maximum=8)}
    todo = plan.make({address: Desired(EXACTLY, 4)}, before, FAMILIES, {})
    (line,), _files = revert.lines(revert.steps(FAMILIES, todo, before, []), 1, {address: 4})
    assert line.command.count("sriov_numvfs") == 2 and "echo 0" in line.command and "echo 2" in line.command


def test_what_is_newest_goes_back_first():
    desired = {
        Address("link", "igb0", "mtu"): Desired(EXACTLY, 9000),
        Address("ring", "igb0", "rx"): Desired(EXACTLY, 4096),
    }
    before = prepare.read(DeviceHost({"igb0": igb()}), FAMILIES, prepare.groups_of(desired)).cells
    back = way_back(plan.make(desired, before, FAMILIES, {}), before)
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


def test_rules_go_back_as_a_whole():
    """One that is new goes away, and one that was changed is deleted first."""
    new, old = "tcp4 dst-port 2049 action 2", "tcp4 dst-port 111 action 1"
    before = {
        Address("ntuple_rules", "igb0", "7"): Cell(None),
        Address("ntuple_rules", "igb0", "9"): Cell(old),
    }
    todo = plan.make(dict.fromkeys(before, Desired(EXACTLY, new)), before, FAMILIES, {})
    way = revert.steps(FAMILIES, todo, before, [])
    made, _files = revert.lines(way, 1, {change.address: new for change in todo.changes})
    (command,) = {line.command for line in made}
    words = [one.split("live ")[-1].replace(" || bad=1", "") for one in command.split("; ")]
    assert words == [
        "ethtool -N igb0 delete 7",
        "ethtool -N igb0 delete 9",
        f"ethtool -N igb0 flow-type {old} loc 9",
    ]


def test_one_rule_is_taken_away_once():
    before = {Address("ntuple_rules", "igb0", str(address)): Cell(None) for address in (7,)}
    todo = plan.make(dict.fromkeys(before, Desired(EXACTLY, "tcp4 dst-port 2049 action 2")), before, FAMILIES, {})
    made, _files = revert.lines(revert.steps(FAMILIES, todo, before, []), 1, dict.fromkeys(before, "x"))
    assert [(line.command, line.words) for line in made] == [("live ethtool -N igb0 delete 7", "")]


def test_an_alias_may_have_lines_and_tabs():
    """The table has a line for each key, and tabs between its words."""
    old = "rack 7\tport 1\n"
    for others in ([], [Run(("ip", "link", "set", "dev", "igb0", "mtu", "1500"))]):
        files = {}
        line, joins = revert._command([*others, Run(("ip", "link", "set", "dev", "igb0", "alias", old))], 1, files)
        assert (line, joins) == (". ./1-1-commands", "")
        assert shlex.quote(old) in files["1-1-commands"]


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


def test_a_layer_tells_what_it_changed_in_one_breath():
    changes = [Change(Address("ring", f"igb{number}", "rx"), 256, 4096) for number in range(7)]
    layer = stack.Layer(1, "now", 120, tuple(stack.about(change) for change in changes))
    assert str(layer).startswith("igb0 ring rx 4096 to 256, ")
    assert str(layer).endswith(", and 2 more")


def test_a_drop_in_that_a_call_computes_anew_goes_back():
    """The number of queues decides what stands in the drop-in of irq, which the plan leaves as it is."""
    path = "/etc/systemd/system/linuxnet-tuning@igb0.service.d/50-irq.conf"
    other = path.replace("igb0", "igb1")
    cells = {Address("boot", "", path): Cell("for two\n"), Address("boot", "", other): Cell("for one\n")}
    channels = Address("channels", "igb0", "combined")
    todo = plan.Plan([Change(channels, 2, 4)], planned={channels: 4})
    before = {**cells, channels: Cell(2)}
    anew = conclude._anew(before, {channels})
    _lines, files = revert.script(way_back(todo, before, anew))
    assert list(files.values()) == ["for two\n"]


def test_what_virtual_functions_had_goes_back_after_their_number():
    here = {"vfs": 2, "trust": "on off", "vlan": "10 0", "link_state": "auto auto"}
    before = {Address("sriov", "v0", key): Cell(value) for key, value in here.items()}
    number = Address("sriov", "v0", "vfs")
    todo = plan.make({number: Desired(EXACTLY, 3)}, before, FAMILIES, {})
    assert [str(action) for action in way_back(todo, before, list(before))] == [
        "echo 0 > /sys/class/net/v0/device/sriov_numvfs",
        "echo 2 > /sys/class/net/v0/device/sriov_numvfs",
        "ip link set dev v0 vf 0 vlan 10 trust on",
        "ip link set dev v0 vf 1 trust off",
    ]
    beside = conclude._loose(FAMILIES, conclude._shaken(FAMILIES, before, {number}))
    assert set(beside) == set(before)
