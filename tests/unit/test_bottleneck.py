# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a pair back is named with what shows it; a new case is a few lines in cases/bottlenecks/named.yml."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import moved
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import bottleneck, pattern, report, table
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, measured

WRITTEN = case_files.read(case_files.FOLDER / "bottlenecks/named.yml")


def find(case):
    """What is named of one run of 10 s from pc1 to hub."""
    flow = {
        **{"client": "pc1", "server": "hub", "nics": {"client": "eth0", "server": "eth0"}},
        **{"bits_per_second": {"up": case.get("rate", 9e7)}, **case.get("flow", {})},
    }
    still = {"softnet": {"processed": 1000}}
    ends = {"pc1": {**still, **case.get("sender", {})}, "hub": {**still, **case.get("receiver", {})}}
    run = {"kind": "all", "direction": "up", "seconds": 10, "flows": [flow], "moved": ends}
    run["queues"] = {"pc1": {"eth0": case["queues"]}} if "queues" in case else {}
    quiet = {"client": "pc1", "server": "hub", "latency": {"p99": case.get("idle")}}
    idle = [{"kind": "idle", "direction": "idle", "flows": [quiet]}] if "idle" in case else []
    nic = {"speed": case.get("speed"), "driver": case.get("driver", "igb")}
    hosts = {name: {"nics": {"eth0": nic}} for name in ends}
    return bottleneck.find([*idle, run], hosts, case.get("options", {}))["up"]["pc1 - hub"]


@pytest.mark.parametrize("case", WRITTEN["cases"], ids=lambda case: case["about"])
def test_the_bottleneck_is_named(case):
    found = find(case)
    assert found["where"] == case["where"]
    assert found["at"] == case.get("at", found["at"])
    assert case.get("says", "") in "; ".join(found["evidence"])
    assert found["where"] in bottleneck.ADVICE


@pytest.mark.parametrize("case", WRITTEN["patterns"], ids=lambda case: case["about"])
def test_the_pattern_over_pairs_tells_the_hop(case):
    found = pattern.find({tuple(ends.split()): rate * 1e6 for ends, rate in case["rates"].items()})
    assert {" ".join(ends) for ends in found} == set(case["says"])
    for ends, text in found.items():
        assert case["says"][" ".join(ends)] in text


def test_a_queue_that_clients_share_is_the_reason_of_the_slow_ones_only():
    ends = {"server": "hub", "nics": {"client": "eth0", "server": "eth0"}}
    rates = {"pc1": 1e6, "pc2": 5e5, "pc3": 5e5}
    flows = [{**ends, "client": name, "bits_per_second": {"down": rate}} for name, rate in rates.items()]
    run = {"kind": "all", "direction": "down", "seconds": 10, "flows": flows, "moved": {"hub": {"softnet": {}}}}
    run["queues"] = {"hub": {"eth0": [1_200_000, 1_200_000, 300, 0]}}
    found = bottleneck.find([run], {}, {})["down"]
    assert found["pc1 - hub"]["where"] == "unknown"
    assert found["pc2 - hub"]["where"] == "queue"
    assert found["pc2 - hub"]["evidence"] == ["2 of 4 queues carried 3 pairs, and the best of these got 1 Mbit/s"]


def test_terminal_and_page_say_it_once_for_all_pairs_alike():
    whole = measured(BEFORE)
    group = whole["groups"]["router1 and room1"]
    assert group["bottlenecks"] == {}
    row = {"where": "hop", "at": "a hop that all 3 pairs share", "evidence": ["9 segments <b>", "and more"]}
    link = {"where": "link", "at": "eth0 of pc1", "evidence": ["full"]}
    group["bottlenecks"] = {"up": dict.fromkeys(("pc1 - router1", "pc2 - router1", "pc3 - router1"), row)}
    assert table.lines(whole)[-3:] == [
        "what holds them back",
        "  up, all 3 pairs: hop, a hop that all 3 pairs share",
        "    9 segments <b>; and more",
    ]
    assert "9 segments &lt;b&gt;; and more" in report.write(whole)
    group["bottlenecks"]["up"]["pc2 - router1"] = link
    assert "  up, pc1 - router1, pc3 - router1: hop, a hop that all 3 pairs share" in table.lines(whole)


def test_what_lies_below_a_bond_counts_for_what_went_wrong_and_not_for_what_was_carried():
    part = moved.Part("bond0", {"bond0": "", "eth1": "igb"})

    def texts(number):
        kernel = "\n".join(f"/sys/class/net/{{0}}/statistics/{name}:{number}" for name in ("rx_packets", "rx_dropped"))
        return {moved.kernel(nic): kernel.format(nic) for nic in part.drivers}

    found = moved.growth([part], texts(0), texts(50), {})["nics"]["bond0"]
    assert (found["rx_packets"], found["rx_dropped"]) == (50, 100)


def test_the_counters_of_a_qdisc_begin_anew_at_32_bits_and_one_that_was_made_anew_at_nothing():
    def text(kind, dropped, backlog):
        return (
            f"qdisc {kind} 8001: root refcnt 2 \n Sent 7 bytes 1 pkt (dropped {dropped}, overlimits 0 requeues 0) \n"
            f" backlog {backlog} 4p requeues 0\n"
        )

    part, key = moved.Part("eth0", {"eth0": ""}), moved.qdisc("eth0")
    found = moved.growth([part], {key: text("tbf", 2**32 - 5, "0b")}, {key: text("tbf", 5, "2Kb")}, {})
    assert found["qdiscs"]["eth0"] == [{"nic": "eth0", "kind": "tbf", "place": "root", "dropped": 10, "backlog": 2048}]
    assert "qdiscs" not in moved.growth([part], {key: text("tbf", 3, "0b")}, {key: text("pfifo", 5, "0b")}, {})
