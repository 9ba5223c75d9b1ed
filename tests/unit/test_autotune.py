# SPDX-License-Identifier: GPL-3.0-or-later
"""A search asks a machine for what it has, leads through its measurements, and says what it found."""

from __future__ import annotations

import math

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.autotune_axes import autotune_axes
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import axes, conduct, session, tell
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement.result import ResultError
from ansible_collections.linuxnet.tuning.tests.unit.measurements import made, measured

IGB = {
    "physical": True,
    "speed": 1000,
    "channels": {"combined": {"value": 1, "maximum": 8}},
    "ring": {"rx": {"value": 256, "maximum": 4096}, "tx": {"value": 4096, "maximum": 4096}},
    "features": {
        "tso": {"value": False, "members": ["tx-tcp-segmentation"]},
        "tx-tcp-segmentation": {"value": False},
        "gro": {"value": True},
        "lro": {"value": False, "fixed": True},
        "rxhash": {"value": False, "fixed": True},
    },
    "coalesce": {"rx_usecs": {"value": 3}, "adaptive_rx": {"value": False}},
    "rss": {"indirection": {"value": "1-7"}},
    "irq": {"affinity": {"value": "0"}, "rps": {"value": "none"}},
    "queues": {"rx": 1, "tx": 8, "qdisc": {"root": "mq", "leaf": "fq_codel"}},
    "qdisc_settings": {"root": {"value": "default"}, "leaves": {"value": "default"}},
    "multiq": {"clients": {"value": []}},
}
HOST = {
    "kernel": {"cpu_count": 4, "memory_kib": 8 << 20, "forwards_ipv4": True},
    "sysctl": {
        "net.ipv4.tcp_rmem": "4096 131072 262144",
        "net.ipv4.tcp_wmem": "4096 16384 65536",
        "net.ipv4.tcp_congestion_control": "cubic",
    },
    "congestion": {"available": ["reno", "bbr", "cubic"]},
    "addresses": [
        {"nic": "eth0", "address": "10.0.0.254/24", "hardware": ["eth0"]},
        {"nic": "bond0", "address": "10.1.0.254/16", "hardware": ["eth1", "eth2"]},
        {"nic": "veth0", "address": "10.2.0.254/24", "hardware": []},
    ],
}
PEERS = {"router1": ["10.0.0.1", "10.0.0.2", "10.0.0.3"]}
LINE = axes.Line(rate=100e6, trip=0.04)


def offered(goal="throughput", line=LINE, nic=None, host=None, only=()):
    """The names of the values by axis."""
    facts = {"router1": {"nics": {"eth0": {**IGB, **(nic or {})}}, "host": {**HOST, **(host or {})}}}
    return axes.make(facts, PEERS, goal, line, only)


def names(found):
    return {axis["name"]: list(axis["values"]) for axis in found}


def test_a_machine_is_offered_what_it_has_and_can_change():
    assert names(offered()) == {
        "offloads": ["on"],
        "buffers": ["what the kernel makes", "step 1", "step 2", "step 3"],
        "channels": ["one for each processor", "all"],
        "spread": ["equal over the receive queues", "one processor for each queue", "packets over all processors"],
        "rings": ["all", "half"],
        "coalescing": ["adaptive", "until 1/16 of the ring is full", "until 1/64 of the ring is full", "at once"],
        "clients": ["a queue for each"],
        "qdisc": ["fq"],
        "congestion": ["bbr"],
    }
    assert list(names(offered("latency")))[:2] == ["qdisc", "congestion"]
    assert names(offered("latency"))["coalescing"][0] == "at once"
    assert next(iter(names(offered("fairness")))) == "clients"
    assert list(names(offered(only=["rings"]))) == ["rings"]


def test_a_bare_nic_is_offered_nothing():
    nothing = {"router1": {"nics": {"eth0": {"physical": True, "missing": {}}}, "host": {}}}
    assert axes.make(nothing, PEERS, "throughput", LINE) == []


def test_what_is_in_force_is_not_offered():
    good = {
        "channels": {"combined": {"value": 4, "maximum": 4}},
        "ring": {"rx": {"value": 4096, "maximum": 4096}},
        "features": {"tso": {"value": True}, "gro": {"value": True}},
        "qdisc_settings": {"root": {"value": "mq"}, "leaves": {"value": "fq"}},
    }
    found = names(offered(nic=good))
    assert not {"channels", "offloads"} & set(found)
    assert found["qdisc"] == ["what the kernel makes"]
    assert found["rings"] == ["half"]


def test_buffers_go_by_the_round_trip_and_the_memory():
    (found,) = offered(only=["buffers"])
    sizes = [part["router1"]["sysctl"]["net.ipv4.tcp_rmem"] for part in found["values"].values()]
    # As nobody has tuned it, then four times what 1 Gbit/s holds in 40 ms, and 16 and 64 times what was measured.
    most = (6 << 20, 20000000, 8000000, 32000000)
    assert sizes == [f"4096 131072 {size}" for size in most]
    (small,) = offered(only=["buffers"], host={"kernel": {"memory_kib": 64 << 10}})
    assert [part["router1"]["sysctl"]["net.ipv4.tcp_wmem"] for part in small["values"].values()] == [
        "4096 16384 524288",
        "4096 16384 1048576",
    ]
    assert offered(only=["buffers"], line=None) == [], "nothing was measured yet"
    big = dict.fromkeys(("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"), "4096 131072 1000000000")
    assert offered(only=["buffers"], host={"sysctl": big}) == []


def test_a_queue_that_somebody_has_shaped_keeps_its_rate():
    shaped = {"qdisc_settings": {"root": {"value": "tbf rate 20mbit burst 16384 latency 400ms"}}}
    (found,) = offered("latency", nic=shaped, only=["qdisc"], line=axes.Line(20e6, 0.001))
    roots = [part["router1"]["nics"][0]["qdisc"]["root"] for part in found["values"].values()]
    # Ten frames need 6.152 ms.
    assert roots[0] == "cake bandwidth 20000000bit"
    assert [root.split()[-1] for root in roots[1:]] == ["6152us", "1538us", "24608us"]
    assert all(root.startswith("tbf rate 20mbit burst 16384") for root in roots[1:])
    assert offered(nic={"qdisc_settings": {"root": {"value": "htb 1:"}}}, only=["qdisc"]) == []


@pytest.mark.parametrize(
    ("root", "leaves", "values"),
    [
        ("fq maxrate 2mbit", "default", ["what the kernel makes"]),
        ("mq", "pfifo limit 5", ["what the kernel makes", "fq"]),
        ("noqueue", "default", ["fq"]),
        # Somebody has given each queue a rate, which another leaf would not keep.
        ("mq", "tbf rate 2mbit burst 10240 latency 10ms", []),
        ("mq", "fq_codel; tbf rate 2mbit burst 10240 latency 10ms", []),
    ],
)
def test_what_somebody_has_set_may_be_what_holds_back_but_rates_stay(root, leaves, values):
    found = offered(nic={"qdisc_settings": {"root": {"value": root}, "leaves": {"value": leaves}}}, only=["qdisc"])
    assert [value for axis in found for value in axis["values"]] == values


def test_buffers_that_are_large_enough_may_have_to_be_free_to_grow():
    big = dict.fromkeys(("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"), "4096 131072 1000000000")
    (found,) = offered(only=["buffers"], host={"sysctl": {**big, "net.ipv4.tcp_moderate_rcvbuf": "0"}})
    sysctl = {"net.ipv4.tcp_moderate_rcvbuf": 1}
    assert found["values"] == {"free to grow": {"router1": {"nics": [], "sysctl": sysctl}}}


@pytest.mark.parametrize("goal", axes.GOALS)
def test_every_value_is_understood_by_tune(goal):
    for axis in offered(goal):
        for part in axis["values"].values():
            options = part["router1"]
            for entry in options["nics"]:
                for key in entry:
                    registry.check_key(key)
                plan.overlay([("", {key: entry[key] for key in entry if key in registry.FAMILIES})], registry.FAMILIES)
            plan.overlay([("", {"sysctl": options["sysctl"]})], registry.FAMILIES)


def test_the_nics_that_matter_lead_to_the_peers():
    assert axes.nics(HOST, ["10.0.0.1"]) == ["eth0"]
    assert axes.nics(HOST, ["10.1.2.3", "10.0.0.9"]) == ["eth1", "eth2", "eth0"]
    assert axes.nics(HOST, ["10.2.0.1"]) == ["veth0"], "without hardware it is the NIC with the address"
    assert axes.nics(HOST, ["192.0.2.1"]) == []
    assert axes.nics(HOST, ["pc1.example.org"]) == []


BUDGET = {"measurements": 15, "runs": 3, "seconds": 3600, "tolerance": 0.05}


def planned(**options):
    return made([{"server": "router1", "clients": "room1"}], repeat=3, latency=True, directions=["up"], **options)


def entry(turn, factor, elapsed, run=0):
    rows = [[factor * (90 + (run + index) % 3), factor * 100, factor * 110] for index in range(turn["runs"])]
    return {"turn": turn, "result": measured(rows), "problem": "", "applied": True, "elapsed": elapsed}


def led(worth):
    """The turns of a search in which each value is worth so much, as the playbook leads it."""
    known, history, said = offered(line=None, only=["rings", "channels", "offloads"]), [], []
    whole = planned()
    while True:
        turn = conduct.turn(whole, known, history, "throughput", BUDGET)
        said += turn["lines"]
        if turn["over"]:
            return known, history, said
        factor = math.prod(worth.get(item, 1.0) for item in turn["setting"].items())
        history.append(entry(turn, factor, 60.0 * (len(history) + 1), len(history)))


def test_it_ends_with_lines_for_the_inventory_the_evidence_and_what_did_not_matter():
    known, history, said = led({("rings", "all"): 1.5, ("rings", "half"): 1.2, ("channels", "all"): 0.5})
    assert [one["turn"]["kind"] for one in history][-2:] == ["prove", "prove"], "it was obvious"
    text = "\n".join(conduct.lines(planned(), known, history, "throughput", BUDGET))
    assert text.startswith("There is a better setting.\n  rings all\n")
    lines = text[text.index("lines for the inventory\n") :].split("\n\n", maxsplit=1)[0].splitlines()
    assert lines[1] == "  # host_vars/router1.yml"
    assert yaml.safe_load("\n".join(lines[2:])) == {
        "tuning_host_nics": [{"name": "eth0", "ring": {"rx": "max", "tx": "max"}}]
    }
    assert "with 99 % certainty between" in text
    last = {line.partition(":")[0]: line for line in text.splitlines()[-5:]}
    assert "rings all (+50.0 %" in last["what helped"]
    assert "channels all (-50.0 %" in last["what was worse than the best by then"]
    assert "offloads on (+0.0 %" in last["what did not matter"]
    assert "rings all, channels all                     up 226 bit/s  -25.0 %" in text
    assert said[0] == "measurement 1 of at most 15: as it is the start"
    assert any("rings all: up 452 bit/s (+50.0 % against the start)" in line for line in said)


def test_where_nothing_is_better_there_are_no_lines():
    known, history, _said = led({("rings", "half"): 0.8})
    text = "\n".join(conduct.lines(planned(), known, history, "throughput", BUDGET))
    assert "Leave the hosts as they are" in text
    assert "lines for the inventory" not in text


def test_the_plan_says_what_it_would_try_and_how_long_that_takes():
    lines = conduct.lines(planned(), offered(line=None), [], "throughput", BUDGET)
    assert lines[0] == "goal: throughput, by the figure sum; 15 values of 8 settings, on router1"
    assert any(line.split()[:2] == ["rings", "all,"] for line in lines)
    assert "buffers come once the round trip is known" in " ".join(lines)
    # 12 measurements with 3 runs, and the 22 of the proof, of 12 s and 5 s each; half a minute for each switch.
    assert lines[-1] == "time: about 24 minutes at most, and less where it is clear sooner"


def test_all_hosts_alike_are_a_group():
    known = [{"name": "rings", "about": "", "values": {"all": {}}}]
    for host in ("pc1", "pc2"):
        known[0]["values"]["all"][host] = {"nics": [{"name": "eth0", "ring": {"rx": "max"}}], "sysctl": {"a.b": "1"}}
    lines = tell.inventory(known, {"rings": "all"})
    assert lines[0] == "  # group_vars of pc1, pc2"
    assert set(yaml.safe_load("\n".join(lines))) == {"tuning_group_nics", "tuning_group_sysctl"}


def test_one_nic_is_one_entry():
    parts = [{"name": "eth0", "coalesce": {"rx_usecs": 3}}, {"name": "eth0", "coalesce": {"tx_usecs": 4}, "mtu": 9000}]
    whole = {"name": "eth0", "coalesce": {"rx_usecs": 3, "tx_usecs": 4}, "mtu": 9000}
    assert tell.merged({"nics": parts, "sysctl": {}})["nics"] == [whole]


YES, ALREADY = {"changed": True, "commands": ["ethtool"]}, {"changed": False, "commands": []}


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({"a": YES, "b": YES}, ""),
        ({"a": YES, "b": ALREADY}, ""),
        ({"a": ALREADY, "b": ALREADY}, "it is in force already"),
        # The playbook goes on where a host fails, so nothing says so but what is missing.
        ({"a": YES, "b": {"changed": False, "failed": False, "msg": "no such\nqdisc"}}, "b: no such qdisc"),
        # What the device refuses has been run before it was rolled back.
        (
            {"a": YES, "b": {**ALREADY, "msg": "desired cubic, but the device reports reno"}},
            "b: desired cubic, but the",
        ),
        ({"a": YES, "b": {**YES, "unsupported": [{"key": "root", "reason": "no such qdisc"}]}}, "b: no such qdisc"),
        ({"a": YES, "b": {"msg": "timed out", "unreachable": True}}, "b: timed out"),
        ({"a": YES}, "b: no answer"),
    ],
)
def test_a_setting_counts_where_all_have_taken_it(answers, says):
    one = {"nics": [{"name": "eth0"}], "sysctl": {}}
    said = session.refusal(answers, {"hosts": {"a": one, "b": one, "c": {"nics": [], "sysctl": {}}}})
    assert said.startswith(says)
    assert bool(said) == bool(says)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"measurements": 4}, "autotune_measurements: 4 is too few"),
        ({"runs": 1}, "autotune_runs: 1 is not from 2 to 10"),
        ({"seconds": "an hour"}, "are numbers"),
    ],
)
def test_a_budget_that_is_none_is_refused(change, says):
    with pytest.raises(ResultError, match=says):
        session.limits(planned(), {**BUDGET, **change})


def test_settings_of_a_command_line_are_a_text_with_commas():
    with pytest.raises(AnsibleFilterError, match="autotune_only: ring is none of offloads"):
        autotune_axes(planned(), {}, ["router1"], only="rings, ring")


@pytest.mark.parametrize(
    ("goal", "only", "tuned", "says"),
    [
        ("speed", [], ["router1"], "autotune_goal: speed is none of throughput"),
        ("latency", ["ring"], ["router1"], "autotune_only: ring is none of"),
        ("latency", [], [], "none of tuning_hosts takes part"),
    ],
)
def test_what_cannot_be_searched_is_said(goal, only, tuned, says):
    with pytest.raises(ResultError, match=says):
        session.check(planned(), goal, only, tuned)
