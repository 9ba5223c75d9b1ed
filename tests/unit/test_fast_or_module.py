# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a task goes, and what it is told of the other one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast, results
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import options, precompiled, script, told

MISSING = {script.MISSING: "No such file", script.PYTHON: "3.11-a70d"}
DONE = {"changed": False, "pending": []}


class Connection(SimpleNamespace):
    """One over ssh, with options of its own."""

    def __init__(self, **options):
        given = {"ssh_args": "-o ControlMaster=auto", "ssh_common_args": "", "ssh_extra_args": None, **options}
        where = SimpleNamespace(remote_addr="pc1")
        super().__init__(transport="ssh", become=None, _play_context=where, get_option=given.__getitem__)


class Action(fast.ActionModule):
    """The action of a task, of which Ansible's own part answers so."""

    def __init__(self, *answers, **options):
        self.answers, self.sent, self.said = list(answers), [], []
        self._connection = Connection(**options)
        self._task = SimpleNamespace(
            action="guard", args={"state": "status"}, check_mode=False, notify=[], async_val=0, delegate_to=None
        )
        self._templar = SimpleNamespace(template=lambda value: value)

    def get_become_option(self, option, default=None):
        return None

    def _execute_module(self, **given):
        self.sent.append(self._call and self._call["code"])
        return self.answers.pop(0)

    def _say(self, what):
        self.said.append(what)


@pytest.fixture(autouse=True)
def run(tmp_path, monkeypatch):
    """A run without code that was compiled before, and with Ansible's own way being one call."""
    monkeypatch.setattr(told.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    monkeypatch.setattr(precompiled, "code", lambda python: script.Code(b"code", python))
    monkeypatch.setattr(options.UsualWay, "run", lambda self, tmp, task_vars: self._execute_module())


def test_code_that_another_run_has_sent_meanwhile_is_no_news():
    action = Action(MISSING, {**DONE, script.HAD: True})
    assert action.run(None, {}) == DONE
    assert action.sent == [None, script.Code(b"code", "3.11-a70d")]


def test_a_name_of_several_hosts_gets_an_answer_all_the_same():
    action = Action(MISSING, {**MISSING, script.PYTHON: "3.9-610d"}, DONE)
    assert action.run(None, {}) == DONE
    assert action.said[-1] == "runs as a module, because its answer is of another Python each time"


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        ({}, True),
        ({"ssh_args": "-C -o RequestTTY=no -o ControlPath=/tmp/a-tt-b -T"}, True),
        # ssh opens none then, because its own input is none.
        ({"ssh_args": "-t"}, True),
        ({"ssh_args": "-o ControlMaster=auto -tt"}, False),
        ({"ssh_extra_args": "-tt"}, False),
        ({"ssh_common_args": "-o requesttty=force"}, False),
        ({"ssh_common_args": "-o 'RequestTTY force'"}, False),
    ],
)
def test_a_terminal_would_take_the_script_for_typed(options, fits):
    action = Action(DONE, **options)
    action.run(None, {})
    assert ("runs on the host's bare interpreter" in action.said) is fits


@pytest.mark.parametrize("way", ["1", "0"])
@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        ("Unknown option: -I\nusage: python2.7 [option] ...\n", results.OLD),
        ('  File "<stdin>", line 40\n    zip_data: str,\n            ^\nSyntaxError: invalid syntax\n', results.OLD),
        ("sudo: sorry, you must have a tty to run sudo\n", "ansible_pipelining: false for this host"),
        ("\nplain is not in the sudoers file.\n", "sudo: plain is not in the sudoers file."),
        ("/bin/sh: 1: sudo: not found\n", "sudo is not installed on this host"),
        ("bash: line 1: sudo: command not found\n", "sudo is not installed on this host"),
        ("Sorry, user plain is not allowed to execute '/bin/sh -c true' as root on pc1.\n", "plain is not allowed to"),
    ],
)
def test_a_host_that_has_not_even_begun_says_why_either_way(monkeypatch, way, stderr, message):
    monkeypatch.setenv(fast.SWITCH, way)
    nothing = {"failed": True, "_ansible_parsed": False, "module_stdout": "", "module_stderr": stderr, "msg": "none"}
    result = Action(nothing, nothing).run(None, {})
    assert result["failed"]
    assert message in result["msg"]


def test_what_is_not_known_is_handed_on():
    nothing = {"failed": True, "_ansible_parsed": False, "module_stdout": "", "module_stderr": "Killed", "msg": "none"}
    action = Action(nothing, nothing)
    assert action.run(None, {}) == nothing
    assert action.said[-1] == "runs as a module, because the host has not begun with it: Killed"
