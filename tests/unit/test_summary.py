# SPDX-License-Identifier: GPL-3.0-or-later
"""What the callback says at the end."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.callback import summary


def test_each_host_is_named_once_under_the_worst_that_is_true():
    hosts = {
        "pc1": {"ok": 1, "changed": 0},
        "pc2": {"ok": 2, "changed": 1},
        "pc3": {"ok": 1, "changed": 1, "failures": 1},
        "pc4": {"unreachable": 1},
        "pc5": {"ok": 2, "changed": 1},
    }
    found = summary.summarise(hosts, {"pc3", "pc5"})
    assert found == {
        "failed": ["pc3"],
        "unreachable": ["pc4"],
        "reverted": ["pc5"],
        "rolled back": [],
        "changed": ["pc2"],
        "unchanged": ["pc1"],
    }


def test_lines_are_short_for_a_fleet():
    found = summary.summarise({f"pc{number:03}": {"ok": 1} for number in range(200)}, set())
    assert summary.lines(found) == [
        "unchanged    200   pc000, pc001, pc002, pc003, pc004, pc005, pc006, pc007 and 192 more"
    ]


def test_a_remark_of_a_whole_fleet_is_one_line():
    told = {"It is the switch": {f"pc{number:03}" for number in range(200)}, "No systemd": {"nas"}}
    assert summary.remarks(told) == [
        "200 hosts: It is the switch. (pc000, pc001, pc002, pc003, pc004, pc005, pc006, pc007 and 192 more)",
        "1 host: No systemd. (nas)",
    ]


class Result:
    """As much of a task's result as the callback looks at."""

    def __init__(self, name, action="linuxnet.tuning.tune", check_mode=False, **told):
        self.result = told
        self.task = type("Task", (), {"action": action, "check_mode": check_mode})()
        self.host = type("Host", (), {"get_name": lambda _self: name})()


class Stats:
    """What Ansible has counted."""

    def __init__(self, names, failed="", changed=""):
        self.processed = dict.fromkeys(names, 1)
        self.failed = failed
        self.changed = changed

    def summarize(self, name):
        if name in self.failed:
            return {"ok": 1, "changed": 1, "failures": 1}
        return {"ok": 2, "changed": self.changed.count(name)}


def made():
    """The callback, and what it will have shown."""
    shown = []
    callback = summary.CallbackModule()
    callback._display = type(
        "Display",
        (),
        {"banner": lambda _self, text: shown.append(text), "display": lambda _self, text: shown.append(text)},
    )()
    return callback, shown


def test_remarks_are_collected_from_all_batches():
    callback, shown = made()
    for name in ("a", "b", "a"):
        callback.v2_runner_on_ok(Result(name, remarks=["It is the switch"]))
    callback.v2_runner_on_ok(Result("c", remarks="not a list", changed=False))
    callback.v2_playbook_on_stats(Stats("abc"))
    assert shown == ["SUMMARY", "unchanged      3   a, b, c", "2 hosts: It is the switch. (a, b)"]


def test_remarks_that_brief_has_printed_are_not_repeated(monkeypatch):
    callback, shown = made()
    monkeypatch.setattr(summary.constants, "DEFAULT_STDOUT_CALLBACK", "linuxnet.tuning.brief", raising=False)
    callback.v2_runner_on_ok(Result("a", remarks=["It is the switch"]))
    callback.v2_playbook_on_stats(Stats("ab"))
    assert shown == ["SUMMARY", "unchanged      2   a, b"]


@pytest.mark.parametrize("answer", ["yes", ["rolled_back"], 42, None])
def test_results_of_other_modules_may_have_an_answer_of_any_kind(answer):
    callback, shown = made()
    callback.v2_runner_on_ok(Result("a", "community.general.some", answer=answer, remarks=["It is the switch"]))
    callback.v2_runner_on_failed(Result("b", "community.general.some", answer=answer))
    callback.v2_playbook_on_stats(Stats("ab", failed="b"))
    assert shown == ["SUMMARY", "failed         1   b", "unchanged      1   a", "1 host: It is the switch. (a)"]


def test_a_host_that_was_not_reached_is_not_told_to_be_unchanged():
    """A play that goes on without the hosts that are off does not count them: site in check mode."""
    callback, shown = made()
    for name in ("a", "b"):
        callback.v2_runner_on_unreachable(Result(name, unreachable=True))
    callback.v2_runner_on_ok(Result("b"))
    # The verdict over the batch needs no connection.
    callback.v2_runner_on_ok(Result("a", "linuxnet.tuning.rollout", stop=True))
    callback.v2_playbook_on_stats(Stats("abc"))
    assert shown == ["SUMMARY", "unreachable    1   a", "unchanged      2   b, c"]


def test_the_last_line_says_why_a_run_has_stopped():
    """The verdict over a batch is told on one of its hosts, and says nothing about that one."""
    callback, shown = made()
    callback.v2_runner_on_ok(Result("a", rolled_back=True))
    callback.v2_runner_on_failed(Result("b", answer={"rolled_back": True}, msg="b is not well"))
    callback.v2_runner_on_failed(Result("a", "linuxnet.tuning.rollout", stopped=True, msg="b is not well. Stop."))
    callback.v2_playbook_on_stats(Stats("abc", failed="ab"))
    assert shown == [
        "SUMMARY",
        "failed         1   b",
        "rolled back    1   a",
        "unchanged      1   c",
        "b is not well. Stop.",
    ]
    callback, shown = made()
    callback.v2_runner_on_failed(Result("a", stopped=True, msg="This host is not well. 2 hosts were not touched."))
    callback.v2_playbook_on_stats(Stats("a", failed="a"))
    assert shown[1:] == ["failed         1   a", "a: This host is not well. 2 hosts were not touched."]


def test_what_prove_only_asks_for_does_not_count_as_a_change(monkeypatch):
    """It asks in check mode what would change, and Ansible counts that; b is changed as well."""
    callback, shown = made()
    for name in "ab":
        callback.v2_runner_on_ok(Result(name, changed=True, check_mode=True))
    callback.v2_runner_on_ok(Result("b", changed=True))
    callback.v2_playbook_on_stats(Stats("ab", changed="abb"))
    assert shown == ["SUMMARY", "changed        1   b", "unchanged      1   a"]
    monkeypatch.setattr(summary.context, "CLIARGS", {"check": True})
    callback, shown = made()
    callback.v2_runner_on_ok(Result("a", changed=True, check_mode=True))
    callback.v2_playbook_on_stats(Stats("ab", changed="a"))
    assert shown == ["SUMMARY", "changed        1   a", "unchanged      1   b"]
