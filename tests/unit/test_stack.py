# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes on top of each other: what is in force when one of them goes, whichever goes first, and however it goes."""

from __future__ import annotations

import contextlib
import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, memory, script, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, confirm, mtu, mtus
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import Killed, ShellHost

SOMAXCONN = "/proc/sys/net/core/somaxconn"
UNITS = "/etc/systemd/system/linuxnet-tuning@"


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb, "igb1": igb}, {SOMAXCONN: "4096"})


def test_of_two_windows_each_ends_at_its_own_time(host):
    mtu(host, 1300, temporary=3600)
    host.passes(600)
    mtu(host, 1400, temporary=7200)
    host.passes(3000)
    assert mtus(host)[0] == 1400
    host.passes(4199)
    assert mtus(host)[0] == 1400
    host.passes(1)
    assert mtus(host)[0] == 1500
    assert host.clocks == {}


def test_what_a_window_could_not_set_back_is_restored_by_one_call(host):
    mtu(host, 1300, temporary=60)
    host.refused = ["link set dev igb0 mtu 1500", "link set dev igb0 down"]
    host.passes(60)
    assert mtus(host)[0] == 1300
    host.refused = []
    call(host, "link", state="restored")
    assert mtus(host)[0] == 1500
    assert host.originals() == {}


def test_the_second_window_may_end_first(host):
    mtu(host, 1300, temporary=3600)
    mtu(host, 1400, temporary=600)
    host.passes(600)
    assert mtus(host)[0] == 1300
    host.passes(3000)
    assert mtus(host)[0] == 1500


def test_windows_of_other_nics_do_not_move_each_other(host):
    mtu(host, 1300, "igb0", temporary=3600)
    mtu(host, 1300, "igb1", temporary=60)
    host.passes(60)
    assert mtus(host) == [1300, 1500]
    host.passes(3540)
    assert mtus(host) == [1500, 1500]


@pytest.mark.parametrize("permanent", [False, True])
def test_a_window_that_an_unconfirmed_call_closed_still_ends(host, permanent):
    mtu(host, 1300, temporary=3600)
    mtu(host, 9000, guard_timeout=60, permanent=permanent)
    host.passes(60)
    assert mtus(host)[0] == 1300
    host.passes(3540)
    assert mtus(host)[0] == 1500
    assert not host.clocks


def test_a_window_that_ends_under_an_unconfirmed_call_does_not_come_back(host):
    mtu(host, 1300, temporary=60)
    mtu(host, 9000, guard_timeout=120)
    host.passes(60)
    assert mtus(host)[0] == 9000
    host.passes(60)
    assert mtus(host)[0] == 1500


def test_a_window_that_ends_under_a_confirmed_call_is_over(host):
    mtu(host, 1300, temporary=60)
    mtu(host, 9000, guard_timeout=120)
    confirm(host)
    host.passes(600)
    assert mtus(host)[0] == 9000
    call(host, "link", state="restored")
    assert mtus(host)[0] == 1500
    assert host.originals() == {}


def test_an_unconfirmed_call_that_asks_for_the_value_of_a_window_outlives_it_once_confirmed(host):
    mtu(host, 1300, temporary=300)
    call(host, "ethtool", nics=[{"name": "igb0", "ring": {"rx": 4096}}], guard_timeout=60)
    mtu(host, 1300)  # no value changes, but the window must not end it
    confirm(host)
    host.passes(600)
    assert mtus(host)[0] == 1300


def test_what_a_window_holds_beside_the_key_that_is_permanent_now_still_ends(host):
    mtu(host, 1300, "igb0", "igb1", temporary=3600)
    mtu(host, 9000, "igb0")
    assert mtus(host) == [9000, 1300]
    host.passes(3600)
    assert mtus(host) == [9000, 1500]
    assert host.originals() == {("igb0", "mtu"): 1500}


def test_a_value_that_was_rejected_does_not_come_back(host):
    mtu(host, 9000, guard_timeout=60)
    mtu(host, 1300, guard_timeout=60, temporary=3600)
    host.passes(60)
    assert mtus(host)[0] == 1500
    host.passes(3600)
    assert mtus(host)[0] == 1500


def test_what_is_done_while_something_waits_goes_back_with_it(host):
    mtu(host, 9000, guard_timeout=60, permanent=True)
    call(host, "ethtool", nics=[{"name": "igb0", "features": {"gro": False}}], permanent=True, guard_timeout=60)
    call(host, "sysctl", sysctl={"net.core.somaxconn": 9000}, permanent=True)
    assert len([path for path in host.files if path.startswith(f"{UNITS}igb0.service.d/")]) == 2
    host.passes(60)
    assert (mtus(host)[0], host.devices["igb0"].features["gro"]) == (1500, True)
    assert host.files[SOMAXCONN] == "4096"
    assert not [path for path in host.files if path.startswith((UNITS, "/etc/sysctl.d"))]
    result = call(host, "ethtool", nics=[{"name": "igb0", "features": {"gro": True}}])
    assert result["reverted"].count("was reverted") == 3


def test_what_joins_waits_no_longer_than_the_newest_that_is_guarded(host):
    mtu(host, 9000, guard_timeout=600)
    mtu(host, 4000, guard_timeout=60)
    call(host, "ethtool", nics=[{"name": "igb0", "features": {"gro": False}}])
    host.passes(60)
    assert (mtus(host)[0], host.devices["igb0"].features["gro"]) == (1500, True)


def test_what_is_done_while_something_waits_stays_with_it(host):
    mtu(host, 9000, guard_timeout=60, permanent=True)
    call(host, "ethtool", nics=[{"name": "igb0", "features": {"gro": False}}], permanent=True)
    assert confirm(host)["changed"]
    host.passes(600)
    assert (mtus(host)[0], host.devices["igb0"].features["gro"]) == (9000, False)
    host.reboots()
    assert (mtus(host)[0], host.devices["igb0"].features["gro"]) == (9000, False)


def test_after_a_boot_only_what_was_confirmed_is_there(host):
    mtu(host, 9000, permanent=True)
    mtu(host, 1300, "igb1", temporary=3600)
    mtu(host, 4000, permanent=True, guard_timeout=60)
    host.reboots()
    assert mtus(host) == [9000, 1500]
    assert stack.read(host) == []
    assert mtu(host, 9000, permanent=True)["reverted"]


def test_keys_of_one_command_go_back_by_one_and_alone_where_that_is_refused(host):
    nics = [{"name": "igb0", "ring": {"rx": 4096, "tx": 4096}}]
    call(host, "ethtool", nics=nics, guard_timeout=60)
    host.refused = ["-G igb0 rx 256 tx 256"]
    host.passes(60)
    assert host.devices["igb0"].ring == {"rx": 256, "tx": 256}
    assert not host.files.get(f"{script.REVERTED}/failed")


def test_the_journal_tells_each_step(host):
    mtu(host, 9000, guard_timeout=60)
    host.passes(60)
    assert "nobody confirmed it: igb0 link mtu 9000 to 1500" in host.told
    mtu(host, 1300, temporary=60)
    host.passes(60)
    assert "its time is over: igb0 link mtu 1300 to 1500" in host.told


@pytest.mark.parametrize("fuse", range(12))
@pytest.mark.parametrize("waiting", [False, True])
def test_after_a_kill_between_any_two_actions_the_next_call_works(host, fuse, waiting):
    if waiting:
        mtu(host, 4000, guard_timeout=60)
    host.fuse = fuse
    with contextlib.suppress(Killed):
        mtu(host, 9000, guard_timeout=60)
    host.fuse = -1
    host.passes(120)
    assert mtus(host)[0] == 1500
    assert stack.read(host) == []
    mtu(host, 9000)
    call(host, "link", state="restored")
    assert mtus(host)[0] == 1500
    assert not [path for path in host.files if "linuxnet-tuning" in path]


@pytest.mark.parametrize("fuse", range(16))
def test_nothing_is_left_after_a_kill_between_any_two_actions_and_a_rollback(host, fuse):
    host.fuse = fuse
    with contextlib.suppress(Killed):
        mtu(host, 9000, permanent=True, guard_timeout=120)
    host.fuse = -1
    # The script was killed as well.
    host.files["/run/linuxnet-tuning/todo"] = ""
    guard.serve(host, "reverted", True)
    call(host, "tune", state="restored", file="90-linuxnet-tuning.conf", permanent=True)
    confirm(host)
    assert mtus(host) == [1500, 1500]
    assert host.clocks == {}
    assert not [path for path in host.files if "linuxnet-tuning" in path]


@pytest.mark.parametrize("fuse", range(10))
def test_a_window_ends_though_a_call_that_wanted_its_value_was_killed(host, fuse):
    mtu(host, 1300, temporary=60)
    host.fuse = fuse
    with pytest.raises(Killed):
        mtu(host, 1300, guard_timeout=60, permanent=True)
    host.fuse = -1
    host.passes(60)
    assert stack.read(host) == []
    # Killed at its very end, all of the call stays: it had nothing to confirm, for the value was in force.
    written = any(path.startswith(UNITS) for path in host.files)
    assert mtus(host)[0] == (1300 if written else 1500)
    assert written == (fuse > 7)


@pytest.mark.parametrize("counts", [True, False])
def test_units_that_ran_at_boot_do_not_count_as_active_once_nothing_of_ours_is_left(host, counts, monkeypatch):
    mtu(host, 9000, permanent=True)
    host.files.update({"/run/systemd/units/invocation:linuxnet-tuning@igb0.service": ""} if counts else {})
    done, do = [], host.do
    monkeypatch.setattr(host, "do", lambda action: done.append(str(action)) or do(action))
    call(host, "link", state="restored", permanent=True)
    assert ("systemctl stop 'linuxnet-tuning@*.service'" in done) == counts


OLD = {"version": 1, "at": "2026-05-04 08:00:00 UTC"}
CHANGE = {"nic": "igb0", "family": "link", "key": "mtu"}


@pytest.fixture
def upgraded(host):
    """What the version before has left: a window of 1300 below an unconfirmed 9000, files with it."""
    folder = memory.FOLDER
    below = {**OLD, "timeout": 3600, "changes": [{**CHANGE, "before": 1500, "after": 1300}]}
    above = {**OLD, "timeout": 60, "changes": [{**CHANGE, "before": 1300, "after": 9000}]}
    host.files.update(
        {
            memory.BASELINE: json.dumps({"version": 1, "values": [{**CHANGE, "value": 1500}]}),
            f"{folder}/window/run": "#!/bin/sh\n",
            f"{folder}/window/2/change.json": json.dumps(below),
            f"{folder}/window/2/revert": "live ip link set dev igb0 mtu 1500\n",
            f"{folder}/guard/run": "#!/bin/sh\n",
            f"{folder}/guard/1/change.json": json.dumps(above),
            f"{folder}/guard/1/file-1": "old\n",
            f"{folder}/guard/1/revert": "live ip link set dev igb0 mtu 1300\nput file-1 644 /etc/sysctl.d/90-a.conf\n",
            "/etc/sysctl.d/90-a.conf": "new\n",
        }
    )
    host.devices["igb0"].link["mtu"] = 9000
    return host


def test_changes_of_the_version_before_go_back(upgraded):
    mtu(upgraded, 4000, "igb1", guard_timeout=60)
    assert not [path for path in upgraded.files if "/guard/1/" in path or "/window/" in path]
    upgraded.passes(60)
    assert mtus(upgraded) == [1300, 1500]
    assert upgraded.files["/etc/sysctl.d/90-a.conf"] == "old\n"
    upgraded.passes(3540)
    assert mtus(upgraded) == [1500, 1500]


def test_changes_of_the_version_before_can_be_confirmed(upgraded):
    call(upgraded, "ethtool", nics=[{"name": "igb0", "features": {"gro": True}}])
    confirm(upgraded)
    assert mtus(upgraded)[0] == 9000
    assert stack.read(upgraded) == []
    call(upgraded, "link", state="restored")
    assert mtus(upgraded)[0] == 1500


def test_the_table_is_what_was_written(host):
    mtu(host, 9000, "igb0", "igb1", guard_timeout=60)
    mtu(host, 1300, temporary=60)
    found = stack.read(host)
    assert [(layer.waits, layer.end) for layer in found] == [(1060, 0), (1060, 1060)]
    assert [layer.held for layer in found] == [["igb0 link mtu", "igb1 link mtu"], ["igb0 link mtu"]]
    text = host.files[stack.TABLE]
    stack.write(host, found)
    assert host.files[stack.TABLE] == text


def test_a_held_call_leaves_alone_what_somebody_else_has_not_confirmed(host):
    """The verdict would confirm or revert that too. What a lost controller has left is of the inventory."""
    mtu(host, 1400, guard_timeout=600)
    (layer,) = guard.pending(host)
    host.passes(20)
    held = {"view": "tune", "sysctl": {"net.core.somaxconn": 123}, "hold": True, "guard_timeout": 60, "permanent": True}
    with pytest.raises(TuningError, match=r"none of its settings.* 580 s \(igb0 link mtu 1400 to 1500\)\. Nothing"):
        call(host, **held)
    assert (host.files[SOMAXCONN], guard.pending(host)) == ("4096", [layer])
    assert call(host, nics=[{"name": "igb0", "mtu": 1400}], **held)["changed"]
    confirm(host)
    assert (host.files[SOMAXCONN].strip(), mtus(host)[0]) == ("123", 1400)


def test_a_held_call_goes_on_where_files_alone_are_unconfirmed(host):
    mtu(host, 1400)
    mtu(host, 1400, permanent=True, hold=True, guard_timeout=60)
    assert guard.pending(host)
    assert call(host, "tune", sysctl={"net.core.somaxconn": 123}, hold=True, guard_timeout=60)["changed"]


def test_a_held_call_goes_on_where_a_bond_is_unconfirmed(host):
    """The play before it makes the bonds; where a host is lost there, that waits still."""
    mtu(host, 1400, guard_timeout=600)
    table = host.files[stack.TABLE]
    host.files[stack.TABLE] = table.replace("igb0 link ", "bond0 bonding ")
    assert host.files[stack.TABLE] != table
    assert call(host, "tune", sysctl={"net.core.somaxconn": 123}, hold=True, guard_timeout=60)["changed"]
