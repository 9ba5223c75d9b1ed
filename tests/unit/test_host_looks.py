# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host tells of files: their text, whose they are, and whether they are files at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import files, time_limit
from ansible_collections.linuxnet.tuning.plugins.module_utils import host as module
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Poke, Query, Save, TuningError


@pytest.fixture
def host():
    return module.connect(None, check_mode=False)


def test_links_and_folders_are_no_plain_files(host, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "lost").symlink_to("nothing")
    plain = {name: host.plain(str(tmp_path / name)) for name in ("file", "link", "lost", ".", "nothing")}
    assert plain == {"file": True, "link": False, "lost": False, ".": False, "nothing": True}


def test_rights_are_those_of_the_file_or_of_a_new_one(host, tmp_path):
    path = tmp_path / "file"
    assert host.rights(str(path)) == (0o644, 0)
    path.write_text("")
    path.chmod(0o4750)
    assert host.rights(str(path)) == (0o4750, os.geteuid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_the_one_of_the_file(host, tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    os.chown(path, 1234, -1)
    assert host.rights(str(path))[1] == 1234


def test_what_the_kernel_offers_for_reading_only_is_not_writable(host, tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    for mode, writable in ((0o444, False), (0o044, False), (0o644, True), (0o200, True)):
        path.chmod(mode)
        assert host.writable(str(path)) == writable
    assert host.writable(str(tmp_path / "nothing"))


def test_a_process_that_has_the_host_is_named(host, tmp_path):
    lock = tmp_path / "run/lock"
    lock.parent.mkdir(mode=0o700)
    lock.write_text("77")
    with subprocess.Popen(["flock", lock, "sleep", "60"]) as holder:
        late = time.monotonic() + 20
        while subprocess.run(["flock", "-n", lock, "true"], check=False).returncode == 0:
            assert time.monotonic() < late
            time.sleep(0.05)
        assert host.hold(str(lock), 0.1) == "process 77"
        assert lock.read_text() == "77"
        subprocess.run(["pkill", "-P", str(holder.pid)], check=True)
    assert host.hold(str(lock), 5) == ""
    assert lock.read_text() == str(os.getpid())
    host.let_go()


def test_a_program_that_may_not_run_is_named():
    def run(_argv, _data):
        raise PermissionError(13, "Permission denied")

    with pytest.raises(TuningError, match=r"cannot run 'ethtool': Permission denied"):
        module.connect(run, check_mode=True).ask(Query(("ethtool", "igb0")))


@pytest.mark.parametrize(("text", "written"), [("0", False), ("1", True)])
def test_a_lazy_value_is_not_written_again(host, tmp_path, text, written):
    """A 0 that is written to a share, such as vm.dirty_ratio, makes the limit in bytes 0 as well."""
    path = tmp_path / "value"
    path.write_text("0\n")
    os.utime(path, (1, 1))
    assert host.do(Poke(str(path), text, "", lazy=True)) == ""
    assert (path.stat().st_mtime > 1) == written


@pytest.mark.parametrize("text", ["new\n", None])
def test_a_file_and_its_folder_are_on_the_disk_before_the_call_goes_on(host, tmp_path, monkeypatch, text):
    """A power cut right after a confirmation must not bring an older file back, nor one that was removed."""
    path, synced = tmp_path / "file", []
    path.write_text("old\n")

    def sync(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "text"
        synced.append((kind, path.read_text() if path.exists() else None))

    monkeypatch.setattr(os, "fsync", sync)
    assert host.do(Save(str(path), text)) == ""
    assert synced == ([("text", "old\n")] if text else []) + [("folder", text)]


def test_after_a_limit_the_alarm_is_anothers_again():
    def other(_number, _frame):
        raise AssertionError

    before = signal.signal(signal.SIGALRM, other)
    try:
        with time_limit.limit(60):
            assert signal.getsignal(signal.SIGALRM) is not other
        assert signal.getsignal(signal.SIGALRM) is other
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_hidden_file_of_somebody_else_keeps_the_folder(host, tmp_path):
    folder = tmp_path / "linuxnet-tuning"
    folder.mkdir()
    (folder / "file").write_text("")
    (folder / ".keep").write_text("mine")
    (folder / f".file{files.PART}").write_text("a part")
    assert host.do(Save(str(folder / "file"), None)) == ""
    assert [path.name for path in folder.iterdir()] == [".keep"]


def test_bytes_that_are_no_text_come_back_as_they_were(host, tmp_path):
    path = tmp_path / "interfaces"
    path.write_bytes(b"# caf\xe9\n")
    text = host.read(str(path))
    assert host.do(Save(str(path), text + "more\n")) == ""
    assert path.read_bytes() == b"# caf\xe9\nmore\n"


def test_kernel_parameters_are_read(host):
    """The kernel asks for as much memory as it is asked for text of these files, and has its limits."""
    assert host.read("/proc/sys/kernel/ostype") == "Linux\n"
    assert host.read("/proc/sys/net/ipv4/ip_forward").strip() in "01"


def test_reading_what_is_not_there(host, tmp_path):
    assert host.read(str(tmp_path / "nothing")) is None
    assert host.names(str(tmp_path / "nothing")) == []
    assert host.target(str(tmp_path / "nothing")) == ""
    assert not host.exists(str(tmp_path / "nothing"))
