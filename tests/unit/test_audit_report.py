# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that writes the report of an audit, on the controller."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import yaml
from ansible.errors import AnsibleError

from ansible_collections.linuxnet.tuning.plugins.action import audit_report
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import profiles

SAID = "{{ lookup('pipe', 'id') }}"
REFUSED = {"msg": f"nics: no module has a key {SAID}", "failed": True}
GROUPS = {"all": ["a", "b", "c"], "ungrouped": [], "room1": ["a", "b", "c"], "even": ["b"]}
HOSTS = {
    "a": {"audit_info": {"nics": {}, "host": {}, "compared": REFUSED}},
    "b": {"audit_info": {"unreachable": True, "msg": "no route"}},
}


def told(folder, monkeypatch, hosts=None, **options):
    task = MagicMock(
        args={"folder": str(folder), **options}, async_val=0, diff=False, check_mode=False, action="audit_report"
    )
    calls = []
    monkeypatch.setattr(
        audit_report.judge,
        "findings",
        lambda *given, judge=audit_report.judge.findings: calls.append(1) or judge(*given),
    )
    templar = MagicMock()
    templar.template.side_effect = AssertionError("what a host says was taken for a template")
    action = audit_report.ActionModule(task, MagicMock(), MagicMock(check_mode=False), MagicMock(), templar, None)
    hosts = HOSTS if hosts is None else hosts
    result = action.run(task_vars={"ansible_play_hosts_all": list(hosts), "hostvars": hosts, "groups": GROUPS})
    assert len(calls) == 1
    return result


def test_both_files_are_written_for_nobody_else_to_read(tmp_path, monkeypatch):
    folder = tmp_path / "deep/audit"
    result = told(folder, monkeypatch)
    assert sorted(path.name for path in folder.iterdir()) == ["audit.html", "audit.json"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
    written = json.loads((folder / "audit.json").read_text())
    assert written["unreachable"] == ["b"] and set(written["hosts"]) == {"a", "b"}
    assert SAID in json.dumps(written["findings"])
    assert [found["groups"] for found in written["findings"] if found["host"] == "a"] == [["room1"]]
    assert result["lines"][-1] == f"report: {folder}/audit.html" and "not reached: b" in result["lines"]
    assert result["changed"] is False


@pytest.mark.parametrize(
    ("fail_on", "failing", "harmful"),
    [("none", [], 0), ("critical", ["critical"], 1), ("high", ["critical", "high"], 1)],
)
def test_findings_that_shall_fail_are_counted(tmp_path, monkeypatch, fail_on, failing, harmful):
    result = told(tmp_path, monkeypatch, fail_on=fail_on)
    assert (result["failing"], result["harmful"]) == (failing, harmful)


def test_a_query_reshapes_the_data(tmp_path, monkeypatch):
    told(tmp_path, monkeypatch, query="unreachable")
    assert json.loads((tmp_path / "audit.json").read_text()) == ["b"]


def test_a_query_that_is_none_is_told_before_anything_is_written(tmp_path, monkeypatch):
    with pytest.raises(AnsibleError, match=r"audit_query: .*is not a valid JMESPath expression"):
        told(tmp_path, monkeypatch, query="[")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(AnsibleError, match=r"report cannot be written to .*/file/audit"):
        told(tmp_path / "file/audit", monkeypatch)


def test_an_older_report_stays_whole_where_the_disk_is_full(tmp_path, monkeypatch):
    told(tmp_path, monkeypatch)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    monkeypatch.setattr(audit_report.os, "replace", MagicMock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(AnsibleError, match="No space left"):
        told(tmp_path, monkeypatch)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_a_profile_is_named_with_what_differs_and_why(tmp_path, monkeypatch):
    against = {
        "before": {"nics": {}, "sysctl": {"net.core.rmem_max": "212992"}},
        "after": {"nics": {}, "sysctl": {"net.core.rmem_max": "134217728"}},
    }
    hosts = {"a": {"audit_info": {"nics": {}, "host": {}, "against": against}}}
    lines = told(tmp_path, monkeypatch, hosts, against="dtn_10g")["lines"]
    assert lines[0] == "a against dtn_10g:"
    assert lines[1].startswith("  net.core.rmem_max: 212992, should be 134217728. 128 MB, ")
    assert lines[1].endswith("(https://fasterdata.es.net/host-tuning/linux/)")


def test_reasons_stand_above_their_lines_or_at_their_end():
    text = """---
# Sources:
#   [a] https://example.org/a
nics:
  - match: {driver: x}
    # [a] Of the ring.
    ring: {rx: max}
    mtu: 9000  # of the MTU
  - match: {driver: y}
    features: {gro: false}
sysctl:
  # [a] Of both,
  # on two lines.
  net.core.rmem_max: 1
  net.core.wmem_max: 1

  net.core.somaxconn: 1
"""
    assert profiles.reasons(text) == {
        "ring rx": profiles.Why("Of the ring.", "https://example.org/a"),
        "mtu": profiles.Why("of the MTU"),
        "features gro": profiles.Why(""),
        "net.core.rmem_max": profiles.Why("Of both, on two lines.", "https://example.org/a"),
        "net.core.wmem_max": profiles.Why("Of both, on two lines.", "https://example.org/a"),
        "net.core.somaxconn": profiles.Why(""),
    }


def test_the_playbook_does_not_call_a_host_changed_that_only_differs():
    """`nic_info` returns changed where `site` would change something; an audit with changed=1 alarms people."""
    plays = yaml.safe_load((Path(__file__).parents[2] / "playbooks/audit.yml").read_text())
    reads = [task for play in plays for task in play.get("tasks", []) if "linuxnet.tuning.nic_info" in task]
    assert reads
    assert all(task.get("changed_when") is False for task in reads)
