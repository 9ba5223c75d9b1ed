# SPDX-License-Identifier: GPL-3.0-or-later
"""Trouble that people had in public, and hosts on which nothing is wrong, through all parsers.

A new case is a new file.

cases/outside/trouble/*.yml: `source`, the `cause` that was found in the end, `expect`, ids of which one must be found,
and `hosts` as described_host.py makes them. cases/outside/healthy/*.yml: nothing above a note may be found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge, registry
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.described_host import Described

FOLDER = Path(__file__).parent / "cases" / "outside"
TROUBLE = sorted(FOLDER.glob("trouble/*.yml"))
HEALTHY = sorted(FOLDER.glob("healthy/*.yml"))
KNOWN = {rule.id for rule in registry.rules()}


def judged(case):
    return judge.findings({name: Described(about).facts() for name, about in case["hosts"].items()})


@pytest.mark.parametrize("path", TROUBLE, ids=lambda path: path.stem)
def test_trouble_is_found(path):
    case = case_files.read(path)
    assert set(case["expect"]) <= KNOWN and case["cause"] and case["source"].startswith("https://")
    found = judged(case)
    assert {finding["id"] for finding in found} & set(case["expect"])
    # Nothing that is not the cause may be louder than it.
    loud = {finding["id"] for finding in found if finding["severity"] in ("critical", "high", "medium")}
    assert loud <= {*case["expect"], *case.get("also", [])}


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.stem)
def test_healthy_hosts_give_notes_at_most(path):
    found = judged(case_files.read(path))
    assert [(finding["host"], finding["id"]) for finding in found if finding["severity"] != "note"] == []


def test_there_are_cases_of_both_kinds():
    assert len(TROUBLE) >= 40 and len(HEALTHY) >= 20
