# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for many hosts: what reads them takes them, and what they name is there."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from ansible.cli.pull import PullCLI

ROOT = Path(__file__).resolve().parents[2]
SCALE = ROOT / "docs/scale"
TASKS = yaml.safe_load((SCALE / "controller.yml").read_text())[0]["tasks"]
TEMPLATES = [task["awx.awx.job_template"] for task in TASKS if "awx.awx.job_template" in task]
QUESTIONS = [
    pytest.param(question, id=question["variable"])
    for template in TEMPLATES
    for question in template["survey_spec"]["spec"]
]
# As POST .../survey_spec/ of the controller's API documents and checks them.
KINDS = {"text": str, "textarea": str, "password": str, "integer": int, "float": float, "multiplechoice": str}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_as_the_controller_takes_it(question):
    assert set(question) <= {
        *("type", "question_name", "question_description", "variable"),
        *("required", "default", "choices", "min", "max"),
    }
    assert question["question_name"] and re.fullmatch(r"[a-z_]+", question["variable"])
    assert isinstance(question["required"], bool)
    assert question["default"].__class__ is KINDS[question["type"]]  # True is no number here
    assert ("choices" in question) == (question["type"] == "multiplechoice")
    if "choices" in question:
        assert question["default"] in question["choices"]
        assert all(isinstance(choice, str) for choice in question["choices"]), "YAML has made something else of a word"
    elif "min" in question:
        assert question["min"] <= question["default"] <= question["max"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_variable_of_a_survey_is_one_that_the_playbooks_read(question):
    readers = [*(ROOT / "playbooks").glob("*.yml"), ROOT / "plugins/plugin_utils/layers.py"]
    texts = "\n".join(path.read_text() for path in readers)
    name = question["variable"]
    assert re.search(rf"\b{name}\b", texts) or f'"{name.removeprefix("tuning_")}"' in texts


def test_the_answers_to_a_survey_are_all_that_the_module_knows():
    spec = yaml.safe_load((ROOT / "roles/tune/meta/argument_specs.yml").read_text())["argument_specs"]["main"][
        "options"
    ]
    answers = {question.values[0]["variable"]: question.values[0] for question in QUESTIONS}
    for name in ("state", "on_unsupported"):
        assert answers[f"tuning_{name}"]["choices"] == spec[f"tune_{name}"]["choices"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template["playbook"])
def test_a_template_plays_what_the_page_tells_to_make(template):
    name = template["playbook"].removesuffix(".yml")
    assert (ROOT / "playbooks" / template["playbook"]).is_file()
    assert f"import_playbook: linuxnet.tuning.{name}\n" in (ROOT / "docs/scale.md").read_text()
    assert template["survey_enabled"] and {"name", "description", "spec"} == set(template["survey_spec"])


def test_a_playbook_that_compares_hosts_is_not_cut():
    slices = {template["playbook"]: template["job_slice_count"] for template in TEMPLATES}
    assert slices["audit.yml"] == 1 and slices["site.yml"] != 1


def test_ansible_pull_knows_its_options():
    unit = (SCALE / "linuxnet-tuning-pull.service").read_text().replace("\\\n", " ")
    settings = dict(
        line.split("=", 1)
        for line in (SCALE / "linuxnet-tuning-pull.env").read_text().splitlines()
        if not line.startswith("#")
    )
    command = re.search(r"^ExecStart=/usr/bin/env (ansible-pull .*)$", unit, re.MULTILINE)[1]
    for name, value in settings.items():
        assert name in ("URL", "BRANCH", "ARGUMENTS")
        command = command.replace(f"${{{name}}}", value).replace(f"${name}", value)
    assert "$" not in command
    options = PullCLI(command.split())
    options.init_parser()
    given = options.parser.parse_args(command.split()[1:])
    assert (given.url, given.checkout, given.args) == (settings["URL"], settings["BRANCH"], ["site.yml"])
    assert given.verify, "root would run what anybody has put there"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_takes_the_units():
    units = [str(SCALE / f"linuxnet-tuning-pull.{kind}") for kind in ("service", "timer")]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    # It also complains about units of the machine that it runs on.
    assert "linuxnet-tuning" not in done.stdout + done.stderr


def test_the_image_can_be_described_and_the_collection_put_into_another():
    """ansible-builder reads the file as a description, with names of files beside it, and again in each image that has
    the collection in it: there they are files at its top."""
    told = yaml.safe_load((ROOT / "meta/execution-environment.yml").read_text())
    assert told["version"] == 3
    for part in ("python", "system"):
        name = told["dependencies"][part]
        assert (ROOT / "meta" / name).read_text() == (ROOT / name).read_text() != ""
    required = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["requires_ansible"]
    assert required.removesuffix(".0") in told["dependencies"]["ansible_core"]["package_pip"]


def program():
    spec = importlib.util.spec_from_file_location("scale", ROOT / "benchmarks/scale.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures(folder, hosts, seconds, megabytes, **setting):
    path = folder / f"{hosts}-{len(list(folder.iterdir()))}.json"
    row = {"name": "site", "condition": "unchanged", "controller": seconds}
    common = {"nics": 1, "sysctl": 14, "ansible": "2.21.5", "forks": 50, "processors": 2, "date": "2026-01-01"}
    setting = {**common, "hosts": hosts, **setting}
    path.write_text(json.dumps({"setting": setting, "medians": [row], "memory": {"site": megabytes * 1e6}}))
    return path


def test_needs_are_a_start_and_a_part_for_each_host(tmp_path):
    scale = program()
    files = scale.read([figures(tmp_path, hosts, 2 + hosts * 0.04, 80 + hosts * 0.2) for hosts in (50, 200, 1000)])
    lines = scale.table(files, processors=4, minutes=1, wait=0.1)
    rows = [line for line in lines if line.startswith("| site, unchanged")]
    # 42 s are less than a minute; of 402 s, each slice has 58 after its start.
    assert rows[0] == "| site, unchanged | 1000 | 42 s | 0.2 min | 280 MB | 1 | 4 |"
    assert rows[1] == "| site, unchanged | 10000 | 402 s | 1.7 min | 2080 MB | 7 | 4 |"
    assert lines[-1].endswith("processor time of the largest fleet is 1.00 times the line of the others; "
                              "memory of the largest fleet is 1.00 times the line of the others")  # fmt: skip


def test_what_does_not_grow_in_a_line_is_told(tmp_path):
    scale = program()
    files = scale.read([figures(tmp_path, hosts, 0.0001 * hosts**2, 80 + hosts) for hosts in (50, 200, 1000)])
    assert "processor time of the largest fleet is 4.1" in scale.table(files, 4, 10, 0.1)[-1]


def test_a_time_that_the_start_alone_takes_cannot_be_met(tmp_path):
    scale = program()
    assert scale.needed(scale.Line(60, 0.01), 1000, 60) is None


@pytest.mark.parametrize(
    ("sizes", "setting", "why"),
    [
        ((50, 50), {}, "two sizes"),
        ((50, 200), {"nics": 8}, "nics is 1 and 8"),
    ],
)
def test_files_that_say_nothing_together_are_refused(tmp_path, sizes, setting, why):
    scale = program()
    paths = [figures(tmp_path, sizes[0], 1, 100), figures(tmp_path, sizes[1], 2, 200, **setting)]
    with pytest.raises(scale.ScaleError, match=why):
        scale.read(paths)


def test_a_line_that_falls_is_noise(tmp_path):
    scale = program()
    files = scale.read([figures(tmp_path, 50, 3, 100), figures(tmp_path, 60, 2, 110)])
    with pytest.raises(scale.ScaleError, match="too close"):
        scale.table(files, 4, 10, 0.1)
