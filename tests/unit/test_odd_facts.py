# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that are none, too deep or hostile: the other hosts are judged, and nothing becomes markup."""

from __future__ import annotations

import json

import pytest
from ansible.errors import AnsibleFilterError, AnsibleUndefinedVariable

from ansible_collections.linuxnet.tuning.plugins.filter.audit_data import audit_data
from ansible_collections.linuxnet.tuning.plugins.filter.audit_facts import audit_facts
from ansible_collections.linuxnet.tuning.plugins.filter.audit_page import audit_page
from ansible_collections.linuxnet.tuning.plugins.filter.findings import findings
from ansible_collections.linuxnet.tuning.plugins.filter.findings_table import findings_table
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import collect
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.audited import HOSTVARS, story_facts
from ansible_collections.linuxnet.tuning.tests.unit.trees import paths, replaced

EVIL = "<script>alert('{{ 7*7 }}')</script>"


@pytest.mark.parametrize("broken", [None, 7, 1.5, True, "text", ["x", 3], {"a": 1}])
@pytest.mark.parametrize("part", ["groups", "remarks", "nics", "host", "tune", "reason", "unreachable", ""])
def test_damaged_facts_are_told_and_the_others_are_judged(part, broken):
    facts = {"bad": {part: broken} if part else broken, "pc1": {"host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}}}
    found = findings(facts)
    assert [finding["host"] for finding in found if finding["id"] == "tcp-sack-off"] == ["pc1"]
    assert "pc1" in audit_page(facts, found) and audit_data(facts, found) and findings_table(facts, found)


def evil(tree):
    """The same facts with every word replaced."""
    if isinstance(tree, dict):
        return {
            key if len(key) > 20 else key + EVIL if key in ("router1", "eth2") else key: evil(v)
            for key, v in tree.items()
        }
    if isinstance(tree, list):
        return [evil(item) for item in tree]
    return tree + EVIL if isinstance(tree, str) else tree


def test_nothing_of_a_host_becomes_markup():
    facts = evil(story_facts())
    found = [*findings(facts), *findings(story_facts())]
    found += [
        {**found[0], "title": EVIL, "nic": EVIL, "host": EVIL, "action": EVIL, "evidence": {EVIL: EVIL}, "id": EVIL}
    ]
    page = audit_page(facts, found, EVIL)
    assert EVIL in str(facts)
    assert "<script>alert" not in page
    assert page.count("<script") == page.count("</script>") == 1


@pytest.mark.parametrize("wrong", [None, "text", ["facts"]])
def test_filters_refuse_what_are_no_facts(wrong):
    for refuse in (findings, lambda value: findings_table(value, []), lambda value: audit_page(value, [])):
        with pytest.raises(AnsibleFilterError, match="facts by host"):
            refuse(wrong)
    with pytest.raises(AnsibleFilterError, match="list of host names"):
        audit_facts("pc1", {})


def _deep():
    value = "bottom"
    for _level in range(300):
        value = {"a": [value]}
    return value


ODD = ["text", 5, -1, 10**400, True, None, [], {}, [5], [[]], {"a": 5}, "\ud800\udcff", _deep()]
ODD += [float("inf"), float("-inf"), float("nan"), {"\udcff": 1}, {5: 5}, ["\udcff"], "9" * 5000, 1e308]

# What one host says, of which each part will once be something odd; the other host is as usual.
STORIES = [
    *sorted((case_files.FOLDER / "stories").glob("*.yml"))[::3],
    *sorted((case_files.FOLDER / "findings/differs-from-inventory").glob("*.yml")),
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_odd_facts_of_one_host_stop_nobody(path, odd):
    about = next(iter(case_files.read(path)["facts"].values()))
    told = {
        "group_names": about.get("groups", []),
        "audit_info": {"nics": about.get("nics", {}), "host": about.get("host", {}), "remarks": ["one"]},
        "tune_result": about.get("tune", {}),
    }
    positions = [position for position in paths(told, items=1) if position]
    for number, position in enumerate(positions):
        if number % 7 != ODD.index(odd) % 7 and len(position) > 3:
            continue  # each part meets some odd values, and the upper ones meet all
        hostvars = {"pc0": replaced(told, position, odd), "pc1": HOSTVARS["pc1"]}
        facts = audit_facts(list(hostvars), hostvars)
        found = findings(facts)
        assert "pc1" in {finding["host"] for finding in found}, position
        assert findings_table(facts, found)
        audit_page(facts, found, "today").encode()
        json.dumps(audit_data(facts, found, "today"), ensure_ascii=False, allow_nan=False).encode()


class Unregistered(dict):
    """The variables of a host whose result ansible-core 2.21 could not register, because it nests too deeply."""

    def get(self, name, default=None):
        if name == "audit_info":
            raise AnsibleUndefinedVariable("its register expression failed: maximum recursion depth exceeded")
        return super().get(name, default)


def test_facts_that_were_not_registered_stop_nobody():
    facts = audit_facts(["pc0", "pc1"], {"pc0": Unregistered(group_names=["room1"]), "pc1": HOSTVARS["pc1"]})
    assert facts["pc0"]["unreachable"] and "maximum recursion depth" in facts["pc0"]["reason"]
    assert "pc1" in {finding["host"] for finding in findings(facts)}


class Raw(dict):
    """Variables as Ansible has them: untemplated ones cost little, and templated ones are asked for only if need be."""

    def raw_get(self, name):
        return {"audit_info": HOSTVARS["pc1"]["audit_info"], "group_names": ["room1"]} if name == "pc1" else BROKEN

    def __getitem__(self, name):
        assert name == "pc0"
        return Unregistered()


BROKEN = {"audit_info": "{{ undef('its register expression failed') }}", "group_names": ["room1"]}


def test_what_hosts_say_is_read_without_templating_it():
    facts = audit_facts(["pc0", "pc1"], Raw())
    assert facts["pc1"]["host"] == HOSTVARS["pc1"]["audit_info"]["host"]
    assert facts["pc0"]["unreachable"] and "maximum recursion depth" in facts["pc0"]["reason"]


def test_facts_that_come_as_one_text_are_the_same():
    known = {
        name: {**about, "audit_info": collect.packed(about.get("audit_info", {}))} for name, about in HOSTVARS.items()
    }
    assert not {name for about in known.values() for name in about["audit_info"]} & {"nics", "host", "compared"}
    assert audit_facts(list(known), known) == audit_facts(list(HOSTVARS), HOSTVARS)


def test_a_text_that_a_host_calls_so_stays_what_it_says():
    known = {"pc1": {"audit_info": collect.packed({"nics": {}, "host": {"a": 1}, "packed": "no JSON"})}}
    assert audit_facts(["pc1"], known)["pc1"]["host"] == {"a": 1}


@pytest.mark.parametrize("text", ["no JSON", "[" * 100000, "[]"])
def test_a_host_that_has_made_it_up_stops_nobody(text):
    known = {"pc0": {"audit_info": {"packed": text}}, "pc1": HOSTVARS["pc1"]}
    facts = audit_facts(["pc0", "pc1"], known)
    assert facts["pc0"]["host"] == {} and facts["pc1"]["host"]


def test_a_host_of_which_nothing_could_be_read_is_not_one_without_a_finding():
    variables = {"audit_info": {"failed": True, "msg": "Module result deserialization failed"}, "group_names": []}
    facts = audit_facts(["pc1"], {"pc1": variables})
    assert facts["pc1"]["unreachable"] and facts["pc1"]["reason"] == "Module result deserialization failed"
    assert findings_table(facts, findings(facts))[0] == "1 host; no findings; 1 not reached"
