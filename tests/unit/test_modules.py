# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole calls of the modules against transcripts; a new case is a new file in cases/modules/<module>, without code.

A case has `about`, `source` (where the texts come from), `nics` (what sysfs tells, or `lab` for one of cases/lab.yml),
`files`, and a list of `calls` that follow each other on the same host. A call has `params`, `check` (check mode),
`commands` (each with `run`, and `reads` what it gets, `rc`, `out`, `err`, `shows`: a file of cases/parse or of
cases/shown, or `gone`: the NICs that vanish with it), and what comes of it:
`result` (the keys to compare), `holds` (a part of the result), `says` (parts of the message or the warnings), `done`
(what was changed, in order) and `files` (texts, null for none).
A command that is not in the transcript, or is not reached, fails the test, and so does one in another order, and a word
that case_files.py does not know.
Each case is played twice where the module has an action plugin: with the module, and as the host's bare interpreter.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace as Namespace

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.linuxnet.tuning.plugins.module_utils import bare, engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import memory
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import measurement, session
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast
from ansible_collections.linuxnet.tuning.tests.unit import case_files, memory_host

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("modules/*/*.yml"))
ACTIONS = {path.stem for path in (Path(__file__).parents[2] / "plugins/action").glob("*.py")} - {
    "audit_report",
    "benchmark_history",
    "rollout",
}
BOTH_WAYS = [(path, way) for path in CASES for way in ("module", "bare")[: 1 + (path.parent.name in ACTIONS)]]


class Exit(Exception):
    """The end of a module call, with its result."""


class Transcript:
    """Answers the commands that are written down, in their order, and no others."""

    def __init__(self, steps, disk):
        self.steps = list(steps)
        self.disk = disk

    def run(self, argv, data=""):
        assert self.steps, f"one command too many: {' '.join(argv)}"
        step = self.steps.pop(0)
        assert " ".join(argv) == step["run"]
        assert data == step.get("reads", "")
        for nic in step.get("gone", ()):
            self.disk.remove_nic(nic)
        for path, text in step.get("files", {}).items():
            self.disk.files[path] = text
        for path, target in step.get("links", {}).items():
            self.disk.links[path] = target
            if target is None:
                del self.disk.links[path]
        if "missing" in step:
            raise FileNotFoundError(2, "No such file or directory")
        if "shows" in step:
            captured = case_files.shown(step["shows"])
            failed = captured.suffix == ".err"
            return (1, "", captured.read_text()) if failed else (0, captured.read_text(), "")
        return step.get("rc", 0), step.get("out", ""), step.get("err", "")


class FakeModule:
    """As much of AnsibleModule as the engine knows, with its own check of the options."""

    def __init__(self, spec, params, check_mode, run):
        checked = ArgumentSpecValidator(spec).validate(params)
        assert not checked.error_messages
        self.params = checked.validated_parameters
        self.check_mode = check_mode
        self.warnings = []
        self._run = run

    def get_bin_path(self, _name):
        return None

    def run_command(self, argv, data, environ_update, handle_exceptions, expand_user_and_vars):
        assert isinstance(argv, list)
        assert environ_update["LC_ALL"] == "C"
        assert not (handle_exceptions or expand_user_and_vars)
        return self._run(argv, data) if data else self._run(argv)

    def warn(self, text):
        self.warnings.append(text)

    def exit_json(self, **result):
        raise Exit({"failed": False, "warnings": self.warnings, **result})

    def fail_json(self, **result):
        raise Exit({"failed": True, "changed": False, "warnings": self.warnings, **result})


# Most cases are about what is in force; those about what lasts say so themselves.
USUAL = {"permanent": False, "guard_timeout": 0}
LASTING = ("sysctl", "tune", "boot")
VIEWS = ACTIONS - {"guard", "nic_info"}


def usual(module, spec):
    lasts = module in LASTING
    return {name: value for name, value in USUAL.items() if name in spec and not (lasts and name == "permanent")}


def by_module(module, params, check_mode, run):
    """The result of a call as the module makes it."""
    with pytest.raises(Exit) as ended:
        if module == "iperf3":
            measurement.serve_iperf3(FakeModule(measurement.IPERF3, params, check_mode, run))
        elif module == "benchmark":
            measurement.serve_benchmark(FakeModule(measurement.BENCHMARK, params, check_mode, run))
        else:
            engine.serve(FakeModule(engine.spec(module), params, check_mode, run), module)
    return ended.value.args[0]


def by_bare(module, params, check_mode, run, monkeypatch, capsys):
    """The same as it comes from a bare interpreter, options checked on the controller, through JSON both times."""

    def run_command(_self, *words, **named):
        return FakeModule.run_command(Namespace(_run=run), *words, **named)

    monkeypatch.setattr(bare.BareModule, "run_command", run_command)
    monkeypatch.setattr(bare.BareModule, "get_bin_path", FakeModule.get_bin_path)
    with pytest.raises(SystemExit):
        request = {"params": fast.checked(module, params), "check_mode": check_mode, "invocation": False}
        bare.serve(module, json.dumps(request), "")
    return {"failed": False, "changed": False, "warnings": [], **json.loads(capsys.readouterr().out)}


def play(way, module, params, check_mode, run, disk, monkeypatch, capsys):
    """One call of a module on a host in memory: the host, and the result."""
    hosts = []

    def connect(runner, check_mode=True):
        hosts.append(memory_host.connect(disk, runner, check_mode))
        return hosts[-1]

    monkeypatch.setattr(engine, "connect", connect)
    monkeypatch.setattr(engine, "ReadOnlyHost", connect)
    monkeypatch.setattr(measurement, "connect", connect)
    monkeypatch.setattr(session.sys, "executable", "/usr/bin/python3")
    if module in VIEWS:
        params = {**usual(module, engine.spec(module)), **params}
    if way == "bare":
        result = by_bare(module, params, check_mode, run, monkeypatch, capsys)
    else:
        result = by_module(module, params, check_mode, run)
    return hosts[-1], result


def excerpt(whole, expected):
    """As much of a result as a case speaks of."""
    if isinstance(expected, dict) and isinstance(whole, dict):
        return {key: excerpt(whole.get(key), value) for key, value in expected.items()}
    return whole


def prepare(case):
    disk = memory_host.Files(case.get("files"))
    for name, facts in case.get("nics", {}).items():
        disk.add_nic(name, **(facts or {}))
    disk.links.update(case.get("links", {}))
    disk.refused.update(case.get("refused", {}))
    disk.readable_only.update(case.get("readable_only", ()))
    disk.kernel.update(case.get("kernel", {}))
    disk.together.update(case.get("together", {}))
    return disk


@pytest.mark.parametrize(
    ("path", "way"), BOTH_WAYS, ids=[f"{path.parent.name}/{path.stem}-{way}" for path, way in BOTH_WAYS]
)
def test_call_does_and_says(path, way, monkeypatch, capsys):
    case = case_files.read(path)
    assert case["about"]
    assert any(word in case["source"] for word in ("captured", "written by hand", "no output"))
    disk = prepare(case)
    for step in case["calls"]:
        transcript = Transcript(step.get("commands", ()), disk)
        params, check_mode = step["params"], step.get("check", False)
        host, result = play(way, path.parent.name, params, check_mode, transcript.run, disk, monkeypatch, capsys)
        assert transcript.steps == [], "not all commands of the transcript were run"
        assert {key: result.get(key) for key in step["result"]} == step["result"]
        assert excerpt(result, step.get("holds", {})) == step.get("holds", {})
        assert result["failed"] == step["result"].get("failed", False), result.get("msg")
        said = [str(result.get("msg", "")), *result["warnings"]]
        for part in step.get("says", ()):
            assert any(part in text for text in said), said
        if not step.get("says"):
            assert said == [""]
        assert [line for line in host.done if memory.BASELINE not in line] == step.get("done", [])
        for name, text in step.get("files", {}).items():
            assert disk.files.get(name) == text


def test_there_are_cases_of_every_module():
    modules = {path.stem for path in (Path(__file__).parents[2] / "plugins" / "modules").glob("*.py")}
    # These two have tests of their own: one asks no host, the other needs the rights of files.
    assert {path.parent.name for path in CASES} == modules - {
        "audit_report",
        "benchmark_history",
        "rollout",
        "take_over",
    }


def test_each_family_has_cases_of_nonsense():
    """Misspelt keys, wrong types, units and ranges, refused before any command with the right word in the message."""
    expected = {name for name, family in registry.FAMILIES.items() if not (family.follows or family.desire)}
    expected = {name for name in expected if registry.FAMILIES[name].fields or registry.FAMILIES[name].open_kind}
    there = {path.stem[9:].replace("-", "_"): path for path in CASES if path.stem.startswith("nonsense-")}
    assert expected <= set(there)
    for name in expected:
        calls = case_files.read(there[name])["calls"]
        assert len(calls) > 2, name
        assert not any("commands" in call for call in calls), name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("about: a\ncalls: [{params: {}, result: {}, hold: {a: 1}}]", "calls: 1: hold: no test reads that"),
        ("nics: {igb0: {bus: a, drivers: igb}}", "igb0: drivers: no test reads that"),
        ("nics: {igb0: lab, igb8: lab}", "igb8: the lab has no such NIC"),
        ("calls: [{commands: [{runs: ip link}]}]", "commands: 1: runs"),
        ("calls:\n  - result: {}\n    result: {changed: false}", "result stands there twice"),
        ("calls: [{result: {changed: true, changed: false}}]", "changed stands there twice"),
        ("calls: [params]", "calls: 1 is no dictionary"),
    ],
)
def test_a_case_with_a_word_that_nothing_reads_is_none(text, says, tmp_path):
    (tmp_path / "case.yml").write_text(text)
    with pytest.raises(AssertionError, match=says):
        case_files.read(tmp_path / "case.yml", "modules")
