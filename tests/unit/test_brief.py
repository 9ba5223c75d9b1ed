# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left of a run when only what a person needs is printed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.callback import brief

DIFF = {
    "before": {
        "nics": {"igb0": {"ring": {"rx": 256}, "features": {"gro": True}}, "igb1": {"ring": {"rx": 256}}},
        "/etc/sysctl.d/90.conf": {"/etc/sysctl.d/90.conf": "a\nb\n"},
    },
    "after": {
        "nics": {"igb0": {"ring": {"rx": 4096}, "features": {"gro": False}}, "igb1": {"ring": {"rx": 4096}}},
        "sysctl": {"net.core.rmem_max": "1000"},
        "/etc/sysctl.d/90.conf": {"/etc/sysctl.d/90.conf": "a\n"},
    },
}


LAYER = {"at": "now", "changes": [{"nic": "igb0", "family": "ring", "key": "rx", "before": 256, "after": 4096}]}
OTHERS = {
    "at": "then",
    "changes": [
        {"nic": "igb0", "family": "features", "key": "gro", "before": True, "after": False},
        {"nic": "igb1", "family": "ring", "key": "rx", "before": 256, "after": 4096},
        {"nic": "", "family": "sysctl", "key": "net.core.rmem_max", "before": 1, "after": 1000},
        {"nic": "", "family": "persist", "key": "/etc/sysctl.d/90.conf"},
    ],
}


def result(host, action="linuxnet.tuning.tune", check_mode=False, args=None, loop=None, **told):
    """As much of a task's result as the callback looks at."""
    task = SimpleNamespace(action=action, check_mode=check_mode, args=args or {}, loop=loop, loop_with=None)
    return SimpleNamespace(host=SimpleNamespace(get_name=lambda: host), result=told, task=task)


@pytest.fixture
def run(monkeypatch):
    """The callback, and the lines that it has printed so far."""
    callback, lines = brief.CallbackModule(), []
    monkeypatch.setattr(callback._display, "display", lambda text, **_how: lines.extend(text.split("\n")))
    return callback, lines


def test_settings_are_values_and_no_files():
    assert set(brief.settings(DIFF)) == {
        ("igb0", "features gro", "on", "off"),
        ("igb0", "ring rx", "256", "4096"),
        ("igb1", "ring rx", "256", "4096"),
        ("", "net.core.rmem_max", "-", "1000"),
    }


# As the module `file` has it of a folder that it has made.
MADE = {"before": {"path": "/x", "state": "absent"}, "after": {"path": "/x", "state": "directory"}}


@pytest.mark.parametrize(
    "diff", [None, [], "", {}, {"before": "a", "after": "b"}, [{"before": "", "after": "x"}], MADE]
)
def test_texts_of_other_modules_are_no_settings(diff):
    assert list(brief.settings(diff)) == []


def test_equal_changes_of_nics_and_hosts_share_a_row():
    one = set(brief.settings(DIFF))
    only = {row for row in one if row.nic == "igb0"}
    assert brief.table({"b": one, "a": one, "c": only}) == [
        "nic         setting            before  after  hosts",
        "            net.core.rmem_max  -       1000   a, b",
        "igb0        features gro       on      off    a, b, c",
        "igb0        ring rx            256     4096   c",
        "igb0, igb1  ring rx            256     4096   a, b",
    ]


def test_a_run_is_its_messages_and_one_table(run):
    callback, lines = run
    callback.v2_runner_on_ok(result("a", "ansible.builtin.assert", changed=False, msg="All assertions passed"))
    callback.v2_runner_on_ok(result("a", changed=True, diff=DIFF))
    callback.v2_runner_on_ok(result("a", "ansible.builtin.debug", changed=False, msg=["two", "lines"]))
    assert lines == ["two", "lines"]
    callback.v2_playbook_on_stats(None)
    assert lines[2].split() == ["nic", "setting", "before", "after", "hosts"]
    assert len(lines) == 2 + 4


@pytest.mark.parametrize(
    ("told", "printed"),
    [
        ({"msg": "one"}, ["one"]),
        ({"msg": {"tuning_nics": [{"name": "eth0"}], "lines": 2}}, ["tuning_nics:", "- name: eth0", "lines: 2"]),
        ({"msg": [{"line": 3}]}, ["- line: 3"]),
        ({"msg": 5}, ["5"]),
        ({"found": {"a": True}}, ["found:", "  a: true"]),  # of `var: found`
    ],
)
def test_what_debug_tells_is_printed_whatever_it_is(run, told, printed):
    callback, lines = run
    callback.v2_runner_on_ok(result("a", "ansible.builtin.debug", changed=False, failed=False, **told))
    assert lines == printed


@pytest.mark.parametrize(
    ("args", "told", "left"),
    [
        ({}, {"reverted": [LAYER, OTHERS]}, 0),  # by itself, as a call learns
        ({}, {"pending": [LAYER, OTHERS]}, 3),  # confirmed; two NICs share a row
        ({"state": "reverted"}, {"pending": [LAYER], "temporary": [OTHERS]}, 3),
        ({"state": "reverted", "temporary": True}, {"pending": [LAYER], "temporary": [LAYER, OTHERS]}, 0),
    ],
)
def test_what_went_back_was_not_changed(run, args, told, left):
    callback, lines = run
    callback.v2_runner_on_ok(result("a", changed=True, diff=DIFF))
    callback.v2_runner_on_ok(result("a", "linuxnet.tuning.guard", args=args, changed=True, **told))
    callback.v2_playbook_on_stats(None)
    assert len(lines[1:]) == left


def test_what_went_back_with_a_batch_was_not_changed(run):
    """The task that ends a change is told to confirm it, and fails on the host that is not well."""
    callback, lines = run
    for host in ("a", "b"):
        callback.v2_runner_on_ok(result(host, changed=True, diff=DIFF))
    back = {"rolled_back": True, "changed": True, "pending": [LAYER, OTHERS]}
    args = {"state": "confirmed"}
    callback.v2_runner_on_ok(result("a", "linuxnet.tuning.guard", args=args, **back))
    callback.v2_runner_on_failed(result("b", "linuxnet.tuning.guard", args=args, failed=True, msg="no", answer=back))
    callback.v2_playbook_on_stats(None)
    assert lines == ["b: failed: no"]


def test_a_verdict_over_a_batch_is_no_failure_of_the_host_that_tells_it(run, monkeypatch):
    callback, lines = run
    monkeypatch.setattr(brief.constants, "CALLBACKS_ENABLED", [], raising=False)
    callback.v2_runner_on_failed(result("a", "linuxnet.tuning.rollout", stopped=True, msg="b is not well."))
    callback.v2_playbook_on_stats(None)
    assert lines == ["b is not well."]


def test_a_verdict_is_left_to_the_summary_which_ends_with_it(run, monkeypatch):
    callback, lines = run
    monkeypatch.setattr(brief.constants, "CALLBACKS_ENABLED", ["linuxnet.tuning.summary"], raising=False)
    callback.v2_runner_on_failed(result("a", "linuxnet.tuning.rollout", stopped=True, msg="b is not well."))
    callback.v2_playbook_on_stats(None)
    assert lines == []


def test_a_warning_names_its_hosts_once_the_task_is_over(run, monkeypatch):
    callback, lines = run
    monkeypatch.setattr(callback._display, "warning", lines.append)
    callback.v2_runner_on_ok(result("b", warnings=["no pause frames"]))
    callback.v2_runner_on_failed(result("a", msg="no", warnings=["no pause frames", "old kernel"]))
    assert lines == []
    callback.v2_playbook_on_task_start(None, False)
    assert lines == ["a, b: no pause frames", "a: old kernel", "a: failed: no"]


def test_a_module_of_ansible_says_as_well_that_sudo_is_missing(run):
    callback, lines = run
    told = {"msg": "No start of json char found", "module_stderr": "/bin/sh: 1: sudo: not found\n", "rc": 127}
    callback.v2_runner_on_failed(result("a", "stat", **told))
    callback.v2_playbook_on_stats(None)
    assert lines[0].startswith("a: failed: sudo is not installed on this host")


def test_what_stood_before_a_change_that_went_back_stays(run):
    callback, lines = run
    for before, after in ((1, 256), (256, 4096)):
        nic = [{"nics": {"igb0": {"ring": {"rx": value}}}} for value in (before, after)]
        callback.v2_runner_on_ok(result("a", changed=True, diff={"before": nic[0], "after": nic[1]}))
    callback.v2_runner_on_ok(result("a", "linuxnet.tuning.guard", reverted=[LAYER]))
    callback.v2_playbook_on_stats(None)
    assert [line.split() for line in lines[1:]] == [["igb0", "ring", "rx", "1", "256", "a"]]


def test_a_loop_is_told_by_its_turns(run):
    callback, lines = run
    callback.v2_runner_item_on_ok(result("a", "ansible.builtin.debug", loop="x", msg="one"))
    callback.v2_runner_on_ok(result("a", "ansible.builtin.debug", loop="x", msg="all items", results=[{"msg": "one"}]))
    assert lines == ["one"]
    # Which turns have failed is not among the results of ansible-core 2.21.
    callback.v2_runner_item_on_failed(
        result("a", "copy", loop="x", msg="no such file", item="p", ansible_loop_var="item")
    )
    callback.v2_runner_item_on_failed(result("a", "copy", loop="x", censored="the output has been hidden"))
    callback.v2_runner_item_on_failed(result("a", "assert", loop="x", msg="no profile 'q'", item="q"))
    callback.v2_runner_on_failed(result("a", "copy", loop="x", msg="One or more items failed", results=[{}, {}, {}]))
    callback.v2_playbook_on_stats(None)
    assert lines[1:] == [
        "a: failed: no such file (item p)",
        "a: failed: the output has been hidden",
        "a: failed: no profile 'q'",
    ]


def test_hosts_that_fail_for_one_reason_are_named_together_when_the_task_is_over(run):
    callback, lines = run
    for host in ("b", "a"):
        callback.v2_runner_on_failed(result(host, msg="ring rx: desired 9, but the maximum is 8"))
    callback.v2_runner_on_failed(result("c", msg="not so bad"), ignore_errors=True)
    callback.v2_runner_on_unreachable(result("d", msg="No route to host"))
    for host, address in (("pc1", "192.0.2.1"), ("pc2", "192.0.2.2")):
        said = f"Failed to connect to the host via ssh: ssh: connect to host {address} port 22: Connection timed out"
        callback.v2_runner_on_unreachable(result(host, msg=said))
    assert lines == []
    callback.v2_playbook_on_handler_task_start(None)
    told = [
        "a, b: failed: ring rx: desired 9, but the maximum is 8",
        "d: unreachable: No route to host",
        "pc1, pc2: unreachable: port 22: Connection timed out",
    ]
    assert lines == told
    callback.v2_playbook_on_stats(None)
    assert lines == told


@pytest.mark.parametrize("how", [{"check_mode": True}, {"action": "linuxnet.tuning.nic_info"}])
def test_what_was_only_asked_was_not_changed(run, how):
    callback, lines = run
    callback.v2_runner_on_ok(result("a", changed=True, diff=DIFF, **how))
    callback.v2_playbook_on_stats(None)
    assert lines == []


def test_in_check_mode_the_table_is_what_would_be_changed(run, monkeypatch):
    callback, lines = run
    monkeypatch.setattr(brief.context, "CLIARGS", {"check": True})
    callback.v2_runner_on_ok(result("a", changed=True, check_mode=True, diff=DIFF))
    callback.v2_playbook_on_stats(None)
    assert len(lines) == 4


def test_a_failure_is_the_sentence_without_what_ansible_puts_before_it(run):
    callback, lines = run
    said = (
        "Task failed: Finalization of task args for 'ansible.builtin.set_fact' failed: Error while resolving value for "
        "'benchmark_plan': The filter plugin 'linuxnet.tuning.benchmark_plan' failed: benchmark_groups is empty"
    )
    callback.v2_runner_on_failed(result("a", "set_fact", msg=said))
    callback.v2_playbook_on_stats(None)
    assert lines == ["a: failed: benchmark_groups is empty"]


def test_a_loop_whose_failures_were_ignored_leaves_none_to_the_next(run):
    callback, lines = run
    callback.v2_runner_item_on_failed(result("a", "copy", loop="x", msg="ignored", item="p"))
    callback.v2_runner_on_failed(result("a", "copy", loop="x", msg="One or more items failed"), ignore_errors=True)
    callback.v2_runner_on_failed(result("a", "copy", msg="another"))
    callback.v2_playbook_on_stats(None)
    assert lines == ["a: failed: another"]
