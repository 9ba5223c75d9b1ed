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
    script.write_text("mine")
    second = subprocess.run(argv, check=False, **options)
    assert second.returncode != 0 and "export_overwrite=true" in second.stdout
    assert script.read_text() == "mine"
