# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook capture writes an inventory that Ansible reads, and writes over nothing: made-up hosts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
# In the place of the modules: the first tells the facts of its host, the second what it would change of them.
STUB = """
import json, os
from ansible.module_utils.basic import AnsibleModule
words = "configured nics sysctl module_parameters permanent on_unsupported guard_timeout files state temporary"
this = AnsibleModule(argument_spec={{word: {{"type": "raw"}} for word in words.split()}}, supports_check_mode=True)
host = os.path.basename(this._remote_tmp)
known = json.load(open({folder!r} + "/facts.json"))[host]
with open({folder!r} + "/calls", "a") as calls:
    calls.write(json.dumps([host, {module!r}, this.check_mode, this.params["sysctl"], this.params["files"]]) + "\\n")
if {module!r} == "nic_info":
    this.exit_json(changed=False, **known)
if {module!r} == "guard":
    this.exit_json(changed=True)
sysctl = this.params["sysctl"] or {{}}
this.exit_json(changed=True, before={{"sysctl": sysctl}}, after={{"sysctl": {{**sysctl, **known["refuses"]}}}})
"""


def facts(backlog, refuses=None):
    files = [{"file": "/etc/sysctl.d/90-x.conf", "text": f"net.core.netdev_max_backlog = {backlog}\n"}]
    parameters = {"net.core.netdev_max_backlog": str(backlog), "net.core.busy_poll": "50"}
    host = {"kernel": {"release": "6.1.0", "cpu_count": 2}, "configured": {"files": files, "parameters": parameters}}
    return {"host": host, "nics": {}, "remarks": [], "refuses": refuses or {}}


@pytest.fixture
def play(tmp_path):
    """Plays the playbook; the folder with its inventory."""
    collection = tmp_path / "ansible_collections/linuxnet/tuning"
    (collection / "plugins/modules").mkdir(parents=True)
    for name in ("galaxy.yml", "meta", "playbooks", "roles"):
        (collection / name).symlink_to(ROOT / name)
    for name in ("doc_fragments", "filter", "lookup", "module_utils", "plugin_utils"):
        (collection / "plugins" / name).symlink_to(ROOT / "plugins" / name)
    (collection / "plugins/modules/rollout.py").symlink_to(ROOT / "plugins/modules/rollout.py")
    for module in ("nic_info", "tune", "take_over", "guard"):
        text = STUB.format(folder=str(tmp_path), module=module)
        (collection / f"plugins/modules/{module}.py").write_text(f"#!/usr/bin/python\n{text}")
    found = {"files1": facts(5000), "files2": facts(5000, {"net.core.busy_poll": 0}), "pc": facts(9000)}
    (tmp_path / "facts.json").write_text(json.dumps(found))
    folder = tmp_path / "inventory"
    folder.mkdir()
    hosts = {name: {"ansible_remote_tmp": f"{tmp_path}/{name}"} for name in found}
    shared = {"ansible_connection": "local", "ansible_become": False, "ansible_python_interpreter": sys.executable}
    groups = {"servers": {"hosts": {"files1": {}, "files2": {}}}}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared, "children": groups}}))

    def run(*arguments, **extra):
        keep = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        own = {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_HOME": str(tmp_path / "home"), "PWD": str(tmp_path)}
        argv = [sys.executable, "-m", "ansible", "playbook", "-i", "inventory/hosts.json", "linuxnet.tuning.capture"]
        argv += [word for name, value in extra.items() for word in ("-e", f"{name}={value}")]
        done = subprocess.run(
            [*argv, *arguments], cwd=tmp_path, env={**keep, **own}, capture_output=True, text=True, check=False
        )
        return done, folder

    return run


def written(folder):
    paths = [path for kind in ("host_vars", "group_vars") for path in (folder / kind).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): yaml.safe_load(path.read_text()) for path in paths}


ALIKE = {"net.core.netdev_max_backlog": 5000}


def test_what_a_group_shares_and_what_each_host_has(play):
    done, folder = play()
    assert done.returncode == 0, done.stdout + done.stderr
    assert written(folder) == {
        "host_vars/files1.yml": {"tuning_host_sysctl": {**ALIKE, "net.core.busy_poll": 50}},
        "host_vars/files2.yml": {"tuning_host_sysctl": ALIKE},
        "host_vars/pc.yml": {"tuning_host_sysctl": {"net.core.busy_poll": 50, "net.core.netdev_max_backlog": 9000}},
    }
    calls = [json.loads(line) for line in (folder.parent / "calls").read_text().splitlines()]
    # Only in check mode is anything compared.
    assert all(check for _host, module, check, *_asked in calls if module == "tune")
    assert sorted(call[:2] for call in calls) == sorted(
        [host, module] for host in ("files1", "files2", "pc") for module in ("nic_info", "tune")
    )
    done, folder = play(tuning_hosts="servers", capture_folder="other")
    assert done.returncode == 0, done.stdout + done.stderr
    assert written(folder.parent / "other") == {
        "group_vars/servers.yml": {"tuning_group_sysctl": ALIKE},
        "host_vars/files1.yml": {"tuning_host_sysctl": {"net.core.busy_poll": 50}},
        "host_vars/files2.yml": {},
    }


def test_nothing_is_written_over_unless_asked_for(play):
    _done, folder = play(tuning_hosts="pc")
    mine = folder / "host_vars/pc.yml"
    mine.write_text("mine: 1\n")
    done, _folder = play(tuning_hosts="pc")
    assert done.returncode != 0, done.stdout + done.stderr
    assert "host_vars/pc.yml" in done.stdout + done.stderr and "capture_overwrite=true" in done.stdout + done.stderr
    assert mine.read_text() == "mine: 1\n"
    done, _folder = play(tuning_hosts="pc", capture_overwrite="true")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tuning_host_sysctl" in mine.read_text()
    copies = [path for path in mine.parent.iterdir() if path.name.startswith("pc.yml.")]
    assert [path.read_text() for path in copies] == ["mine: 1\n"]


def test_check_mode_shows_the_file_and_writes_none(play):
    done, folder = play("--check", "--diff", tuning_hosts="pc")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "net.core.netdev_max_backlog: 9000" in done.stdout
    assert written(folder) == {}


def test_who_is_not_reached_is_told_and_the_others_are_captured(play):
    _done, folder = play("--check", tuning_hosts="pc")
    inventory = json.loads((folder / "hosts.json").read_text())
    inventory["all"]["hosts"]["files1"]["ansible_connection"] = "ssh"
    inventory["all"]["hosts"]["files1"].update(ansible_host="127.0.0.1", ansible_port=9)
    (folder / "hosts.json").write_text(json.dumps(inventory))
    done, _folder = play(tuning_hosts="servers")
    assert done.returncode != 0, done.stdout + done.stderr
    assert "could not be read: files1" in done.stdout + done.stderr
    assert list(written(folder)) == ["host_vars/files2.yml"]


def test_what_is_taken_over_is_set_and_confirmed_first(play):
    done, folder = play(tuning_hosts="files2", capture_take_over="true")
    assert done.returncode == 0, done.stdout + done.stderr
    calls = [json.loads(line)[1:] for line in (folder.parent / "calls").read_text().splitlines()]
    assert [call[:2] for call in calls] == [
        ["nic_info", False],
        ["tune", True],
        ["tune", False],
        ["guard", False],
        ["take_over", False],
        ["guard", False],
    ]
    # Not what site would change: that was not captured.
    assert calls[2][2] == ALIKE
    assert calls[4][3] == [{"path": "/etc/sysctl.d/90-x.conf", "lines": {"1": "net.core.netdev_max_backlog = 5000"}}]
