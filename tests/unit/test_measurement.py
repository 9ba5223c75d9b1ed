# SPDX-License-Identifier: GPL-3.0-or-later
"""Who measures with whom, what the figures are, and how a result is shown."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import (
    figures,
    plan,
    report,
    result,
    table,
    verdict,
    ways,
)
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, HARM, OPTIONS, decided, made, measured


def test_many_to_one_gives_each_client_a_server_of_its_own():
    whole = made([{"server": "router1", "clients": "room1"}], repeat=1)
    router, pc2 = whole["hosts"]["router1"], whole["hosts"]["pc2"]
    assert router["servers"] == 3
    assert [step["hosts"] for step in router["gate"]] == [["pc1", "pc2", "pc3"]] * 3
    assert router["steps"] == []
    assert [step["id"] for step in pc2["steps"]] == ["1-up-1", "1-down-1", "end"]
    assert [(run["server"], run["port"], run["reverse"]) for step in pc2["steps"] for run in step["runs"]] == [
        ("10.0.0.254", 5203, False),
        ("10.0.0.254", 5203, True),
    ]
    assert {step["gate"] for step in pc2["steps"]} == {"10.0.0.254:5201"}
    assert pc2["peers"] == ["10.0.0.254"]


def test_a_firewall_lets_in_those_who_come_by_the_addresses_that_they_come_from():
    entry = {"topology": "one_to_many", "client": "router1", "servers": "room1"}
    for entries, comers in (
        ({"server": "router1", "clients": "room1"}, {"router1": ["pc1", "pc2", "pc3"], "pc1": []}),
        # The servers come to the gate of the client, and the client to the servers.
        (entry, {"router1": ["pc1", "pc2", "pc3"], "pc1": ["router1"]}),
    ):
        whole = made([entries], repeat=1)
        assert {host: whole["hosts"][host]["comers"] for host in comers} == comers
    told = {
        "pc1": {"sources": {"10.0.0.254": ["10.0.7.1", "fd00::1"], "10.0.0.2": ["10.0.9.9"]}},
        "pc2": {"sources": {"10.0.0.254": ["10.0.7.1", "10.0.7.2"]}},
        "pc3": {},
    }
    assert ways.sources(whole, "router1", told) == ["10.0.7.1", "fd00::1", "10.0.7.2"]


def test_routers_in_between_are_named_where_they_would_drop_it():
    pcs = {f"pc{number}": {"routers": {"10.0.1.1": ["10.0.0.254"]}} for number in range(1, 7)}
    checked = {**pcs, "files": {"routers": {"10.0.0.1": ["10.0.1.254"]}}, "near": {"routers": {}}, "missing": {}}
    assert ways.routers(checked) == ["10.0.0.254", "10.0.1.254"]
    off, doubt = (
        "it does not forward IPv4 (net.ipv4.conf.eth0.forwarding is 0)",
        "iptables drops what no rule of it accepts",
    )
    between = {
        "gw": {"routers": ["10.0.0.254"], "obstacles": [off], "doubts": []},
        "gw2": {"routers": ["10.0.1.254"], "obstacles": [], "doubts": [doubt]},
        "pc1": {"routers": [], "obstacles": [], "doubts": []},
        "away": {"unreachable": True},
    }
    assert ways.obstacles(checked, between) == [
        f"gw (10.0.0.254), the router of pc1, pc2, pc3, pc4 and 2 more: {off}",
    ]
    said = ways.hint(checked["files"], between)
    assert said.startswith(
        f"; it goes to 10.0.0.1 by the router 10.0.1.254, which is gw2 ({doubt}): see what is dropped"
    )
    assert "by the router 10.0.0.254: see" in ways.hint(checked["pc1"], {})
    assert ways.hint(checked["near"], between) == ways.hint({}, between) == ""
    whole = made([{"server": "router1", "clients": ["pc1"]}])
    answers = {"pc1": {"msg": "the gate at 10.0.0.254 port 5201 cannot be reached: timed out"}, "router1": {"msg": "x"}}
    hints = {"pc1": "; look there", "router1": "; and there"}
    assert result.absent(whole, answers, "collected", hints) == [
        "pc1 (the gate at 10.0.0.254 port 5201 cannot be reached: timed out; look there)",
        "router1 (x)",
    ]


def test_one_to_many_runs_all_clients_on_one_host():
    whole = made([{"topology": "one_to_many", "client": "router1", "servers": "room1"}], repeat=1, directions=["up"])
    router = whole["hosts"]["router1"]
    assert [run["server"] for run in router["steps"][0]["runs"]] == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    assert [whole["hosts"][name]["servers"] for name in ("router1", "pc1", "pc2", "pc3")] == [0, 1, 1, 1]
    # The servers come to the gate as well, or they would end before the last step.
    assert router["gate"][-1] == {
        "id": "end",
        "hosts": ["router1", "pc1", "pc2", "pc3"],
        "limit": 52,
        "staggered": False,
    }


def test_all_pairs_meet_once_and_nobody_has_two_partners_at_a_time():
    for count in range(2, 12):
        names = [f"n{number}" for number in range(count)]
        inventory = {"all": names}
        whole = plan.make(
            [{"topology": "all_pairs", "hosts": names}],
            inventory,
            {name: name for name in names},
            {**OPTIONS, "repeat": 1, "directions": ["up"]},
        )
        rounds = [[{flow["client"], flow["server"]} for flow in step["flows"]] for step in whole["steps"]]
        met = [frozenset(pair) for pairs in rounds for pair in pairs]
        assert len(met) == len(set(met)) == count * (count - 1) // 2
        assert all(len(set().union(*pairs)) == 2 * len(pairs) for pairs in rounds)
        assert len(rounds) == count - 1 + count % 2


def test_everything_ends_in_bounded_time():
    whole = made([{"server": "router1", "clients": "room1"}])
    # Six runs of twelve seconds, what each takes beside, the patience before and a minute after.
    assert whole["seconds"] == int(120 + 6 * (12 + 8 + 0.4) + 60)


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([], "benchmark_groups is empty"),
        ([{"server": "router9", "clients": "room1"}], "the inventory has no host and no group 'router9'"),
        ([{"server": "router1"}], "entry 1 of benchmark_groups has no clients"),
        ([{"server": "router1", "clients": "room1", "client": "pc1"}], "does not know client"),
        ([{"server": "room1", "clients": "router1"}], "server: room1 is 3 hosts, and many_to_one needs one"),
        ([{"server": "router1", "clients": "empty"}], "clients: empty has no hosts"),
        ([{"server": "pc1", "clients": "room1"}], "pc1 cannot measure with itself"),
        ([{"topology": "star", "hosts": "room1"}], "topology: star is none of many_to_one"),
        ([{"topology": "all_pairs", "hosts": "pc1"}], "two hosts at least"),
        (
            [{"topology": "one_to_one", "clients": "room1", "servers": "router1"}],
            "as many clients as servers, not 3 and 1",
        ),
        (
            [{"server": "router1", "clients": "pc1", "name": "a"}, {"server": "pc2", "clients": "pc1", "name": "b"}],
            "pc1 is in 'a' and in 'b'",
        ),
    ],
)
def test_what_cannot_be_measured_is_said(entries, says):
    with pytest.raises(plan.PlanError, match=says):
        made(entries)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"directions": []}, "is not a list of up, down, both"),
        ({"directions": ["sideways"]}, "is not a list of up, down, both"),
        ({"protocol": "udp"}, "udp needs benchmark_bitrate"),
        ({"port": "http"}, "benchmark_port: 'http' is no number"),
    ],
)
def test_options_that_make_no_sense_are_said(options, says):
    with pytest.raises(plan.PlanError, match=says):
        made([{"server": "router1", "clients": "room1"}], **options)


def test_directions_may_come_as_text():
    steps = made([{"server": "router1", "clients": "room1"}], repeat=1, directions="up,down")["steps"]
    assert [step["direction"] for step in steps] == ["up", "down"]


def test_fairness_by_hand():
    # (1 + 2 + 3) squared is 36, and three times the sum of the squares 1 + 4 + 9 is 42.
    assert figures.fairness([1, 2, 3]) == pytest.approx(36 / 42)
    assert figures.fairness([5] * 10) == 1
    assert figures.fairness([5] + [0] * 9) == pytest.approx(0.1)
    assert figures.fairness([0, 0]) == 0


def test_asymmetry_and_figure_by_hand():
    assert figures.asymmetry(940, 667) == pytest.approx(1 - 667 / 940)
    assert figures.asymmetry(0, 0) == 0
    assert figures.figure([3, 1, 8]) == {"median": 3, "least": 1, "most": 8, "spread": 7, "values": [3, 1, 8]}


def test_result_has_the_figures_of_iperf3():
    whole = measured([[10, 20, 30], [20, 20, 20], [5, 20, 50]])
    up = whole["groups"]["router1 and room1"]["figures"]["up"]
    assert up["sum"]["values"] == [60, 60, 75]
    assert up["minimum"] == {"median": 10, "least": 5, "most": 20, "spread": 15, "values": [10, 20, 5]}
    assert up["fairness"]["values"] == pytest.approx([60**2 / 3 / 1400, 1, 75**2 / 3 / 2925])
    assert up["retransmits"]["median"] == 6
    assert (up["cpu_client"]["median"], up["cpu_server"]["median"]) == (15, 27)
    assert up["flows"]["pc3 - router1"]["values"] == [30, 20, 50]
    assert whole["runs"][0]["queues"] == {"router1": {"eth0": [7, 8]}}
    assert whole["hosts"]["pc1"]["nics"]["eth0"] == {"mtu": 1500, "ring": {"rx": 256}}


def test_both_directions_at_once_are_figures_of_their_own():
    alone, together = measured([[100, 100, 100]] * 3, "up"), measured([[10, 20, 30]] * 3, "up")
    for run in together["runs"]:
        run["direction"] = "both"
    figures_of = result._figures([*alone["runs"], *together["runs"]])
    assert list(figures_of) == ["up", "both_up"]
    assert (figures_of["up"]["sum"]["median"], figures_of["both_up"]["sum"]["median"]) == (300, 60)


def test_numbers_may_come_as_text():
    text = {key: str(value) for key, value in OPTIONS.items() if not isinstance(value, list)}
    entries = [{"server": "router1", "clients": "room1"}]
    assert made(entries, **{**text, "fio": {}, "window": "", "bitrate": ""}) == made(entries)


def test_a_part_that_is_missing_is_named():
    whole = made([{"server": "router1", "clients": "room1"}], repeat=1, directions=["up"])
    home = {name: {"steps": {}, "queues": {}} for name in whole["hosts"]}
    with pytest.raises(result.ResultError, match="pc1 has brought no result of step 1-up-1"):
        result.make(whole, {}, {}, home, {})


def test_hosts_that_are_not_ready_are_named():
    whole = made([{"server": "router1", "clients": "room1"}])
    answers = {"pc1": {"nics": {}}, "pc2": {"msg": "the program 'iperf3' is not installed"}, "router1": {"nics": {}}}
    assert result.absent(whole, answers) == [
        "pc2 (the program 'iperf3' is not installed)",
        "pc3 (it is not in the play, or cannot be reached)",
    ]


def test_table_shows_bars_and_verdict():
    """What the playbooks benchmark and prove print."""
    lines = table.lines(measured([[1e6, 2e6, 3e6]] * 3))
    assert lines[0] == "router1 and room1 (many to one, 4 hosts)"
    assert lines[2] == "up, client to server: 6.00 Mbit/s in all (median of 3 runs, 6.00 Mbit/s to 6.00 Mbit/s)"
    assert lines[-1] == f"  pc3 - router1  {'█' * 30}  3.00 Mbit/s"
    assert table.verdict(decided([HARM])) == [
        "router1 and room1: worse, ROLLED BACK on router1",
        "  sum up: from 300 bit/s to 30 bit/s, worse (-90.0%, with 99 % certainty between -90.9% and -88.9%; "
        "chance alone shows as much once in 1716 times); "
        "measured in blocks, so what the network did by itself meanwhile counts as well",
        "",
        "  figure       before     after     change  99 % interval     verdict",
        "  sum up       300 bit/s  30 bit/s  -90.0%  -90.9% to -88.9%  worse",
        "  minimum up   90 bit/s   9 bit/s   -90.0%  -92.2% to -88.9%  worse",
        "  fairness up  0.993      0.991     -0.2%   -0.4% to +0.0%    undecided",
        "  Only sum decides. The others are additional, and corrected for multiple comparisons.",
        "  retransmits up: 6 in a run before, 6 after (shown only, not tested)",
    ]


def test_settings_are_written_as_a_person_does():
    assert [table.written(value) for value in (True, False, None, [], ["up", "down"], 5)] == [
        *("on", "off", "none", "none"),
        *("up, down", "5"),
    ]
    before, after = measured(BEFORE), measured(BEFORE)
    before["hosts"]["pc1"]["nics"]["eth0"]["features"] = {"gro": False}
    after["hosts"]["pc1"]["nics"]["eth0"]["features"] = {"gro": True}
    decided_ = verdict.decide([("before", before), ("after", after)], [], "sum", 0.02)
    assert table.verdict(decided_)[-1] == "  nics eth0 features gro: off before, on after"


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (9.414e9, "9.41 Gbit/s"),
        (49.06e6, "49.1 Mbit/s"),
        (941.2e6, "941 Mbit/s"),
        (880e3, "880 kbit/s"),
        (0, "0 bit/s"),
    ],
)
def test_rates_have_three_digits(bits, text):
    assert table.rate(bits) == text


def test_differences_of_settings():
    before, after = measured(BEFORE), measured(BEFORE)
    after["hosts"]["pc1"]["nics"]["eth0"]["mtu"] = 9000
    assert verdict.differences(before, after) == {"pc1": [("nics eth0 mtu", "1500", "9000")]}


def test_report_stands_on_its_own_and_escapes_names():
    before, after = measured(BEFORE), measured(BEFORE)
    name = "<script>alert(1)</script>"
    for one in (before, after):
        one["groups"][name] = one["groups"].pop("router1 and room1")
    html = report.write(after, before, verdict.decide([("before", before), ("after", after)], ["router1"], "sum", 0.05))
    assert name not in html
    assert html.count("<svg") == 5
    assert "http://" not in html and "https://" not in html
    assert ">undecided<" in html
    assert "retransmits up: 6 in a run before, 6 after" in html


def test_report_of_both_directions_has_the_queues_of_those_who_send():
    whole = measured(BEFORE)
    for run in whole["runs"]:
        run["direction"] = "both"
        run["queues"]["pc1"] = {"eth0": [1, 2]}
    group = whole["groups"]["router1 and room1"]
    group["figures"] = {f"both_{way}": group["figures"]["up"] for way in ("up", "down")}
    html = report.write(whole)
    assert html.count("Bytes by transmit queue of eth0 of router1, last run</h4>") == 1
    assert html.count("Bytes by transmit queue of eth0 of pc1, last run</h4>") == 1


def test_saved_results_are_checked():
    with pytest.raises(result.ResultError, match="is no result of the playbook"):
        result.check({"format": "other"}, "file.json")
    with pytest.raises(result.ResultError, match="has version 2 of the format, and this collection reads 1"):
        result.check({"format": result.FORMAT, "version": 2}, "file.json")
