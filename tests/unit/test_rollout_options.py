# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the module rollout that the inventory gives, without a template in the task."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from ansible_collections.linuxnet.tuning.plugins.action import rollout

USUAL = {
    "batches": [1, "25%", "100%"],
    "max_fail_percentage": 10,
    "max_errors": 100,
    "file": "/home/admin/site.off",
}


def options(args, variables, *, check=False):
    task = MagicMock(args={"inventory": True, **args}, check_mode=check)
    templar = MagicMock()
    templar.template.side_effect = lambda value: value
    action = rollout.ActionModule(task, MagicMock(), MagicMock(), MagicMock(), templar, None)
    found = action._with_inventory({"inventory_hostname": "pc1", **variables})
    return {name: value for name, value in found.items() if name != "inventory"}


@pytest.mark.parametrize(
    ("args", "variables", "given"),
    [
        ({"state": "begun"}, {}, {"state": "begun"}),
        ({}, {"guard__calls": ["bonding_result"]}, {"calls": ["bonding_result"]}),
        ({}, {"tuning_batches": 5, "tuning_max_errors": 3}, {"batches": 5, "max_errors": 3}),
        ({"file": ""}, {"tuning_off_file": "/srv/off"}, {"file": ""}),
        ({"state": "ended"}, {"tuning_off_file": "/srv/off"}, {"state": "ended", "file": "/srv/off"}),
    ],
    ids=["what is usual", "which calls", "batches and errors", "what the task says", "another file"],
)
def test_what_a_task_leaves_out_is_in_the_inventory(args, variables, given, monkeypatch):
    monkeypatch.setenv("PWD", "/home/admin")
    assert options(args, variables) == {**USUAL, **given}


def test_a_check_is_one_batch_and_keeps_no_list(monkeypatch):
    monkeypatch.setenv("PWD", "/home/admin")
    found = options({"state": "ended"}, {"tuning_batches": [1]}, check=True)
    assert found == {**USUAL, "batches": ["100%"], "file": "", "state": "judged"}
