# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place that touches the host: whole files or none, no links followed, no way to write in check mode."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import host as module
from ansible_collections.linuxnet.tuning.plugins.module_utils import time_limit
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Poke, Query, Run, Save, TuningError


def names(folder):
    return [path.name for path in folder.iterdir()]


def runner(argv, data):
    if argv[0] == "missing":
        raise FileNotFoundError(2, "No such file or directory")
    return (0, "out", "") if argv[0] == "good" else (81, "", "netlink error: Invalid argument\n")


@pytest.fixture
def host():
    return module.connect(runner, check_mode=False)


def test_check_mode_has_no_way_to_write():
    assert not hasattr(module.connect(runner, check_mode=True), "do")


def test_a_missing_program_is_named(host):
    with pytest.raises(TuningError, match="'missing' is not installed"):
        host.ask(Query(("missing",)))


def test_a_failed_command_gives_the_words_of_the_tool(host):
    assert host.do(Run(("bad",))) == "netlink error: Invalid argument"
    assert host.do(Run(("good",))) == ""


def test_save_replaces_as_a_whole_and_leaves_nothing_else(host, tmp_path):
    path = tmp_path / "file.conf"
    path.write_text("old")
    assert host.do(Save(str(path), "new\n")) == ""
    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert names(tmp_path) == ["file.conf"]


def another_group():
    """A group that this user may give a file to, other than its own; and nothing of a file's mode tells of it."""
    mine = {os.getegid(), 0}
    found = [1] if os.geteuid() == 0 else [group for group in os.getgroups() if group not in mine]
    return found[0] if found else pytest.skip("this user is in no other group")


def test_what_replaces_a_file_has_its_group_and_its_attributes(host, tmp_path):
    path = tmp_path / "file.conf"
    path.write_text("old\n")
    os.chown(path, -1, another_group())
    with contextlib.suppress(OSError):  # not every file system has these
        os.setxattr(path, "user.note", b"kept")
    there = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    assert host.do(Save(str(path), "new\n", 0o640)) == ""
    assert path.read_text() == "new\n"
    assert path.stat().st_gid == another_group() and path.stat().st_mode & 0o777 == 0o640
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == there


def test_the_ends_of_lines_are_read_as_they_are_where_a_file_goes_back(host, tmp_path):
    path = tmp_path / "file.conf"
    path.write_bytes(b"one\r\ntwo\rthree")
    assert host.read(str(path)) == "one\ntwo\nthree"
    assert host.exact(str(path)) == "one\r\ntwo\rthree"
    # What is too large is no part of what goes back, however few letters it has; one that was read takes many pieces.
    path.write_text("ü" * (1 << 19), encoding="utf-8")
    assert host.exact(str(path)) == "ü" * (1 << 19)
    path.write_text("ü" * (1 << 19) + "b", encoding="utf-8")
    assert (host.exact(str(path)), host.read(str(path), 4)) == (None, "üü")


def test_save_without_text_removes(host, tmp_path):
    path = tmp_path / "file.conf"
    path.write_text("old")
    assert host.do(Save(str(path), None)) == ""
    assert host.do(Save(str(path), None)) == ""
    assert names(tmp_path) == []


@pytest.mark.parametrize("foreign", [True, False])
def test_removing_what_is_not_there_removes_an_empty_folder_of_ours(host, tmp_path, foreign):
    folder = tmp_path / "linuxnet-tuning@igb0.service.d"
    folder.mkdir()
    if foreign:
        (folder / "theirs.conf").touch()
    assert host.do(Save(str(folder / "gone.conf"), None)) == ""
    assert folder.exists() == foreign


@pytest.mark.parametrize("text", ["new", None])
def test_save_does_not_follow_a_link(host, tmp_path, text):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "file.conf").symlink_to(victim)
    assert "not a regular file" in host.do(Save(str(tmp_path / "file.conf"), text))
    assert victim.read_text() == "precious"


def test_a_failed_write_keeps_the_old_file(host, tmp_path, monkeypatch):
    path = tmp_path / "file.conf"
    path.write_text("old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert host.do(Save(str(path), "new")) == "No space left on device"
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.conf"]


def test_private_state_lies_in_a_private_folder(host, tmp_path):
    path = tmp_path / "state" / "file.json"
    assert host.do(Save(str(path), "{}", mode=0o600)) == ""
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_private_state_refuses_a_folder_that_others_can_write_to(host, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(0o777)
    assert "only its owner" in host.do(Save(str(folder / "file.json"), "{}", mode=0o600))
    assert names(folder) == []


def test_private_state_refuses_a_linked_folder(host, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "state").symlink_to(tmp_path / "elsewhere")
    assert "only its owner" in host.do(Save(str(tmp_path / "state" / "file.json"), "{}", mode=0o600))
    assert names(tmp_path / "elsewhere") == []


def test_poke_writes_in_one_piece_and_makes_no_file(host, tmp_path):
    path = tmp_path / "key"
    path.write_text("")
    assert host.do(Poke(str(path), "1 2 3", "sysctl -w key='1 2 3'")) == ""
    assert path.read_text() == "1 2 3\n"
    assert host.do(Poke(str(tmp_path / "other"), "1", "")) == "No such file or directory"
    (tmp_path / "link").symlink_to(path)
    assert host.do(Poke(str(tmp_path / "link"), "1", "")) != ""


def killed(lock, path):
    """Write it in a process of its own, which is killed before it gives the file its name."""
    code = (
        "import os, signal, sys\n"
        f"from {module.__name__} import connect\n"
        f"from {module.__package__}.schema import Save\n"
        "os.rename = lambda *_names: os.kill(os.getpid(), signal.SIGKILL)\n"
        "host = connect(None, check_mode=False)\n"
        "assert not sys.argv[1] or host.hold(sys.argv[1], 0) == ''\n"
        "host.do(Save(sys.argv[2], 'new'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, lock, path], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("folder", ["sysctl.d", "linuxnet-tuning@igb0.service.d"])
def test_nothing_is_left_of_a_call_that_is_killed_while_it_writes(host, tmp_path, folder):
    lock, path = str(tmp_path / "run/lock"), tmp_path / folder / "90-mine.conf"
    killed(lock, path)
    assert len(names(path.parent)) == 1  # or this test would prove nothing
    assert host.hold(lock, 5) == ""
    assert not path.parent.exists() or names(path.parent) == []
    assert path.parent.exists() == (folder == "sysctl.d")
    host.let_go()
    assert names(tmp_path / "run") == ["lock"]


def test_what_was_left_beside_a_file_goes_with_it(host, tmp_path):
    path = tmp_path / "linuxnet-tuning" / "state.json"
    killed("", path)
    assert names(path.parent) == [".state.json.linuxnet-tuning"]
    assert host.do(Save(str(path), "{}")) == ""
    assert names(path.parent) == ["state.json"]


@pytest.mark.parametrize("broken", ["link", "mode"])
def test_without_a_lock_nothing_is_touched(host, tmp_path, broken):
    folder = tmp_path / "run"
    if broken == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.raises(TuningError, match=r"cannot lock .*/run/lock, so nothing was changed: .* only its owner"):
        host.hold(str(folder / "lock"), 0)


def test_what_is_no_file_is_no_lock(tmp_path):
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(TuningError, match=r"cannot lock .*/lock, so nothing was changed: it is not a regular file"):
        module.connect(None, check_mode=False).hold(str(tmp_path / "lock"), 0)


def test_a_lock_that_cannot_say_whose_it_is_is_given_back(tmp_path, monkeypatch):
    path, host = str(tmp_path / "lock"), module.connect(None, check_mode=False)

    def full(_handle, _text):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module.os, "write", full)
        with pytest.raises(TuningError, match=r"cannot write to .*/lock, so nothing was changed: No space left"):
            host.hold(path, 0)
    assert module.connect(None, check_mode=False).hold(path, 0) == ""


def real(argv, data):
    done = subprocess.run(argv, input=data, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_question_without_an_answer_ends_in_time_and_the_next_one_sooner():
    host = module.connect(real, check_mode=True)
    begun = time.monotonic()
    with pytest.raises(TuningError, match=r"`sleep 61` did not end within 0.5 s"):
        host.ask(Query(("sleep", "61"), 0.5))
    module._SHORT, usual = 0.2, module._SHORT
    try:
        with pytest.raises(TuningError, match=r"within 0.2 s"):
            host.ask(Query(("sleep", "61")))
        # A probe of a user has nothing to do with what hangs.
        assert host.ask(Query(("sleep", "0.4"), own=True)).rc == 0
    finally:
        module._SHORT = usual
    assert time.monotonic() - begun < 40  # neither was waited for
    assert host.ask(Query(("echo", "here"))).out == "here\n"
    assert not time_limit._children()


def test_a_command_that_hangs_is_named(tmp_path):
    host = module.connect(real, check_mode=False)
    assert host.do(Run(("sleep", "61"), seconds=0.2)) == "`sleep 61` did not end within 0.2 s"
    assert host.do(Run(("sleep", "0"))) == ""


def test_a_call_tells_how_long_it_is_at_work(host, tmp_path):
    note = tmp_path / "run/at-work"
    host.hold(str(tmp_path / "run/lock"), 0)
    host.do(Run(("good", "a\nb")))
    until, *words = note.read_text().split()
    assert words == ["good", "a", "b"]
    assert 40 < int(until) - host.uptime() <= 60
    host.let_go()
    assert not note.exists()


@contextlib.contextmanager
def running(argv):
    """A process of a command. Popen comes back while the kernel still puts the program in place; nobody sees it yet."""
    with subprocess.Popen(argv) as process:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.001)
        yield process


def over(process):
    """Whether a process has ended, or is about to: its memory goes first."""
    return process.poll() is not None or not Path(f"/proc/{process.pid}/cmdline").read_bytes()


@pytest.mark.parametrize("program", ["/usr/bin/sleep", "sleep"])
def test_what_a_call_that_was_killed_still_runs_is_waited_for(host, tmp_path, program):
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "run/at-work").write_text("90 sleep 0.7654\n")
    with running([program, "0.7654"]) as process:
        assert host.hold(str(tmp_path / "run/lock"), 0) == ""
        assert over(process)
    host.let_go()
    assert not (tmp_path / "run/at-work").exists()


def test_a_script_of_a_call_that_was_killed_is_waited_for(host, tmp_path):
    script = tmp_path / "ifup"
    script.write_text("#!/bin/sh\nsleep 0.6\n")
    script.chmod(0o755)
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "run/at-work").write_text("90 ifup igb0\n")
    with running([str(script), "igb0"]) as process:
        assert host.hold(str(tmp_path / "run/lock"), 0) == ""
        assert over(process)
    host.let_go()


def test_what_hangs_keeps_nobody_out(host, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WRITE_SECONDS", 0.2)
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "run/at-work").write_text("90 sleep 47.11\n")
    with running(["sleep", "47.11"]) as process:
        assert host.hold(str(tmp_path / "run/lock"), 0) == ""
        process.kill()
    host.let_go()


def test_waiting_is_bounded(host, tmp_path):
    path = tmp_path / "carrier"
    path.write_text("1\n")
    assert host.wait_for(str(path), "1", 0)
    assert not host.wait_for(str(path), "0", 0.1)


def test_waiting_leaves_half_of_the_time_to_what_is_waited_for(host, monkeypatch):
    """As for a network manager, on a host on which each look at its work takes a second."""
    looks, sleeps = [], []
    monkeypatch.setattr(module.time, "monotonic", lambda: sum(looks + sleeps))
    monkeypatch.setattr(module.time, "sleep", sleeps.append)
    assert not host.wait_until(lambda: looks.append(1.0), 30)
    assert sum(looks) <= 17 and sum(looks + sleeps) <= 32
    # A look that takes no time is repeated at once.
    looks[:], sleeps[:] = [], []
    assert host.wait_until(lambda: sum(sleeps) > 0.9, 30)
    assert sum(sleeps) < 1


def test_the_engine_runs_on_a_bare_interpreter():
    """The door that design keeps open: nothing but the standard library is imported."""
    code = (
        "import sys, ansible_collections.linuxnet.tuning.plugins.module_utils.engine;"
        "print([name for name in sys.modules if name.split('.')[0] in ('ansible', 'yaml', 'jinja2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
