# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection that breaks while a host is at its call; the engine and Ansible's part of ssh are real."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import script

FOLDER_OF_ROOT = "/var/cache/linuxnet-tuning"

PLAY = """
- hosts: pc1
  gather_facts: false
  ignore_unreachable: true
  tasks:
    - linuxnet.tuning.guard: {state: status}
      register: said
    - ansible.builtin.copy: {content: "{{ said.cut | default(false) }} {{ said.msg }}", dest: "{{ file }}"}
      delegate_to: localhost
      vars: {ansible_connection: local}
"""
LOST = "the connection was lost in the middle of the call"
# What it is asked to run, it runs here, and once the engine was there it dies as ssh does; or it never comes so far.
SSH = """#!/bin/sh
for last; do :; done
%s
echo 'client_loop: send disconnect: Broken pipe' >&2
exit 255
"""


def play(tmp_path, text, lost, file):
    """Run a playbook with a program in the place of ssh that does this at its end."""
    ssh, interpreter = tmp_path / "ssh", tmp_path / "python"
    ssh.write_text(SSH % lost)
    interpreter.write_text(
        f'#!/bin/sh\n[ "$*" = {shlex.quote(" ".join(script.OPTIONS))} ] || exec {sys.executable} "$@"\n'
        f'sed "s#{FOLDER_OF_ROOT}#{tmp_path}/code#" | {sys.executable} "$@"\n'
    )
    for program in (ssh, interpreter):
        program.chmod(0o755)
    (tmp_path / "hosts").write_text("pc1 ansible_connection=ssh\n")
    (tmp_path / "play.yml").write_text(text)
    environment = {
        **os.environ,
        "ANSIBLE_HOME": str(tmp_path / "home"),
        "ANSIBLE_SSH_EXECUTABLE": str(ssh),
        "ANSIBLE_SSH_ARGS": "",
        "ANSIBLE_REMOTE_TMP": str(tmp_path / "tmp"),
        "ANSIBLE_PYTHON_INTERPRETER": str(interpreter),
    }
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", tmp_path / "hosts", tmp_path / "play.yml"]
    return subprocess.run(
        [*argv, "-e", f"file={file}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ('sh -c "$last" && [ ! -e code ] && exit', f"True {LOST} (client_loop: send disconnect: Broken pipe)"),
        ("echo 'ssh: connect to host pc1 port 22: No route to host' >&2", "False "),
    ],
)  # fmt: skip
def test_a_host_that_is_lost_in_the_middle_is_told_from_one_that_is_off(tmp_path, lost, said):
    file = tmp_path / "said"
    done = play(tmp_path, PLAY, lost, file)
    assert file.exists(), done.stdout + done.stderr
    assert file.read_text().startswith(said)


HANDLER = """
- hosts: pc1
  gather_facts: false
  tasks:
    - linuxnet.tuning.guard: {state: confirmed}
      vars: {guard__step: end}
      register: ended
      ignore_errors: true
    - ansible.builtin.copy: {content: "{{ ended | to_json }}", dest: "{{ file }}"}
      delegate_to: localhost
      vars: {ansible_connection: local}
"""


def test_a_host_that_is_lost_when_its_change_ends_fails_and_says_what_becomes_of_it(tmp_path):
    file = tmp_path / "said"
    done = play(tmp_path, HANDLER, "echo 'ssh: connect to host pc1 port 22: No route to host' >&2", file)
    assert file.exists(), done.stdout + done.stderr
    ended = json.loads(file.read_text())
    assert ended["failed"]
    assert "unreachable" not in ended
    assert ended["msg"].startswith("After the change no new connection to this host can be made (")
    assert "No route to host" in ended["msg"]
    assert ended["answer"]["unreachable"]
