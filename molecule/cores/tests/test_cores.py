# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person plays, by each ansible-core: it works, does nothing the second time, and goes back without a trace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from common import CACHE, HERE, SSH_CONFIG

SCENARIO = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"])
REQUIREMENTS = (SCENARIO.parents[1] / "requirements/cores.txt").read_text()
CORES = [line.split()[0].rpartition(".")[0] for line in REQUIREMENTS.splitlines() if not line.startswith("#")]
STEPS = (
    ("linuxnet.tuning.site", True),
    ("linuxnet.tuning.site", False),
    ("linuxnet.tuning.audit", None),  # its files are on the controller
    (str(SCENARIO / "roles.yml"), None),
    (str(SCENARIO / "roles.yml"), False),
    ("linuxnet.tuning.rollback", True),
    ("linuxnet.tuning.rollback", False),
)


def ask(command, script=None, guest="router"):
    argv = ["ssh", "-F", str(SSH_CONFIG), guest, command]
    return subprocess.run(argv, input=script, stdout=subprocess.PIPE, text=True, check=True).stdout


def state():
    """What the tools say, in raw words."""
    return ask("sh -s 2> /dev/null", (HERE.parent / "raw_state.sh").read_text())


@pytest.mark.parametrize("core", CORES)
def test_core(core, tmp_path):
    program = CACHE / "venvs" / f"core-{core}" / "bin" / "ansible-playbook"
    if not program.exists():
        pytest.skip(f"no Python of this machine runs ansible-core {core}, see the first lines of the run")
    environment = {**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_FORCE_COLOR": "0", "ANSIBLE_PIPELINING": "1"}
    subprocess.run([sys.executable, HERE / "lab.py", "reset"], check=True)
    before = state()
    assert "Features for igb0" in before
    for playbook, changes in STEPS:
        argv = [program, "-i", HERE / "inventory.sh", "-i", SCENARIO / "inventory", playbook]
        argv += ["-e", f"audit_folder={tmp_path}"]
        done = subprocess.run(
            argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        changed = re.search(r"^router +: ok=\d+ +changed=(\d+)", done.stdout, re.MULTILINE)
        assert changed, done.stdout
        assert changes is None or (changed[1] != "0") == changes, f"{playbook}: {done.stdout}"
        if playbook == "linuxnet.tuning.site":
            assert ask("cat /sys/class/net/igb0/mtu /proc/sys/net/ipv4/tcp_rmem") == "1400\n4096\t131072\t16777216\n"
    assert state() == before
    assert ask("find /etc /var/lib -name '*linuxnet*'") == ""
