# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook export writes a folder for each host, from all layers of the inventory, and writes over nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def test_export(tmp_path):
    shared = {"tuning_profile": "router", "tuning_sysctl": {"net.core.rmem_max": "{{ 2 * 1024 }}"}}
    hosts = {"pc": {"tuning_host_nics": [{"name": "eth0", "mtu": 9000, "irq": {"affinity": "spread"}}]}}
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.json", "linuxnet.tuning.export"]
    options = {"cwd": tmp_path, "env": {**os.environ, "PWD": str(tmp_path)}, "capture_output": True, "text": True}
    first = subprocess.run(argv, check=False, **options)
    assert first.returncode == 0, first.stdout + first.stderr
    script = tmp_path / "export/pc/tune.sh"
    text = script.read_text()
    assert script.stat().st_mode & 0o111
    assert "ip link set dev eth0 mtu 9000 || failed=1" in text
    assert "net.core.rmem_max=2048" in text and "net.ipv4.ip_forward=1" in text
    assert "#   eth0 irq affinity spread: " in text and "eth0 irq affinity spread" in first.stdout
    again = subprocess.run(argv, check=False, **options)
    assert again.returncode == 0, again.stdout  # the same text, which nothing has to write over
    script.write_text("mine")
    second = subprocess.run(argv, check=False, **options)
    assert second.returncode != 0 and "export_overwrite=true" in second.stdout
    assert script.read_text() == "mine"


def test_a_profile_that_does_not_exist_is_named_with_the_nearest_one(tmp_path):
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": {"pc": {"tuning_profile": "ruoter"}}}}))
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.json", "linuxnet.tuning.export"]
    env = {**os.environ, "PWD": str(tmp_path)}
    done = subprocess.run(argv, check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode != 0
    assert "tuning_profile: there is no profile 'ruoter'; did you mean 'router'?" in done.stdout


def test_profiles_of_ones_own_are_read_from_their_folder(tmp_path):
    (tmp_path / "own.yml").write_text("---\nsysctl: {net.core.somaxconn: 8192}\n")
    variables = {"tuning_profile": "own", "tune_profile_folder": str(tmp_path)}
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": {"pc": variables}}}))
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.json", "linuxnet.tuning.export"]
    env = {**os.environ, "PWD": str(tmp_path)}
    done = subprocess.run(argv, check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "net.core.somaxconn=8192" in (tmp_path / "export/pc/tune.sh").read_text()
    assert f"written: tune.sh in {tmp_path}/export/pc" in done.stdout
