# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that ends a change: what it fails with, and what of it the judge of the batch gets to see."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleConnectionFailure, AnsibleError

from ansible_collections.linuxnet.tuning.plugins.action.rollout import _said
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast, rollout
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast.ending import ended, options
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

HANDLER = {"guard__step": "end", "inventory_hostname": "pc1"}
DONE = {"changed": True, "pending": []}
SICK = {"guard_verdict": {"stop": True, "sick": {"pc1": "probe `p`: 7"}}}
BACK = "the change of 2026-05-04 was taken back"


def lost():
    raise AnsibleConnectionFailure("timed out")


def test_a_host_that_is_well_answers_as_the_module_does():
    assert ended(lambda: DONE, HANDLER) == DONE
    assert ended(lambda: DONE, {**HANDLER, "guard_verdict": {"stop": False, "sick": {}}}) == DONE


@pytest.mark.parametrize("run", [lost, lambda: {"unreachable": True, "cut": True, "msg": "timed out"}])
def test_a_lost_host_fails_and_says_what_becomes_of_it(run):
    found = ended(run, HANDLER)
    assert found["failed"]
    assert "unreachable" not in found
    assert found["msg"].startswith("After the change no new connection to this host can be made (timed out). Nobody")
    assert found["answer"]["unreachable"]


def test_elsewhere_a_lost_host_is_unreachable():
    with pytest.raises(AnsibleConnectionFailure):
        ended(lost, {"inventory_hostname": "pc1"})


def test_other_failures_are_told_as_they_are():
    def wrong():
        raise AnsibleError("Incorrect sudo password")

    with pytest.raises(AnsibleError, match="Incorrect"):
        ended(wrong, HANDLER)
    failed = {"failed": True, "msg": "the revert did not finish"}
    assert ended(lambda: failed, {**HANDLER, **SICK}) == failed


def test_a_host_that_is_not_well_fails_and_keeps_its_warnings():
    found = ended(lambda: {**DONE, "warnings": ["one could not be set back"]}, {**HANDLER, **SICK})
    assert found["failed"]
    assert found["changed"]
    assert found["msg"] == "This host is not well after the change: probe `p`: 7. The change was rolled back."
    assert found["warnings"] == ["one could not be set back"]
    late = ended(lambda: {**DONE, "pending": [], "reverted": [{"at": "2026-05-04"}]}, {**HANDLER, **SICK})
    assert late["msg"].endswith("The change was reverted.")
    # The others of its batch go back too, and do not fail.
    assert ended(lambda: DONE, {**HANDLER, **SICK, "inventory_hostname": "pc2"}) == {**DONE, "rolled_back": True}
    assert found["answer"]["rolled_back"]
    assert "stopped" not in found


def test_where_nobody_is_left_to_say_how_the_run_ends_each_host_does():
    alone = {"guard_verdict": {**SICK["guard_verdict"], "last": "49 hosts were not touched."}}
    found = ended(lambda: DONE, {**HANDLER, **alone})
    assert found["msg"].endswith("probe `p`: 7. The change was rolled back. 49 hosts were not touched.")
    assert found["stopped"]
    stuck = ended(lambda: {"failed": True, "msg": "The revert did not finish."}, {**HANDLER, **alone})
    assert stuck["msg"] == (
        "This host is not well after the change: probe `p`: 7. The revert did not finish. 49 hosts were not touched."
    )
    assert stuck["stopped"]
    assert "rolled_back" not in stuck


@pytest.mark.parametrize(("guard", "told"), [(120, BACK), (0, BACK), (120, None)])
def test_what_went_back_in_the_middle_of_the_play(guard, told):
    variables = {"bonding_result": {"guard": guard}, "tune_result": {"reverted": told} if told else {}}
    found = ended(lambda: DONE, {**HANDLER, **variables})
    assert bool(found.get("failed")) == bool(guard and told)
    if found.get("failed"):
        assert found["msg"] == f"This host reverted by itself in the middle of the play: {BACK}"


def verdict(found):
    """What the judge makes of a host that had changed, and of the end of that."""
    known = {"tune_result": {"changed": True}, "guard_health": {"probes": [], "counters": {}}, "guard_confirmed": found}
    return _said({"pc1": known}, "pc1", ["tune_result"])


def test_the_judge_sees_a_lost_host_as_lost_and_not_as_stuck():
    said = {"pc1": verdict(ended(lost, HANDLER))}
    found = rollout.judge(said, rollout.Limits())
    assert found.sick == {"pc1": "no new connection to this host can be made (timed out)"}
    assert "pc1 cannot be reached, and will revert" in rollout.sentence(found, said, True, 0, rollout.Limits())


def test_the_judge_sees_that_one_which_is_not_well_went_back():
    said = {"pc1": verdict(ended(lambda: DONE, {**HANDLER, **SICK}))}
    told = rollout.sentence(rollout.Verdict({"pc1": "p"}, [], [], True), said, True, 0, rollout.Limits())
    assert "The whole batch was rolled back (1 host)." in told
    assert "could not be rolled back" not in told


def test_the_action_of_each_module_ends_so():
    action = object.__new__(fast.ActionModule)
    action._ran = lambda tmp, task_vars: lost()
    assert action.run(None, HANDLER)["failed"]
    with pytest.raises(AnsibleConnectionFailure):
        action.run(None, {})


class Action(fast.ActionModule):
    """The action of a task whose host has a connection, and answers so."""

    def __init__(self, answer=None, state="confirmed"):
        self.done = []
        told = {"before": 1, "after": 2, "commands": [], "host": {}, "pending": [3], "temporary": [4]}
        self.answer = answer or {"changed": True, **told}
        self._task = SimpleNamespace(action="guard", args={"state": state}, check_mode=False, notify=[])
        self._templar = SimpleNamespace(template=lambda value: value)
        reset = SimpleNamespace(reset=lambda: self.done.append("new connection"))
        self._connection = SimpleNamespace(**vars(reset), _play_context=SimpleNamespace(remote_addr="pc1"))

    def _fast(self, view, task_vars):
        self.done.append("call")
        return self.answer


@pytest.mark.parametrize(
    ("variables", "new"),
    [
        ({"guard__step": "look", "guard__batches": [1]}, True),
        # Where each host was looked at, over a new connection, the end takes that.
        ({"guard__step": "end", "guard__batches": [1]}, False),
        ({"guard__step": "end"}, True),
        ({"guard__batches": [1]}, False),
        ({}, False),
    ],
)
def test_the_first_task_after_a_change_opens_a_new_connection(variables, new):
    action = Action()
    action.run(None, variables)
    assert action.done == (["new connection", "call"] if new else ["call"])


@pytest.mark.parametrize(
    ("variables", "state", "left_out"),
    [
        ({"guard__step": "look"}, "checked", {"pending", "temporary"}),
        ({"guard__step": "end"}, "confirmed", {"pending", "temporary"}),
        # The callback `brief` takes from it what is no longer so.
        ({"guard__step": "end", "guard_verdict": {"stop": True}}, "confirmed", set()),
        ({"tune__brief": True}, "confirmed", {"before", "after", "commands"}),
        ({"audit__packed": True}, "confirmed", {"host"}),
        ({}, "confirmed", set()),
    ],
)
def test_what_nobody_sees_is_left_out(variables, state, left_out, monkeypatch):
    action = Action(state=state)
    found = action.run(None, variables)
    assert {*action.answer} - {*found} == left_out
    failed = Action({**action.answer, "failed": True, "msg": "no"}, state)
    assert {*failed.answer} <= {*failed.run(None, variables)}
    monkeypatch.setattr(fast.display, "verbosity", 1)
    assert {*action.answer} <= {*Action(state=state).run(None, variables)}


class TestOptions:
    """What the handlers leave to the action."""

    def test_a_look_takes_the_probes_of_the_inventory(self):
        variables = {"guard__step": "look", "tuning_probes": "{{ probes }}", "tuning_probe_patience": 5}
        found = options({"state": "checked"}, variables, {"{{ probes }}": ["gateway"], 5: 5}.__getitem__)
        assert found == {"state": "checked", "probes": ["gateway"], "patience": 5}

    def test_a_patience_that_is_no_number_is_told_by_its_name(self):
        with pytest.raises(Refused, match=r"^tuning_probe_patience: 'long' is not valid; write a number of seconds"):
            options({}, {"guard__step": "look", "tuning_probe_patience": "long"}, lambda value: value)

    @pytest.mark.parametrize("nothing", [{}, {"tuning_probes": ""}, {"tuning_probes": None}])
    def test_without_any_it_has_what_is_usual(self, nothing):
        found = options({"state": "checked"}, {"guard__step": "look", **nothing}, lambda value: value)
        assert found == {"state": "checked", "probes": [], "patience": 10}

    @pytest.mark.parametrize(
        ("verdict", "state"),
        [({}, "confirmed"), (SICK, "reverted"), ({"guard_verdict": {"stop": False}}, "confirmed")],
    )
    def test_the_end_is_that_of_the_verdict(self, verdict, state):
        assert options({"state": "confirmed"}, {**HANDLER, **verdict}, None) == {"state": state}

    def test_in_other_tasks_the_options_are_what_somebody_wrote(self):
        variables = {**SICK, "tuning_probes": ["gateway"]}
        assert options({"state": "confirmed"}, variables, None) == {"state": "confirmed"}
        assert options({"state": "checked"}, variables, None) == {"state": "checked"}


@pytest.mark.parametrize(
    ("variables", "given", "args"),
    [
        ({"audit__packed": True}, {}, {"interval": 0, "against": []}),
        ({"audit__packed": True, "audit_interval": "", "audit_against": None}, {}, {"interval": 0, "against": []}),
        (
            {"audit__packed": True, "audit_interval": "2.5"},
            {"names": []},
            {"interval": "2.5", "against": [], "names": []},
        ),
        ({"audit__packed": True, "audit_interval": 3}, {"interval": 1}, {"interval": 1, "against": []}),
        ({"audit_interval": 3}, {}, {}),
    ],
)
def test_an_audit_takes_its_options_from_the_variables(variables, given, args):
    action = Action()
    action._task.action, action._task.args = "linuxnet.tuning.nic_info", given
    action.run(None, variables)
    assert action._task.args == args
