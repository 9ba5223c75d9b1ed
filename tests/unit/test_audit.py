# SPDX-License-Identifier: GPL-3.0-or-later
"""What an audit tells: the terminal, programs and the page say the same."""

from __future__ import annotations

import re

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.audit_data import audit_data
from ansible_collections.linuxnet.tuning.plugins.filter.audit_facts import audit_facts
from ansible_collections.linuxnet.tuning.plugins.filter.audit_page import audit_page
from ansible_collections.linuxnet.tuning.plugins.filter.findings import findings
from ansible_collections.linuxnet.tuning.plugins.filter.findings_table import findings_table
from ansible_collections.linuxnet.tuning.tests.unit.audited import HOSTVARS, story_facts


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
        "hosts in no group: 2 critical",
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
    assert "(for example net.ipv4.tcp_sack 0): pc01, pc02, pc99" in findings_table(facts, found)[-2]


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
        "1 host; 1 medium",
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


def test_query_that_is_none_is_told(facts):
    wrong = r"audit_query: the query .findings\[. is not a valid JMESPath expression"
    with pytest.raises(AnsibleFilterError, match=wrong):
        audit_data(facts, [], query="findings[")


def test_query_is_checked_before_there_are_hosts():
    assert audit_data({}, [], query="join(', ', findings[0].title)") is None
    for wrong in ("findings[", "shout(findings)"):
        with pytest.raises(AnsibleFilterError, match="audit_query: the query"):
            audit_data({}, [], query=wrong)


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


def test_a_message_is_told_whole_for_its_end_says_what_is_valid():
    msg = f"tuning_sysctl: {'x' * 150} is not valid; write a dictionary"
    facts = {"a": {"tune": {"failed": True, "msg": msg}}}
    told = findings_table(facts, findings(facts))
    assert f"critical  a  -  The inventory of the host is invalid ({msg})" in told


def test_hosts_that_answered_and_were_not_read_have_their_reason():
    """No callback tells it, because the task does not fail."""
    failed = {"group_names": ["room1"], "audit_info": {"failed": True, "msg": "sudo is not installed"}}
    away = {"group_names": ["room1"], "audit_info": {"unreachable": True, "msg": "no route"}}
    facts = audit_facts(["pc1", "pc2", "pc3"], {"pc1": failed, "pc2": away, "pc3": failed})
    assert findings_table(facts, [])[-2:] == [
        "not reached: pc2",
        "could not be read: pc1, pc3 (sudo is not installed)",
    ]
