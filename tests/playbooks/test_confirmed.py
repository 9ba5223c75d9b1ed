# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays of users with several roles of the collection: each change that waits for a confirmation gets one."""

from __future__ import annotations

import json
import sys

import pytest

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up
from ansible_collections.linuxnet.tuning.tests.playbooks.test_site import STUB

ONE, OTHER = ({"role": f"linuxnet.tuning.{name}"} for name in ("ethtool", "bonding"))
NEVER = {"when": "bonds_here is defined"}


@pytest.mark.parametrize(
    ("roles", "changes"),
    [
        ([ONE], ["ethtool"]),
        ([ONE, OTHER], ["ethtool", "bonding"]),
        # A handler has the condition of its role, and where two have one name Ansible takes the last.
        ([ONE, {**OTHER, **NEVER}], ["ethtool"]),
        ([{**OTHER, **NEVER}, ONE], ["ethtool"]),
        ([{**OTHER, **NEVER}, ONE, {**OTHER, **NEVER}], ["ethtool"]),
    ],
)
def test_a_change_is_confirmed_whatever_roles_a_host_skips(tmp_path, roles, changes):
    made_up.collection(tmp_path, STUB, ("bonding", "guard", "ethtool"))
    shared = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": {"pc1": {}}, "vars": shared}}))
    (tmp_path / "play.json").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "roles": roles}]))
    ended, said = made_up.play(tmp_path, "hosts.json", "play.json")
    assert ended == 0, said
    calls = [json.loads(line)[1:] for line in (tmp_path / "calls").read_text().splitlines()]
    assert [view for view, _args in calls][: len(changes)] == changes
    assert calls[len(changes) :] == [["guard", {"state": "confirmed"}]] * len(changes)
