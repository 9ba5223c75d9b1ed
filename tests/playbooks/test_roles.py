# SPDX-License-Identifier: GPL-3.0-or-later
"""Every role that tunes starts, with what the inventory says or without any word of it; what is undefined ends it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

ROOT = Path(__file__).resolve().parents[2]
# The role guard has handlers only, the role benchmark is played with the playbook prove; the others bring programs.
OTHERS = ("guard", "benchmark", "metrics", "watch")
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir() if path.name not in OTHERS)
NICS = [role for role in ROLES if f"{role}_nics" in (ROOT / f"roles/{role}/defaults/main.yml").read_text()]
ENTRY = {"name": "igb0", "mtu": 9000}
SHARED = {
    "tuning_on_unsupported": "fail",
    "tuning_state": "present",
    "tuning_permanent": True,
    "tuning_immediate": True,
    "tuning_guard_timeout": 120,
}
# In the place of a module: it takes the same options, and notes what it is asked for.
STUB = """
import json, os
from ansible.module_utils.basic import AnsibleModule
from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
this = AnsibleModule(argument_spec=engine.argument_spec({module!r}), supports_check_mode=True)
with open({folder!r} + "/calls", "a") as calls:
    calls.write(json.dumps([os.environ["ROLE"], os.environ["HOST"], this.params]) + "\\n")
this.exit_json(changed=False)
"""


def play(role, hosts):
    return {
        "hosts": hosts,
        "gather_facts": False,
        "environment": {"HOST": "{{ inventory_hostname }}", "ROLE": role},
        "roles": [{"role": f"linuxnet.tuning.{role}"}],
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All roles on hosts that say nothing, odd things, and what is undefined: by role and host, what modules got."""
    folder = tmp_path_factory.mktemp("roles")
    collection = made_up.skeleton(folder, "modules")
    # The handlers want to be there, and are not called.
    (collection / "plugins/modules/guard.py").symlink_to(ROOT / "plugins/modules/guard.py")
    for module in ROLES:
        text = STUB.format(folder=str(folder), module=module)
        (collection / f"plugins/modules/{module}.py").write_text(f"#!/usr/bin/python\n{text}")
    broken = {name: f"{{{{ room_{name} }}}}" for name in ("tuning_nics", "tuning_on_unsupported")}
    hosts = {"plain": {}, "odd": {"tuning_nics": None, "tuning_group_nics": ENTRY, "tuning_host_nics": [ENTRY]}}
    hosts["timed"] = {"tuning_temporary": 60}
    hosts.update({f"nics-{role}": {"tuning_nics": broken["tuning_nics"]} for role in NICS})
    hosts.update({f"inner-{role}": {"tuning_nics": [{"name": "{{ room_nic }}"}]} for role in NICS})
    hosts.update({f"word-{role}": {"tuning_on_unsupported": broken["tuning_on_unsupported"]} for role in ROLES})
    shared = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
    plays = [play(role, f"plain:odd:*-{role}" + (":timed" if role in NICS else "")) for role in ROLES]
    (folder / "all.yml").write_text(json.dumps(plays))
    own = {"ANSIBLE_PIPELINING": "1", "LINUXNET_TUNING_FAST": "0"}
    _ended, said = made_up.play(folder, "hosts.json", "--check", "--forks", "4", "all.yml", **own)
    calls = (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []
    return {(role, host): given for role, host, given in map(json.loads, calls)}, said


@pytest.mark.parametrize("role", ROLES)
def test_starts_without_any_variable(played, role):
    calls, said = played
    assert (role, "plain") in calls, said
    given = calls[role, "plain"]
    assert all(given[name[7:]] == value for name, value in SHARED.items() if name[7:] in given)
    assert not given.get("temporary")
    assert not given.get("nics")


@pytest.mark.parametrize("role", NICS)
def test_takes_layers_of_any_shape(played, role):
    calls, said = played
    assert (role, "odd") in calls, said
    assert calls[role, "odd"]["nics"] == [ENTRY, ENTRY]
    assert calls[role, "timed"]["temporary"] == 60


@pytest.mark.parametrize("host", [f"{what}-{role}" for what in ("nics", "inner") for role in NICS])
def test_undefined_nics_are_an_error(played, host):
    calls, said = played
    assert (host.partition("-")[2], host) not in calls
    name = "room_tuning_nics" if host.startswith("nics") else "room_nic"
    assert any(host in line and f"'{name}' is undefined" in line for line in said.splitlines()), said


@pytest.mark.parametrize("role", ROLES)
def test_an_undefined_word_is_an_error(played, role):
    calls, said = played
    assert (role, f"word-{role}") not in calls, said
    assert (role, "plain") in calls
