# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases say what their tests read, and nothing else; what many of them have is written once."""

from __future__ import annotations

from collections import defaultdict

import pytest
import yaml

from ansible_collections.linuxnet.tuning.tests.unit import case_files

# What tools have said, word by word, and tables whose rows are free.
FREE = {"parse", "drivers", "reports"}
WHOLE = [path for path in sorted(case_files.FOLDER.glob("*/**/*.yml")) if case_files.folder(path) not in FREE]
# A shorter text is as well read in its case.
LINES = 6


def test_every_case_says_what_its_test_reads():
    assert {case_files.folder(path) for path in WHOLE} == set(case_files.KINDS) - {"school"}
    for path in WHOLE:
        case_files.read(path)


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("findings", "found: []\nfact: {}", "fact: no test reads that"),
        ("guide", "txt: a", "txt: no test reads that"),
        ("outside", "hosts: {a: {nics: {eth0: {forwards: true}}}}", "hosts: a: nics: eth0: forwards: no test reads"),
        ("outside", "hosts: {a: {bonds: {bond0: {member: {}}}}}", "bonds: bond0: member: no test reads that"),
        ("outside", "hosts: {a: {sysctls: {}}}", "hosts: a: sysctls: no test reads that"),
        ("outside", "expect: [a]\nalsoo: []", "alsoo: no test reads that"),
        ("export", "forms: {link: {file: {}}}", "forms: link: file: no test reads that"),
        ("autotune", "bottlenecks: [{wort: {}}]", "bottlenecks: 1: wort: no test reads that"),
        ("bottlenecks", "cases: [{when: a}]", "cases: 1: when: no test reads that"),
        ("bottlenecks", "patterns: [{rate: {}}]", "patterns: 1: rate: no test reads that"),
        ("school", "routers: {router1: {cpu: 4}}", "routers: router1: cpu: no test reads that"),
    ],
)
def test_a_word_that_nothing_reads_is_an_error(kind, text, says, tmp_path):
    (tmp_path / "case.yml").write_text(text)
    with pytest.raises(AssertionError, match=says):
        case_files.read(tmp_path / "case.yml", kind)


def test_what_many_cases_have_is_written_once():
    """The NICs of the lab, and texts that were captured or that several cases show."""
    known = {path.read_text() for folder in ("parse", "shown") for path in case_files.FOLDER.glob(f"{folder}/**/*.txt")}
    texts, nics = defaultdict(set), defaultdict(set)
    for path in case_files.FOLDER.glob("modules/*/*.yml"):
        case = yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for name, nic in case.get("nics", {}).items():
            if nic == case_files.lab().get(name, {}):
                nics[name].add(path.name)
        for step in (step for call in case["calls"] for step in call.get("commands", ())):
            if step.get("out", "").count("\n") >= LINES:
                texts[step["out"]].add(path.name)
    assert {name: paths for name, paths in nics.items() if name in case_files.lab()} == {}
    assert [paths for text, paths in texts.items() if text in known or len(paths) > 2] == []


def test_each_text_is_shown_by_several_cases():
    used = defaultdict(set)
    for path in case_files.FOLDER.glob("modules/*/*.yml"):
        for call in case_files.read(path)["calls"]:
            for step in call.get("commands", ()):
                used[step.get("shows", "")].add(path)
    assert [path.name for path in case_files.FOLDER.glob("shown/*") if len(used[path.name]) < 2] == []
