# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook capture on this machine, which it only reads: what becomes of files and folders of the controller."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOSTS = f"""
all:
  hosts:
    here:
      ansible_connection: local
      ansible_become: false
      ansible_python_interpreter: {sys.executable}
    gone:
      ansible_host: 127.0.0.1
      ansible_port: 1
"""
MINE = "mine: true\n"


def rights(path):
    return path.stat().st_mode & 0o777


@pytest.fixture
def folder(tmp_path):
    """An inventory with private variables, and with its host_vars behind a link."""
    (tmp_path / "hosts.yml").write_text(HOSTS)
    (tmp_path / "ansible.cfg").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "host_vars").symlink_to("elsewhere")
    (tmp_path / "elsewhere/here.yml").write_text(MINE)
    (tmp_path / "elsewhere/here.yml").chmod(0o600)
    for path in (tmp_path, tmp_path / "elsewhere"):
        path.chmod(0o700)
    return tmp_path


def play(folder, *more):
    program = Path(sys.executable).with_name("ansible-playbook")
    if not program.exists():
        pytest.skip("there is no ansible-playbook beside the interpreter")
    environment = {
        **os.environ,
        "ANSIBLE_NOCOLOR": "1",
        "COLUMNS": "2000",
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
    }
    environment["ANSIBLE_STDOUT_CALLBACK"] = "linuxnet.tuning.brief"
    argv = [program, "-i", folder / "hosts.yml", "linuxnet.tuning.capture", *more]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_files_behind_a_link_are_not_written_over_and_rights_stay(folder):
    file = folder / "elsewhere/here.yml"
    code, told = play(folder, "--limit", "here")
    assert code and f"Not written, because there is such a file: host_vars/here.yml in {folder}. Set capture_ov" in told
    assert file.read_text() == MINE

    code, told = play(folder, "-e", "capture_overwrite=true")
    assert code and "Not captured: this host could not be read" in told and "gone: " in told
    assert f"written: host_vars/here.yml in {folder}" in told
    assert file.read_text() != MINE
    assert [path.read_text() for path in file.parent.iterdir() if path != file] == [MINE]
    assert [rights(path) for path in (file, file.parent, folder)] == [0o600, 0o700, 0o700]


def test_a_check_says_what_would_be_written_and_writes_nothing(folder):
    elsewhere = folder / "new"
    code, told = play(folder, "--limit", "here", "--check", "-e", f"capture_folder={elsewhere}")
    assert not code and f"would be written: host_vars/here.yml in {elsewhere}" in told
    assert not elsewhere.exists()
