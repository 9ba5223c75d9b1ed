# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook autotune takes turns, goes back after each and at the end, and says what to write: made-up hosts."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INVENTORY = {
    "all": {
        "hosts": {"router": {"benchmark_address": "10.0.0.1"}, "pc": {"benchmark_address": "10.0.0.2"}},
        "vars": {
            "ansible_connection": "local",
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "benchmark_groups": [{"name": "room", "server": "router", "clients": "pc"}],
            "benchmark_directions": ["down"],
            "benchmark_duration": 0,
            "benchmark_omit": 0,
            "tuning_hosts": "router",
            # The start, one candidate that the host refuses, one that helps, and the proof.
            "autotune_measurements": 5,
            "autotune_only": ["rings", "channels"],
        },
    }
}
# In the place of the modules: large rings give half as much again, and channels are refused.
STUB = """
import json, os
from ansible.module_utils.basic import AnsibleModule
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring.measurement import BENCHMARK
folder, module = {folder!r}, {module!r}
words = "inventory nics sysctl names state temporary guard_timeout"
others = {{word: {{"type": "raw"}} for word in words.split()}}
this = AnsibleModule(argument_spec=BENCHMARK if module == "benchmark" else others, supports_check_mode=True)
asked = this.params
entries = asked.get("nics") if module == "tune" else None
with open(folder + "/calls", "a") as calls:
    words = [module, asked.get("name") if module == "benchmark" else "", asked.get("state") or ""]
    calls.write(" ".join([word for word in words if word] + [key for entry in entries or [] for key in entry]) + "\\n")
if module == "nic_info":
    nic = {{"ring": {{"rx": {{"value": 256, "maximum": 4096}}}}, "channels": {{"rx": {{"value": 1, "maximum": 4}}}}}}
    address = {{"nic": "eth0", "address": "10.0.0.1/24", "hardware": ["eth0"]}}
    this.exit_json(nics={{"eth0": nic}}, host={{"addresses": [address], "kernel": {{"cpu_count": 4}}}}, remarks=[])
if module == "tune":
    if any("channels" in entry for entry in entries):
        this.fail_json(msg="the device is busy")
    open(folder + "/large", "w")
    this.exit_json(changed=True, commands=["ethtool"], unsupported=[])
if module == "guard":
    if asked["state"] == "reverted" and os.path.exists(folder + "/large"):
        os.remove(folder + "/large")
    this.exit_json(changed=False, temporary=[])
if asked["state"] == "checked":
    this.exit_json(kernel="", iperf3="", sysctl={{}}, nics={{}})
steps = {{}}
rate = 150 if os.path.exists(folder + "/large") else 100
for place, step in enumerate(asked["steps"]):
    if step["runs"]:
        steps[step["id"]] = {{"runs": [{{"bits_per_second": {{"down": rate + place % 3}}}}]}}
    if step["probe"]:
        part = steps.setdefault(step["id"], {{"runs": []}})
        part["probes"] = [{{"sent": 4, "microseconds": [100, 110, 120]}} for _server in step["probe"]["servers"]]
this.exit_json(changed=True, steps=steps, queues={{}}, firewall=[], unit="")
"""


def autotune(folder, *argv, **variables):
    """Run it, and give its end, its output, and the calls."""
    collection = folder / "ansible_collections/linuxnet/tuning"
    (collection / "plugins/modules").mkdir(parents=True)
    for name in ("galaxy.yml", "meta", "playbooks", "roles"):
        (collection / name).symlink_to(ROOT / name)
    for name in ("action", "doc_fragments", "filter", "lookup", "module_utils", "plugin_utils"):
        (collection / "plugins" / name).symlink_to(ROOT / "plugins" / name)
    (collection / "plugins/modules/rollout.py").symlink_to(ROOT / "plugins/modules/rollout.py")
    for module in ("benchmark", "guard", "nic_info", "tune"):
        text = STUB.format(folder=str(folder), module=module)
        (collection / f"plugins/modules/{module}.py").write_text(f"#!/usr/bin/python\n{text}")
    (folder / "hosts.json").write_text(json.dumps(INVENTORY))
    call = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.json", "linuxnet.tuning.autotune", *argv]
    call += ["-e", json.dumps({"benchmark_folder": str(folder / "results"), **variables})]
    keep = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    own = {"ANSIBLE_COLLECTIONS_PATH": str(folder), "ANSIBLE_HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    own.update(ANSIBLE_PIPELINING="1", LINUXNET_TUNING_FAST="0")
    done = subprocess.run(call, cwd=folder, env={**keep, **own}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, (folder / "calls").read_text().splitlines()


def test_what_helps_is_proved_and_told_and_the_hosts_end_as_they_began(tmp_path):
    ended, said, calls = autotune(tmp_path)
    assert ended == 0, said
    assert "There is a better setting." in said
    assert "tuning_host_nics:" in said
    assert "router: the device is busy" in said, "what is refused costs no measurement"
    assert not (tmp_path / "large").exists()
    # The start, the rings, and the three turns of the proof: two could be a drift.
    assert calls.count("benchmark router collected") == 5
    assert calls.count("tune name ring") == 2
    ours = [call for call in calls if call.split()[0] in ("tune", "guard")]
    assert ours[0] == "guard status"
    assert ours[-1] == "guard reverted"
    assert all(before == "guard reverted" for before, call in itertools.pairwise(ours) if call[:4] == "tune")
    assert len(list((tmp_path / "results").glob("autotune-*.json"))) == 1


def test_the_plan_changes_and_measures_nothing(tmp_path):
    ended, said, calls = autotune(tmp_path, "--tags", "plan")
    assert ended == 0, said
    assert "3 values of 2 settings, on router" in said
    assert set(calls) == {"nic_info"}
