# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules find what they should, with the right evidence, and nothing on a healthy host; a new case is a new file.

cases/findings/<rule>/*.yml: `facts` by host as the playbook audit collects them, and `found`, what the rule says of
them. `cure` is what a person does besides pasting the remedy, such as replacing a cable. With both, the rule is silent.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry as settings_registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge, registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings.model import SEVERITIES, Hit
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings.view import Facts, Host
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.guide.keys import verdicts
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.cure import cured
from ansible_collections.linuxnet.tuning.tests.unit.how_many import ONE_OF, examples
from ansible_collections.linuxnet.tuning.tests.unit.trees import paths, replaced

FOLDER = Path(__file__).parent / "cases" / "findings"
CASES = sorted(FOLDER.glob("*/*.yml"))
STORIES = sorted((Path(__file__).parent / "cases" / "stories").glob("*.yml"))
RULES = {rule.id: rule for rule in registry.rules()}


def judged(case, facts=None):
    return judge.findings(case["facts"] if facts is None else facts, case.get("measured"))


def excerpt(finding, expected):
    return {key: finding[key] for key in expected}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rule_finds_what_it_shall(path):
    case = case_files.read(path)
    found = [finding for finding in judged(case) if finding["id"] == path.parent.name]
    assert [excerpt(*pair) for pair in zip(found, case["found"], strict=True)] == case["found"]
    assert all({"host", "evidence"} <= set(expected) for expected in case["found"])
    again = judged({**case, "measured": None}, cured(case["facts"], found, case.get("cure")))
    assert [finding for finding in again if finding["id"] == path.parent.name] == []


# No counters, a remedy whose effect on the facts is more than `cured` knows, or another action that comes next.
CHAINS = {
    "bbr-without-fq",
    "congestion-control-absent",
    "fifo-overflows",
    "link-down-for-a-reason",
    "switch-port-frame-size",
    "unix-queue-full",
    "vxlan-checksum",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_the_inventory_sets_right_is_not_held_against_the_past(path):
    """Counters since the boot go on telling of it; without an interval it is a note at most."""
    case = case_files.read(path)

    def harm(facts, among=None):
        found = [finding for finding in judged({**case, "measured": None}, facts) if finding["severity"] != "note"]
        found = [finding for finding in found if finding["id"] == path.parent.name]
        return [item for item in found if among is None or (item["host"], item["nic"]) in among]

    since_boot = [item for item in harm(case["facts"]) if not Host("", case["facts"][item["host"]]).interval]
    found = [item for item in since_boot if item["remedy"]]
    if path.parent.name not in CHAINS:
        assert harm(cured(case["facts"], found), {(item["host"], item["nic"]) for item in found}) == []


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_is_diagnosed_and_cured(path):
    """All findings of a story, not only those of one rule; once cured nothing is left at all."""
    case = case_files.read(path)
    found = judged(case)
    assert [excerpt(*pair) for pair in zip(found, case["found"], strict=True)] == case["found"]
    assert judged({**case, "measured": None}, cured(case["facts"], found, case.get("cure"))) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_rule_is_complete(rule):
    """Its words, and cases of both kinds."""
    assert rule.severity in SEVERITIES
    assert (rule.host is None) != (rule.fleet is None)
    assert 2 <= rule.explanation.count(". ") + rule.explanation.endswith(".") <= 3
    assert rule.title[0].isupper() or rule.title[0].islower()
    assert not rule.title.endswith(".")
    assert rule.condition[0].islower() or rule.condition.split()[0] in ("XPS",) or rule.condition[0].isupper()
    assert rule.action.endswith(".") and rule.reference.startswith("https://")
    cases = [case_files.read(path) for path in CASES if path.parent.name == rule.id]
    assert any(case["found"] for case in cases), "no case in which it finds something"
    assert any(not case["found"] for case in cases), "no case of a healthy host"


def test_there_are_no_cases_of_rules_that_are_gone():
    assert {path.parent.name for path in CASES} == set(RULES)
    assert len({rule.id for rule in registry.rules()}) == len(registry.rules())


@pytest.mark.parametrize("path", [*CASES, *STORIES], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_remedies_are_inventory_that_the_modules_take(path):
    """Each key and value is one that `tune` knows; a remedy with a mistake would be refused on the host."""
    for finding in judged(case_files.read(path)):
        assert set(finding["remedy"]) <= {"tuning_host_nics", "tuning_host_sysctl", "tuning_tuned_profile"}
        for entry in finding["remedy"].get("tuning_host_nics", ()):
            for key in entry:
                settings_registry.check_key(key)
            known = settings_registry.nic_families(settings_registry.FAMILIES)
            layer = {key: value for key, value in entry.items() if key in known}
            layer["link"] = {key: entry[key] for key in ("mtu", "txqueuelen") if key in entry}
            plan.overlay([(entry["name"], layer)], settings_registry.FAMILIES)
        plan.overlay([("", {"sysctl": finding["remedy"].get("tuning_host_sysctl", {})})], settings_registry.FAMILIES)


@pytest.mark.parametrize(
    "key, value, rule",
    [
        ("net.ipv4.tcp_sack", "0", "tcp-sack-off"),
        ("net.ipv4.tcp_tw_recycle", "1", "tcp-tw-recycle"),
        ("net.ipv4.tcp_window_scaling", "0", "tcp-window-scaling-off"),
        ("net.ipv4.tcp_moderate_rcvbuf", "0", "tcp-receive-window-fixed"),
    ],
)
def test_a_guide_and_a_host_are_told_the_same(key, value, rule):
    """One table has what is said of a parameter."""
    (found,) = judge.findings({"a": {"host": {"sysctl": {key: value}}}})
    said = verdicts.of_parameter(key, value, (4, 11))[0]
    assert found["id"] == rule and found["explanation"].lower().startswith(said.text.lower())


def test_one_remedy_of_a_host_has_one_entry_for_each_nic():
    found = [
        {"remedy": {"tuning_host_nics": [{"name": "b", "features": {"gro": False}, "mtu": 1500}]}},
        {"remedy": {"tuning_host_nics": [{"name": "b", "features": {"tso": False}, "mtu": 9000}, {"name": "a"}]}},
        {"remedy": {"tuning_host_sysctl": {"net.core.rmem_max": 1}}},
        {"remedy": {"tuning_tuned_profile": "none", "tuning_host_sysctl": {"net.core.wmem_max": 2}}},
    ]
    assert judge.merged(found) == {
        "tuning_host_nics": [{"name": "a"}, {"name": "b", "features": {"gro": False, "tso": False}, "mtu": 1500}],
        "tuning_host_sysctl": {"net.core.rmem_max": 1, "net.core.wmem_max": 2},
        "tuning_tuned_profile": "none",
    }


def test_of_two_lower_bounds_the_larger_one_holds():
    expected = (
        {"net.ipv4.tcp_rmem": [4096, 87380, 16777216], "net.core.rmem_max": 4},
        {"net.ipv4.tcp_rmem": [4096, 131072, 2]},
    )
    found = [{"remedy": {"tuning_host_sysctl": {k: {"at_least": v} for k, v in one.items()}}} for one in expected]
    assert judge.merged(found)["tuning_host_sysctl"] == {
        "net.core.rmem_max": {"at_least": 4},
        "net.ipv4.tcp_rmem": {"at_least": [4096, 131072, 16777216]},
    }


# Facts with some parts replaced by anything at all: half a machine, an old tool, a reading that went wrong.
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["off", "max", "1 2 3"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_damaged_facts_never_crash(data):
    case = case_files.read(data.draw(st.sampled_from([*CASES, *STORIES])))
    facts = case["facts"]
    for _round in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths(facts))))
        facts = replaced(facts, path, data.draw(ANYTHING))
    for finding in judge.findings(facts, data.draw(ANYTHING | st.just(case.get("measured")))):
        assert finding["id"] in RULES and finding["evidence"]


# What a broken reading may leave in the place of a value.
BROKEN = (None, -1, 1 << 70, float("nan"), True, "", "9" * 30, ["\x00"], {"": None})


def shape(path):
    """A path without the names of hosts, NICs and places in lists: what is damaged once need not be damaged again."""
    return tuple("*" if isinstance(step, int) or index in (0, 2) else step for index, step in enumerate(path))


def test_each_kind_of_value_may_be_broken():
    """Systematically, where the test above draws: each kind of place in the facts, with each kind of breakage."""
    positions = {}
    for case in map(case_files.read, [*CASES, *STORIES]):
        for path in paths(case["facts"]):
            if len(path) > 1:
                positions.setdefault(shape(path), (case, path))
    damaged = {}
    for number, (case, path) in enumerate(positions.values()):
        host = case["facts"][path[0]]
        # Where not all are tried, the kinds take turns.
        values = [(kind, value) for kind, value in enumerate(BROKEN) if (number + kind) % ONE_OF == 0]
        damaged.update({f"{number}-{kind}": replaced(host, path[1:], value) for kind, value in values})
    names = sorted(damaged)
    for start in range(0, len(names), 50):
        for finding in judge.findings({name: damaged[name] for name in names[start : start + 50]}):
            assert finding["id"] in RULES and finding["evidence"], finding["evidence"]


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_the_rest_of_the_fleet_is_judged(data):
    """What is damaged on one host changes nothing that a rule says of another one by itself."""
    broken, sound = (case_files.read(data.draw(st.sampled_from([*CASES, *STORIES])))["facts"] for _case in range(2))
    path = data.draw(st.sampled_from([path for path in paths(broken) if path]))
    whole = {f"sound {name}": facts for name, facts in sound.items()}
    expected = judge.findings(whole)
    found = judge.findings({**replaced(broken, path, data.draw(ANYTHING)), **whole})

    def alone(findings):
        return [item for item in findings if item["host"] in whole and RULES[item["id"]].host]

    assert alone(found) == alone(expected)


def test_a_rule_that_fails_costs_one_note(monkeypatch):
    def fails(host):
        if host.name == "b":
            raise KeyError("interface")
        yield Hit({"name": host.name})

    faulty = judge.FAILED._replace(id="faulty", host=fails)
    together = judge.FAILED._replace(id="together", fleet=lambda fleet: [fleet.hosts[9]])
    monkeypatch.setattr(judge, "rules", lambda: (faulty, together))
    found = [(item["id"], item["host"], item["evidence"]) for item in judge.findings({"a": {}, "b": {}})]
    assert ("faulty", "a", {"name": "a"}) in found
    assert ("rule-failed", "b", {"rule": "faulty", "error": "KeyError: 'interface'"}) in found
    assert [evidence["rule"] for kind, _host, evidence in found if kind == "rule-failed"] == ["together", "faulty"]


@pytest.mark.parametrize("facts", [None, [], "text", {}, {"h": None}, {"h": {}}, {"h": {"nics": {"e": None}}}])
def test_empty_facts_give_no_findings(facts):
    assert judge.findings(facts) == []


def test_to_judge_takes_as_long_for_each_host_of_a_large_fleet(monkeypatch):
    """A rule that looks from each host at every other one takes minutes for a thousand."""
    hosts = [host for path in STORIES for host in case_files.read(path)["facts"].values()]
    looks = 0
    at = Facts.at

    def counted(*args):
        nonlocal looks
        looks += 1
        return at(*args)

    def each(size):
        nonlocal looks
        looks = 0
        judge.findings({f"host{number}": hosts[number % len(hosts)] for number in range(size)})
        return looks / size

    monkeypatch.setattr(Facts, "at", counted)
    assert each(4 * len(hosts)) < 1.2 * each(len(hosts))
