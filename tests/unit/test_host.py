# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place that touches the host: whole files or none, no links followed, no way to write in check mode."""

from __future__ import annotations

import os
import sys

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import host as module
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


def test_save_without_text_removes(host, tmp_path):
    path = tmp_path / "file.conf"
    path.write_text("old")
    assert host.do(Save(str(path), None)) == ""
    assert host.do(Save(str(path), None)) == ""
    assert names(tmp_path) == []


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


def test_reading_what_is_not_there(host, tmp_path):
    assert host.read(str(tmp_path / "nothing")) is None
    assert host.names(str(tmp_path / "nothing")) == []
    assert host.target(str(tmp_path / "nothing")) == ""
    assert not host.exists(str(tmp_path / "nothing"))


def test_waiting_is_bounded(host, tmp_path):
    path = tmp_path / "carrier"
    path.write_text("1\n")
    assert host.wait_for(str(path), "1", 0)
    assert not host.wait_for(str(path), "0", 0.1)


def test_the_engine_runs_on_a_bare_interpreter():
    """The door that design keeps open: nothing but the standard library is imported."""
    import subprocess

    code = (
        "import sys, ansible_collections.linuxnet.tuning.plugins.module_utils.engine;"
        "print([name for name in sys.modules if name.split('.')[0] in ('ansible', 'yaml', 'jinja2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
