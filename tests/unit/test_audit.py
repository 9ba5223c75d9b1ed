# SPDX-License-Identifier: GPL-3.0-or-later
"""What an audit tells: the terminal, programs and the page say the same, and nothing of a host becomes markup."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ansible.errors import AnsibleFilterError, AnsibleUndefinedVariable

from ansible_collections.linuxnet.tuning.plugins.filter.audit_data import audit_data
from ansible_collections.linuxnet.tuning.plugins.filter.audit_facts import audit_facts
from ansible_collections.linuxnet.tuning.plugins.filter.audit_page import audit_page
from ansible_collections.linuxnet.tuning.plugins.filter.findings import findings
from ansible_collections.linuxnet.tuning.plugins.filter.findings_table import findings_table
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.trees import paths, replaced

CASES = Path(__file__).parent / "cases"
EVIL = "<script>alert('{{ 7*7 }}')</script>"

HOSTVARS = {
    "pc1": {
        "group_names": ["classrooms", "room1"],
        "audit_info": {"nics": {}, "host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}, "remarks": ["queues: no tc"]},
        "tune_result": {"before": {}, "after": {}, "unsupported": []},
    },
    "pc2": {"group_names": ["classrooms", "room1"], "audit_info": {"unreachable": True, "msg": "no route"}},
    "pc3": {"group_names": ["classrooms", "room2"], "audit_info": {"nics": {}, "host": {}, "remarks": []}},
    "pc4": {
        "group_names": [],
        "audit_info": {"failed": False, "msg": "no ip"},
        "tune_result": {"failed": True, "msg": "rign"},
    },
    "pc5": {},
    "pc6": {
        "group_names": [],
        "audit_info": {"nics": {}, "host": {}, "compared": {"failed": True, "msg": "chanels"}},
        "tune_result": {"failed": True, "msg": "that of an earlier play"},
    },
}


@pytest.fixture
def facts():
    return audit_facts(list(HOSTVARS), HOSTVARS)


def test_facts_tell_who_was_not_reached_and_what_was_not_read(facts):
    assert [name for name, host in facts.items() if host["unreachable"]] == ["pc2", "pc5"]
    assert facts["pc2"]["reason"] == "no route"
    assert facts["pc4"]["remarks"] == ["nic_info: no ip"]
    assert facts["pc1"]["groups"] == ["classrooms", "room1"]
    assert facts["pc6"]["tune"]["msg"] == "chanels"


def test_table_is_by_classroom_worst_first_one_line_each(facts):
    assert findings_table(facts, findings(facts)) == [
        "6 hosts; 2 critical, 1 medium; 1 without a finding; 2 not reached",
        "",
        "no group: 2 critical",
        "critical  pc4  -  The inventory of the host is invalid (rign)",
        "critical  pc6  -  The inventory of the host is invalid (chanels)",
        "",
        "room1: 1 medium",
        "medium  pc1  -  Selective acknowledgements are off (net.ipv4.tcp_sack 0)",
        "  tuning_host_sysctl: {net.ipv4.tcp_sack: 1}",
        "",
        "not reached: pc2, pc5",
    ]


def alike(number):
    """A classroom whose hosts have the same two troubles, and one host with one of its own."""
    sysctl = {"net.ipv4.tcp_sack": "0", "net.ipv4.tcp_window_scaling": "0"}
    facts = {
        f"pc{position:02}": {"groups": ["room1"], "host": {"sysctl": sysctl}, "nics": {}}
        for position in range(1, number + 1)
    }
    facts["pc99"] = {"groups": ["room1"], "host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}, "nics": {}}
    return facts


def test_what_many_hosts_have_is_one_line_with_their_names():
    facts = alike(49)
    found = findings(facts)
    lines = findings_table(facts, found)
    assert len(found) == 99
    assert len(lines) == 7
    assert lines[3].startswith("high    49 hosts  -  ") and lines[5].startswith("medium  50 hosts  -  ")
    assert lines[4] == "  tuning_host_sysctl: {net.ipv4.tcp_window_scaling: 1}"
    assert lines[5].endswith(f"(net.ipv4.tcp_sack 0): {', '.join(sorted(facts))}")
    assert "pc99" not in lines[3]


def in_groups(size):
    """50 hosts with the same trouble of one NIC, in groups of so many."""
    ring = {"rx": {"value": 512, "maximum": 4096}}
    nic = {"physical": True, "carrier": True, "ring": ring}
    return {
        f"pc{number:02}": {
            "groups": ["all50", f"row{number // size}"],
            "nics": {"eth0": {**nic, "counters": {"total": {"rx_packets": 9_000_000, "rx_missed": 5000 + number}}}},
        }
        for number in range(50)
    }


@pytest.mark.parametrize("size, blocks", [(1, 1), (2, 1), (10, 1), (17, 3), (50, 1)])
def test_what_hosts_of_many_groups_have_is_told_once(size, blocks):
    """In the terminal with the lines to paste, and on the page as one card."""
    facts = in_groups(size)
    found = findings(facts)
    lines = findings_table(facts, found)
    assert len(found) == 50 and len(lines) == 1 + 4 * blocks
    assert lines.count("  tuning_host_nics: [{name: eth0, ring: {rx: max}}]") == blocks
    assert all(any(host in line for line in lines) for host in facts)
    page = audit_page(facts, found)
    assert page.count('class="card"') == blocks and page.count('id="kind-ring-too-small"') == 1
    assert page.count("With other hosts, above") == 50


def test_what_few_groups_share_stays_with_them():
    facts = {**in_groups(2)}
    facts["pc00"]["host"] = {"sysctl": {"net.ipv4.tcp_sack": "0"}}
    lines = findings_table(facts, findings(facts))
    assert lines[2] == "several groups: 50 high" and lines[6] == "row0: 1 medium" and len(lines) == 9


def test_what_many_hosts_have_is_one_card_with_their_names():
    facts = alike(49)
    facts["pc99"]["host"]["sysctl"]["net.core.rmem_max"] = "1"
    page = audit_page(facts, findings(facts), "today")
    assert page.count('class="card"') == len({finding["id"] for finding in findings(facts)})
    assert all(page.count(f'href="#host-{host}"') >= 1 and f'id="host-{host}"' in page for host in facts)


def test_evidence_that_is_not_the_same_is_told_as_that_of_one():
    facts = alike(2)
    found = findings(facts)
    found[-1]["evidence"] = {"net.ipv4.tcp_sack": "00"}
    assert "(one has: net.ipv4.tcp_sack 0): pc01, pc02, pc99" in findings_table(facts, found)[-2]


def test_table_tells_each_value_that_differs_where_asked():
    tune = {
        "before": {"nics": {"e": {"ring": {"rx": 1}}}},
        "after": {"nics": {"e": {"ring": {"rx": 2}}}},
        "unsupported": [],
    }
    facts = {"pc1": {"groups": ["room1"], "tune": tune}}
    assert not any("should be" in line and "where" in line for line in findings_table(facts, findings(facts)))
    assert findings_table(facts, findings(facts), differences=True) == [
        "pc1: 1 of 1 value differs",
        "where  setting  is  should be",
        "e      ring rx  1   2",
        "",
        "1 host; 1 medium; 0 without a finding",
        "",
        "room1: 1 medium",
        "medium  pc1  -  The host differs from the inventory (e ring rx 1, should be 2)",
    ]


def test_data_has_all_and_a_query_reshapes_it(facts):
    found = findings(facts)
    whole = audit_data(facts, found, "today")
    assert whole["summary"] == {"hosts": 6, "unreachable": 2, "findings": 3, "critical": 2, "medium": 1}
    assert (whole["format"], whole["version"]) == ("linuxnet.tuning.audit", 1)
    assert whole["rooms"]["room1"] == {"hosts": ["pc1", "pc2"], "medium": 1}
    assert whole["findings"] == found and set(whole["hosts"]) == set(HOSTVARS)
    assert audit_data(facts, found, query="findings[?severity=='medium'].{host: host, id: id}") == [
        {"host": "pc1", "id": "tcp-sack-off"}
    ]


def test_port_of_the_switch_is_named_and_one_card_has_all_hosts():
    nic = {"physical": True, "carrier": True, "mtu": 9000}
    facts = {
        f"pc{number}": {
            "groups": ["room1"],
            "nics": {"eth0": {**nic, "lldp": {"switch": "sw-room1", "port": str(number), "frame_size": 1518}}},
        }
        for number in range(1, 51)
    }
    found = findings(facts)
    assert found[0]["action"].endswith("The other end is sw-room1, port 1.")
    page = audit_page(facts, found)
    assert page.count("Raise the frame size of the port") == 1 and "sw-room1, port 50" in page
    assert len(findings_table(facts, found)) <= 40


def test_stages_tell_where_packets_die():
    nic = {
        "physical": True,
        "carrier": True,
        "counters": {"total": {"rx_packets": 1000, "rx_missed": 30, "rx_crc": 0, "tx_packets": 9, "tx_errors": 0}},
        "queues": {"qdisc": {"root": "mq", "dropped": 4}},
    }
    host = {
        "softnet": [{"cpu": 0, "processed": 2000, "dropped": 5, "squeezed": 6}],
        "protocols": {"total": {"UdpInDatagrams": 50, "UdpRcvbufErrors": 7, "nf_conntrack_drop": 8}},
        "drops": {"NO_SOCKET": 3, "NETFILTER_DROP": 40},
    }
    facts = {"pc1": {"nics": {"eth0": nic}, "host": host}, "pc2": {}}
    stages = audit_data(facts, [])["stages"]
    assert [(row["stage"], row["nic"], row["passed"], row["died"]) for row in stages["pc1"]] == [
        ("wire", "eth0", 1000, 0),
        ("receive ring", "eth0", 1000, 30),
        ("NAPI budget (late, not lost)", "", 2000, 6),
        ("backlog", "", 2000, 5),
        ("connection tracking", "", None, 8),
        ("UDP, socket", "", 50, 7),
        ("qdisc mq", "eth0", 9, 4),
        ("transmit, in the driver", "eth0", 9, 0),
    ]
    assert stages["pc2"] == []
    page = audit_page(facts, [])
    assert "from wire to socket" in page and page.index("NETFILTER_DROP") < page.index("NO_SOCKET")


def test_overview_leads_to_the_first_card_of_each_kind(facts):
    """Whether that is of one host or of several; each place is there once."""
    many = {**facts, **{f"pc{number}": {**facts["pc1"], "groups": ["room9"]} for number in (11, 12)}}
    for whole in (facts, many):
        found = findings(whole)
        page = audit_page(whole, found)
        for kind in {finding["id"] for finding in found}:
            assert page.count(f'href="#kind-{kind}"') == 1 and page.count(f'id="kind-{kind}"') == 1


@pytest.mark.parametrize("broken", [None, 7, 1.5, True, "text", ["x", 3], {"a": 1}])
@pytest.mark.parametrize("part", ["groups", "remarks", "nics", "host", "tune", "reason", "unreachable", ""])
def test_damaged_facts_are_told_and_the_others_are_judged(part, broken):
    facts = {"bad": {part: broken} if part else broken, "pc1": {"host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}}}
    found = findings(facts)
    assert [finding["host"] for finding in found if finding["id"] == "tcp-sack-off"] == ["pc1"]
    assert "pc1" in audit_page(facts, found) and audit_data(facts, found) and findings_table(facts, found)


def test_query_that_is_none_is_told(facts):
    wrong = r"audit_query: the query .findings\[. is not a valid JMESPath expression"
    with pytest.raises(AnsibleFilterError, match=wrong):
        audit_data(facts, [], query="findings[")


def test_query_is_checked_before_there_are_hosts():
    assert audit_data({}, [], query="join(', ', findings[0].title)") is None
    for wrong in ("findings[", "shout(findings)"):
        with pytest.raises(AnsibleFilterError, match="audit_query: the query"):
            audit_data({}, [], query=wrong)


def story_facts():
    facts = {}
    for path in sorted((CASES / "stories").glob("*.yml")):
        facts.update(case_files.read(path)["facts"])
    return facts


def test_page_has_every_finding_and_stands_on_its_own():
    facts = story_facts()
    found = findings(facts)
    page = audit_page(facts, found, "today")
    assert page.count('class="card"') <= len(found)
    assert all(f'id="host-{finding["host"]}"' in page for finding in found)
    assert all(f"<code>{finding['id']}</code>" in page for finding in found)
    assert not re.search(r"<(script|img|link|iframe)[^>]* src=", page)
    # What the page links to is opened by a person who wants to; what it needs is inside.
    assert not re.search(r"url\(|@import|<link(?! rel=\"icon\" href=\"data:,\")", page)


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
    *sorted((CASES / "stories").glob("*.yml"))[::3],
    *sorted((CASES / "findings/differs-from-inventory").glob("*.yml")),
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


def test_a_host_of_which_nothing_could_be_read_is_not_one_without_a_finding():
    variables = {"audit_info": {"failed": True, "msg": "Module result deserialization failed"}, "group_names": []}
    facts = audit_facts(["pc1"], {"pc1": variables})
    assert facts["pc1"]["unreachable"] and facts["pc1"]["reason"] == "Module result deserialization failed"
    assert findings_table(facts, findings(facts))[0] == "1 host; no findings; 0 without a finding; 1 not reached"


def test_a_message_is_told_whole_for_its_end_says_what_is_valid():
    msg = f"tuning_sysctl: {'x' * 150} is not valid; write a dictionary"
    facts = {"a": {"tune": {"failed": True, "msg": msg}}}
    told = findings_table(facts, findings(facts))
    assert f"critical  a  -  The inventory of the host is invalid ({msg})" in told
