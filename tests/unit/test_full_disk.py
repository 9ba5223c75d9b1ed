# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that are full or read-only while a change is taken back: nothing of the way back is lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, memory, shell, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import script as taking
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.tests.unit import test_host
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, confirm, mtu, mtus
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

UNITS = "/etc/systemd/system/linuxnet-tuning@"
DROPIN = f"{UNITS}igb0.service.d/20-link.conf"
# Fails where it would write below /etc.
READ_ONLY = """#!/bin/sh
case "$*" in */etc/*) exit 1 ;; esac
PATH=/usr/bin:/bin
exec "${0##*/}" "$@"
"""


@pytest.fixture
def run(tmp_path):
    """Runs the script on a table of one key, and gives what it tells; its folders are those of this test."""
    text = taking.RUN_TEXT.replace(shell.WORK, f"{tmp_path}/work").replace(memory.FOLDER, str(tmp_path))
    for folder in ("guard", "work"):
        (tmp_path / folder).mkdir()
    (tmp_path / "guard/run").write_text(text)
    key = f"igb0 link mtu\t9000\t1500\ttouch\t{tmp_path}/back"
    (tmp_path / "guard/layers").write_text(f"layer\t1\t1\t0\t{{}}\nkey\t1\t0\theld\t{key}\n")
    argv = ["sh", tmp_path / "guard/run"]
    return lambda: subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_file_that_is_put_back_has_the_group_of_the_one_there(run, tmp_path):
    there = tmp_path / "there.conf"
    there.write_text("new\n")
    os.chown(there, -1, test_host.another_group())
    (tmp_path / "guard/1-1-1").write_text("old\n")
    line = f"key\t1\t0\theld\t/ boot {there}\t-\t-\tput 1-1-1 750 {there}\t\n"
    (tmp_path / "guard/layers").write_text("layer\t1\t1\t0\t{}\n" + line)
    run()
    assert there.read_text() == "old\n"
    assert there.stat().st_gid == test_host.another_group() and there.stat().st_mode & 0o777 == 0o750
    assert sorted(path.name for path in tmp_path.iterdir() if "there" in path.name) == ["there.conf"]


@pytest.mark.parametrize("full", ["todo", "rest", "again", ""])
def test_what_cannot_be_noted_in_run_is_noted_beside_the_table(run, tmp_path, full):
    work, beside = tmp_path / "work", tmp_path / "guard"
    if full:
        # A folder of this name takes no text, as a disk without room.
        (work / full).mkdir()
    else:
        work.rmdir()
        work.touch()  # not even the lock
    (beside / "todo").mkdir()
    assert f"no room in {work} and {beside}" in run()
    assert (beside / "layers").exists()
    assert not (tmp_path / "back").exists()
    (beside / "todo").rmdir()
    assert "igb0 link mtu 9000 to 1500" in run()
    assert (tmp_path / "back").exists()
    assert [path.name for path in beside.iterdir()] == ["run"]


def test_the_table_stays_where_a_note_finds_no_room_later(run, tmp_path):
    """As where /run becomes full meanwhile, and the file of this key could not be put back either."""
    table = tmp_path / "guard/layers"
    table.write_text(table.read_text().replace("\ttouch\t", "\tunwritten=1; sed() { return 1; }; touch\t"))
    before = table.read_text()
    run()
    assert table.read_text() == before


def test_what_a_killed_script_has_begun_nobody_confirms(run, tmp_path):
    table = tmp_path / "guard/layers"
    text = table.read_text().replace("layer\t1\t1\t", "layer\t1\t500\t")
    table.write_text(text.replace("\ttouch\t", "\tkill -KILL $$; touch\t"))
    with pytest.raises(subprocess.CalledProcessError):
        run()
    assert table.read_text().startswith(f"layer\t1\t{stack.GOING}\t")
    table.write_text(table.read_text().replace("kill -KILL $$; ", ""))
    assert "igb0 link mtu 9000 to 1500" in run()
    assert not table.exists() and (tmp_path / "reverted/1.json").exists()


def test_a_confirmation_finishes_what_a_killed_script_has_begun(host):
    stack.write(host, [layer._replace(waits=stack.GOING) for layer in stack.read(host)])
    assert not guard.pending(host)
    assert "reverted by itself" in guard.serve(host, "confirmed", False)["msg"]
    assert mtus(host) == [1400, 1500]
    assert not stack.read(host)


def test_it_comes_to_its_end_where_nobody_hears_it_any_more(run, tmp_path):
    """As where the call that has started it is killed alone."""
    table = tmp_path / "guard/layers"
    with subprocess.Popen(["sh", tmp_path / "guard/run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        process.stdout.close()
    assert (tmp_path / "back").exists() and not table.exists()


@pytest.mark.parametrize("line", ["true", "false"])
def test_the_table_stays_until_there_is_room_for_what_the_next_call_tells(run, tmp_path, line):
    """That the change was taken back, and what could not be."""
    table = tmp_path / "guard/layers"
    text = table.read_text().replace("layer\t1\t1\t", "layer\t1\t2\t")
    table.write_text(text.replace("\ttouch\t", f"\t{line}\t"))
    (tmp_path / "reverted").touch()  # a file of this name takes nothing, as a disk without room
    run()
    assert table.exists()
    (tmp_path / "reverted").unlink()
    run()
    assert not table.exists()
    told = {path.name for path in (tmp_path / "reverted").iterdir()}
    assert told == {"1.json", *["failed"] * (line == "false")}


def test_commands_are_not_repeated_until_there_is_room_for_their_files(run, tmp_path):
    """As those of a bond, which would go and come every 30 seconds."""
    table, back, source = tmp_path / "guard/layers", tmp_path / "back", tmp_path / "guard/1-1"
    command = f"live touch {back} || bad=1; put 1-1 644 {tmp_path}/etc/file || bad=1; live touch"
    text = table.read_text().replace("layer\t1\t1\t", "layer\t1\t2\t")
    table.write_text(text.replace(f"\ttouch\t{back}", f"\t{command}\t{back}2"))
    again = Path(f"{back}2")
    run()
    assert back.exists() and again.exists() and table.exists()
    back.unlink()
    again.unlink()
    run()
    assert not back.exists() and not again.exists() and table.exists()
    source.write_text("text")
    run()
    assert back.exists() and again.exists() and not table.exists()
    assert [path.name for path in (tmp_path / "etc").iterdir()] == ["file"]
    assert (tmp_path / "etc/file").read_text() == "text"


@pytest.fixture
def host(tmp_path):
    """A host that has a permanent MTU of 1400, and an unconfirmed one of 9000, as has another NIC."""
    host = ShellHost(tmp_path, {"igb0": igb, "igb1": igb})
    mtu(host, 1400, guard_timeout=60, permanent=True)
    confirm(host)
    mtu(host, 9000, "igb0", "igb1", guard_timeout=60, permanent=True)
    return host


def is_read_only(host):
    for program in ("cp", "rm"):
        (host.folder / "bin" / program).write_text(READ_ONLY)
        (host.folder / "bin" / program).chmod(0o755)


def is_writable_again(host):
    for program in ("cp", "rm"):
        (host.folder / "bin" / program).unlink()


def files(host):
    return {path: text for path, text in host.files.items() if path.startswith(UNITS) and path.endswith(".conf")}


def test_files_that_cannot_be_put_back_are_before_the_next_boot(host):
    is_read_only(host)
    host.script()
    assert mtus(host) == [1400, 1500]
    assert len(files(host)) == 2 and "9000" in files(host)[DROPIN]
    assert f"cannot set / boot {DROPIN} back yet" in host.told
    assert f'{DROPIN} "a file" to' not in host.told
    is_writable_again(host)
    host.reboots()
    assert list(files(host)) == [DROPIN] and "1400" in files(host)[DROPIN]
    assert mtus(host) == [1400, 1500]
    assert not stack.read(host)


def test_files_that_cannot_be_put_back_are_named_and_back_with_the_next_attempt(host):
    is_read_only(host)
    with pytest.raises(TuningError, match=f"did not finish.* {DROPIN}"):
        guard.serve(host, "reverted", False)
    assert mtus(host) == [1400, 1500]
    is_writable_again(host)
    assert guard.serve(host, "reverted", False)["changed"]
    assert "1400" in files(host)[DROPIN]
    assert not stack.read(host)


def test_what_is_confirmed_meanwhile_is_in_the_file(host):
    is_read_only(host)
    host.script()
    is_writable_again(host)
    call(
        host, "link", nics=[{"name": name, "mtu": 1300} for name in ("igb0", "igb1")], guard_timeout=60, permanent=True
    )
    confirm(host)
    host.reboots()
    assert mtus(host) == [1300, 1300]
    assert not stack.read(host)


def test_what_could_not_be_put_back_is_told_once(host):
    is_read_only(host)
    host.script()
    assert confirm(host)["failed"]
    told = host.told
    host.script()
    assert host.told == told
    assert not confirm(host).get("failed")


def test_nobody_confirms_a_file_that_could_not_be_put_back(host):
    is_read_only(host)
    host.script()
    mtu(host, 9100, "igb1", guard_timeout=60)
    confirm(host)
    assert mtus(host) == [1400, 9100]
    is_writable_again(host)
    host.reboots()
    assert list(files(host)) == [DROPIN] and "1400" in files(host)[DROPIN]


def test_a_file_that_could_not_be_put_back_takes_no_later_change_along(host):
    is_read_only(host)
    host.script()
    assert "guard" not in mtu(host, 1300, "igb1")
    host.script()
    assert mtus(host) == [1400, 1300]


def test_what_is_set_for_good_later_is_not_put_back(host):
    is_read_only(host)
    host.script()
    is_writable_again(host)
    mtu(host, 1300, "igb0", "igb1", permanent=True)
    assert host.clocks == {} and not stack.read(host)
    host.script()
    host.reboots()
    assert mtus(host) == [1300, 1300]
