# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that judges a batch on the controller: what it reads, when it ends the run, and the list of hosts off."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleError

from ansible_collections.linuxnet.tuning.plugins.action import rollout

CHANGED = {"tune_result": {"changed": True}}
WELL = {**CHANGED, "guard_health": {"probes": [{"probe": "port 22", "well": True}]}, "guard_confirmed": {}}
SICK = {**WELL, "guard_health": {"probes": [{"probe": "port 22", "well": False, "figure": "refused"}]}}
FAILED = {"tune_result": {"failed": True, "msg": "no NIC has it"}}
OFF = {"tune_result": {"unreachable": True, "msg": "no route"}}
SAME = {"tune_result": {"changed": False}}


def judged(hosts, name, **options):
    """What the task says for a host, of what all hosts have registered."""
    task = MagicMock(args={"batches": [2], **options}, async_val=0, diff=False, check_mode=False, action="rollout")
    templar = MagicMock()
    templar.template.side_effect = AssertionError("what a host says was taken for a template")
    action = rollout.ActionModule(task, MagicMock(), MagicMock(check_mode=False), MagicMock(), templar, None)
    variables = {"ansible_play_hosts_all": list(hosts), "hostvars": hosts, "inventory_hostname": name, **hosts[name]}
    return action.run(task_vars=variables)


@pytest.mark.parametrize("state", ["judged", "ended"])
def test_a_batch_that_is_well_goes_on(state):
    result = judged({"a": WELL, "b": SAME, "c": SICK}, "a", state=state)
    assert not result.get("failed") and not result["stop"]
    assert (result["sick"], result["failed_hosts"], result["off"]) == ({}, [], [])


def test_only_ones_own_batch_is_judged():
    hosts = {"a": WELL, "b": SAME, "c": SICK, "d": OFF, "e": FAILED}
    result = judged(hosts, "d")
    assert result["stop"] and list(result["sick"]) == ["c"] and result["off"] == ["d"] and not result["failed_hosts"]


def test_a_batch_that_is_not_well_ends_the_run_when_it_ends():
    hosts = {"a": SICK, "b": WELL, "c": {}, "d": {}, "e": {}}
    result = judged(hosts, "b")
    assert result["stop"] and not result.get("failed") and "last" not in result
    hosts["b"] = {**WELL, "guard_verdict": {"stop": True}}
    result = judged(hosts, "b", state="ended")
    assert result["failed"] and result["stopped"]
    assert result["msg"] == (
        "a is not well after the change: probe `port 22`: refused. The whole batch was rolled back (2 hosts). "
        "3 hosts were not touched."
    )


def test_what_keeps_its_change_is_told():
    hosts = {"a": WELL, "b": FAILED}
    result = judged(hosts, "a", state="ended", max_fail_percentage=10)
    assert result["msg"].endswith("1 host of the batch keeps the change. No other host was left.")
    assert not judged(hosts, "a", state="ended", max_fail_percentage=50).get("failed")


def test_a_batch_of_which_nobody_comes_to_the_end_is_told_by_who_is_left():
    assert judged({"a": SICK, "b": FAILED, "c": {}}, "a")["last"] == "1 host was not touched."


@pytest.mark.parametrize(("other", "ends"), [(FAILED, True), (WELL, False), (OFF, False)])
def test_a_batch_that_has_failed_as_a_whole_ends_the_run_at_once(other, ends):
    result = judged({"a": FAILED, "b": other, "c": {}}, "a", state="failed")
    assert bool(result.get("failed")) == ends
    assert result.get("stopped", False) == ends


@pytest.mark.parametrize(
    ("earlier", "ends"),
    [
        (SICK, True),
        ({**WELL, "guard_verdict": {"stop": True}}, True),
        ({**WELL, "tuning_rollout": {"stop": True}}, True),
        (WELL, False),
        (OFF, False),
    ],
)
def test_no_batch_begins_after_one_that_was_not_well(earlier, ends):
    hosts = {"a": WELL, "b": earlier, "c": {}, "d": {}, "e": {}}
    result = judged(hosts, "c", state="begun")
    assert bool(result.get("failed")) == ends
    if ends:
        assert result["stopped"] and result["msg"].endswith("not well. 3 hosts were not touched.")
    # What comes later says nothing of the own batch.
    assert not judged({"a": {}, "b": {}, "c": SICK}, "a", state="begun").get("failed")


@pytest.mark.parametrize(
    "wrong",
    [{"tuning_probes": ["knock 22"]}, {"tuning_probe_patience": "soon"}],
)
def test_a_check_that_cannot_be_made_is_told_before_anything_is_changed(wrong):
    with pytest.raises(AnsibleError, match=next(iter(wrong))):
        judged({"a": {}, "b": wrong}, "a", state="begun")
    # Another batch has its own turn, and a template is known on the host only.
    judged({"a": {}, "b": {}, "c": wrong}, "a", state="begun")
    judged({"a": {}, "b": dict.fromkeys(wrong, "{{ probes_of_site }}")}, "a", state="begun")


@pytest.mark.parametrize("wrong", [{"batches": ["half"]}, {"max_fail_percentage": "few"}, {"max_errors": "-"}])
def test_options_that_say_nothing_are_refused(wrong):
    with pytest.raises(AnsibleError, match=next(iter(wrong))):
        judged({"a": WELL}, "a", **wrong)


def test_hosts_that_were_off_are_listed_until_they_are_reached(tmp_path):
    path = tmp_path / "site.off"
    path.write_text("z\na\n")
    hosts = {"a": WELL, "b": OFF, "c": {}}
    judged(hosts, "a", file=str(path))
    assert path.read_text() == "z\na\n"  # not before the end
    judged(hosts, "a", state="ended", file=str(path))
    assert path.read_text() == "z\nb\n"
    path.write_text("b\n")
    judged({"a": WELL, "b": SAME}, "a", state="ended", file=str(path))
    assert not path.exists()
    judged({"a": WELL, "b": SAME}, "a", state="ended", file=str(path))
    assert not path.exists()


def test_a_list_that_cannot_be_kept_is_named(tmp_path):
    with pytest.raises(AnsibleError, match=r"tuning_off_file: .* cannot be read: Is a directory"):
        judged({"a": OFF, "b": WELL}, "b", state="ended", file=str(tmp_path))
    with pytest.raises(AnsibleError, match=r"tuning_off_file: .* cannot be written"):
        judged({"a": OFF, "b": WELL}, "b", state="ended", file=str(tmp_path / "none/site.off"))


def test_a_host_that_was_off_is_told_how_to_be_taken_up_later(tmp_path):
    result = judged({"a": OFF}, "a", state="unreachable", file=str(tmp_path / "site.off"))
    assert result["unreachable"] and f"--limit @{tmp_path}/site.off" in result["msg"]
    assert "--limit" not in judged({"a": OFF}, "a", state="unreachable")["msg"]
