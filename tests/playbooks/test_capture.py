# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook capture writes an inventory that Ansible reads, and writes over nothing: made-up hosts."""

from __future__ import annotations

import json
import sys

import pytest
import yaml

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

# In the place of the actions: the first tells the facts of its host, the second what it would change of them.
STUB = """
def answer(host, asked, check_mode, _variables):
    with open(folder + "/facts.json") as file:
        known = json.load(file)[host]
    sysctl = asked.get("sysctl") or {}
    with open(folder + "/calls", "a") as calls:
        calls.write(json.dumps([host, view, check_mode, asked.get("sysctl"), asked.get("files")]) + "\\n")
    if view == "nic_info":
        return {"changed": False, **known}
    if view == "guard":
        return {"changed": True}
    return {"changed": True, "before": {"sysctl": sysctl}, "after": {"sysctl": {**sysctl, **known["refuses"]}}}
"""


def facts(backlog, refuses=None):
    files = [{"file": "/etc/sysctl.d/90-x.conf", "text": f"net.core.netdev_max_backlog = {backlog}\n"}]
    parameters = {"net.core.netdev_max_backlog": str(backlog), "net.core.busy_poll": "50"}
    host = {"kernel": {"release": "6.1.0", "cpu_count": 2}, "configured": {"files": files, "parameters": parameters}}
    return {"host": host, "nics": {}, "remarks": [], "refuses": refuses or {}}


@pytest.fixture
def play(tmp_path):
    """Plays the playbook; the folder with its inventory."""
    made_up.collection(tmp_path, STUB, ("nic_info", "tune", "take_over", "guard"))
    found = {"files1": facts(5000), "files2": facts(5000, {"net.core.busy_poll": 0}), "pc": facts(9000)}
    (tmp_path / "facts.json").write_text(json.dumps(found))
    folder = tmp_path / "inventory"
    folder.mkdir()
    hosts = {name: {} for name in found}
    shared = {"ansible_connection": "local", "ansible_become": False, "ansible_python_interpreter": sys.executable}
    groups = {"servers": {"hosts": {"files1": {}, "files2": {}}}, "mixed": {"hosts": {"files2": {}, "pc": {}}}}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared, "children": groups}}))

    def run(*arguments, **extra):
        ended, said = made_up.play(
            tmp_path, "inventory/hosts.json", "linuxnet.tuning.capture", *arguments, variables=extra
        )
        return ended, said, folder

    return run


def written(folder):
    paths = [path for kind in ("host_vars", "group_vars") for path in (folder / kind).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): yaml.safe_load(path.read_text()) for path in paths}


ALIKE = {"net.core.netdev_max_backlog": 5000}


def test_what_a_group_shares_and_what_each_host_has(play):
    ended, said, folder = play()
    assert ended == 0, said
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
    ended, said, folder = play(tuning_hosts="servers", capture_folder="other")
    assert ended == 0, said
    assert written(folder.parent / "other") == {
        "group_vars/servers.yml": {"tuning_group_sysctl": ALIKE},
        "host_vars/files1.yml": {"tuning_host_sysctl": {"net.core.busy_poll": 50}},
        "host_vars/files2.yml": {},
    }


def test_nothing_is_written_over_unless_asked_for(play):
    _ended, said, folder = play(tuning_hosts="pc")
    mine = folder / "host_vars/pc.yml"
    mine.write_text("mine: 1\n")
    ended, said, _folder = play(tuning_hosts="pc")
    assert ended != 0, said
    assert "host_vars/pc.yml" in said and "capture_overwrite=true" in said
    assert mine.read_text() == "mine: 1\n"
    ended, said, _folder = play(tuning_hosts="pc", capture_overwrite="true")
    assert ended == 0, said
    assert "tuning_host_sysctl" in mine.read_text()
    copies = [path for path in mine.parent.iterdir() if path.name.startswith("pc.yml.")]
    assert [path.read_text() for path in copies] == ["mine: 1\n"]


def test_the_file_of_a_group_with_nothing_in_common_is_told(play):
    _ended, _said, folder = play("--check", tuning_hosts="pc")
    (folder / "group_vars").mkdir()
    (folder / "group_vars/mixed.yml").write_text("tuning_group_sysctl: {net.core.netdev_max_backlog: 7000}\n")
    asked = {"capture_group": "mixed", "capture_overwrite": "true"}
    ended, said, _folder = play(tuning_hosts="mixed", **asked)
    assert ended == 0, said
    assert "group_vars/mixed.yml in" in said and "Remove what an earlier capture wrote there" in said
    assert written(folder)["group_vars/mixed.yml"] == {"tuning_group_sysctl": {"net.core.netdev_max_backlog": 7000}}
    _ended, said, _folder = play(tuning_hosts="servers", capture_group="servers", capture_overwrite="true")
    assert "earlier capture" not in said


def test_check_mode_shows_the_file_and_writes_none(play):
    ended, said, folder = play("--check", "--diff", tuning_hosts="pc")
    assert ended == 0, said
    assert "net.core.netdev_max_backlog: 9000" in said
    assert written(folder) == {}


def test_who_is_not_reached_is_told_and_the_others_are_captured(play):
    _ended, said, folder = play("--check", tuning_hosts="pc")
    inventory = json.loads((folder / "hosts.json").read_text())
    inventory["all"]["hosts"]["files1"]["ansible_connection"] = "ssh"
    inventory["all"]["hosts"]["files1"].update(ansible_host="127.0.0.1", ansible_port=9)
    (folder / "hosts.json").write_text(json.dumps(inventory))
    ended, said, _folder = play(tuning_hosts="servers")
    assert ended != 0, said
    # Its last play says so of each host, after all others were captured.
    told = said[said.index("Say who was not captured") :]
    assert (
        "Not captured: this host could not be read" in told
        and "[files1]: FAILED" in told
        and "[files2]: FAILED" not in told
    )
    assert list(written(folder)) == ["host_vars/files2.yml"]


def test_what_is_taken_over_is_set_and_confirmed_first(play):
    ended, said, folder = play(tuning_hosts="files2", capture_take_over="true")
    assert ended == 0, said
    calls = [json.loads(line)[1:] for line in (folder.parent / "calls").read_text().splitlines()]
    assert [call[:2] for call in calls] == [
        ["nic_info", False],
        ["tune", True],
        ["tune", False],
        ["guard", False],
        ["take_over", False],
        ["guard", False],
    ]
    assert "lines were commented out on files2 in /etc/sysctl.d/90-x.conf; rollback restores these files" in said
    # Not what site would change: that was not captured.
    assert calls[2][2] == ALIKE
    assert calls[4][3] == [{"path": "/etc/sysctl.d/90-x.conf", "lines": {"1": "net.core.netdev_max_backlog = 5000"}}]
