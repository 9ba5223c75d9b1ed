# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of our own: who asks and answers, what becomes of it, and that less latency is better."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import probe, processes, station
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import counters
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import (
    figures,
    report,
    result,
    table,
    verdict,
)
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, made, measured

ENTRY = [{"server": "router1", "clients": "room1"}]


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("", 0))
        return one.getsockname()[1]


def with_latency(factor, rates=tuple(BEFORE), idle=0.2):
    """A result with probes, as if three clients had sent some, which take about 100 ms times the factor."""
    whole = measured(rates)
    for number, run in enumerate(list(whole["runs"])):
        base = 100_000 * factor * (1 + number / 1000)
        run["latency"] = figures.round_trips([base * share for share in (0.5, 0.8, 1.0)], 4)
        for flow in run["flows"]:
            flow["latency"] = run["latency"]
        pairs = [{key: flow[key] for key in ("client", "server")} for flow in run["flows"]]
        quiet = figures.round_trips([idle * 1000 + number] * 3, 3)
        flows = [{**pair, "latency": quiet} for pair in pairs]
        own = {"kind": "idle", "direction": "idle", "id": f"{number}-idle", "flows": flows, "latency": quiet}
        whole["runs"].append({**run, **own})
    return result.merge([whole])


def test_probes_come_back_and_what_is_no_probe_gets_no_answer(tmp_path):
    """The whole of it: a station answers, and another one asks it and a port where nobody answers."""
    port, closed = free_port(), free_port()
    shutil.copy(probe.__file__, tmp_path / "probe.py")
    words = {"prepare": [], "servers": [], "ports": [], "gate": None, "steps": [], "watch": [], "name": "hub"}
    hub = processes.Server([sys.executable, "-I", str(tmp_path / "probe.py"), "answer", str(port)])
    hub.start()
    try:
        processes.wait_for([hub], [port], "udp", "program that answers probes")
        with pytest.raises(station.StationError, match=f"port {port} of UDP is in use by another program"):
            station.Station(str(tmp_path), {**words, "answer": port}).run()
        argv = [sys.executable, "-I", str(tmp_path / "probe.py"), "ask"]
        done = subprocess.run([*argv, str(port), "0", "0.5", "127.0.0.1", "::1"], capture_output=True, check=True)
        for told in json.loads(done.stdout):
            assert 10 <= told["sent"] <= 30
            assert len(told["microseconds"]) == told["sent"]
            assert told["microseconds"] == sorted(told["microseconds"])
        nobody = subprocess.run([*argv, str(closed), "0", "0.1", "127.0.0.1"], capture_output=True, check=True)
        assert json.loads(nobody.stdout)[0]["microseconds"] == []
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.settimeout(0.3)
            # Somebody else's packet, and an answer, to which an answer would go back for ever.
            for packet in (b"hello".ljust(64), b"lnxtune!".ljust(64), b"lnxtune?"):
                stranger.sendto(packet, ("127.0.0.1", port))
            with pytest.raises(socket.timeout):
                stranger.recv(100)
            stranger.sendto(b"lnxtune?".ljust(64), ("127.0.0.1", port))
            assert stranger.recv(100) == b"lnxtune!".ljust(64)
    finally:
        hub.end()


def test_percentiles_by_hand():
    hundred = [1000 * number for number in range(1, 101)]
    assert figures.round_trips(hundred, 200) == {
        "sent": 200,
        "lost_percent": 50.0,
        "median": 50.0,
        "p95": 95.0,
        "p99": 99.0,
    }
    assert figures.round_trips([], 5) == {"sent": 5, "lost_percent": 100.0}


def test_clients_ask_their_servers_without_and_under_load():
    whole = made(ENTRY, repeat=1, directions=["up", "both"], latency=True)
    assert (whole["hosts"]["router1"]["answers"], whole["hosts"]["pc1"]["answers"]) == (True, False)
    steps = {step["id"]: step for step in whole["hosts"]["pc2"]["steps"]}
    assert list(steps) == ["1-idle", "1-up-1", "1-both-1", "end"]
    assert steps["1-idle"]["runs"] == []
    assert steps["1-idle"]["probe"] == {"servers": ["10.0.0.254"], "lead": 0, "seconds": 5}
    # From a second after the seconds that are left out to a second before the end.
    assert steps["1-up-1"]["probe"] == {"servers": ["10.0.0.254"], "lead": 3, "seconds": 8}
    assert "probe" not in made(ENTRY, repeat=1)["hosts"]["pc1"]["steps"][0]


def test_udp_and_small_packets_are_runs_of_their_own():
    whole = made(ENTRY, repeat=1, directions=["down"], udp="10M", packets="true", parallel=4, window="64K")
    runs = {step["id"]: step["runs"][0] for step in whole["hosts"]["pc1"]["steps"] if step["runs"]}
    assert list(runs) == ["1-down-1", "1-down-1-udp", "1-down-1-packets"]
    kept = {key: runs["1-down-1-udp"].get(key) for key in ("protocol", "bitrate", "parallel", "window", "reverse")}
    assert kept == {"protocol": "udp", "bitrate": "10M", "parallel": None, "window": None, "reverse": True}
    assert (runs["1-down-1-packets"]["length"], runs["1-down-1-packets"]["bitrate"]) == (64, "0")
    assert "length" not in runs["1-down-1"]
    assert whole["protocol"] == "udp" and made(ENTRY)["protocol"] == "tcp"


def test_a_result_has_what_probes_datagrams_and_processors_say():
    whole = made(ENTRY, repeat=1, directions=["up"], latency=True, udp="10M", packets=True)
    udp = {"lost_percent": {"up": 2.0}, "jitter_ms": {"up": 0.5}, "packets_per_second": {"up": 1000.0}}
    home = {name: {"steps": {}, "queues": {}, "cpu_seconds": {"1-up-1": 6.0}} for name in whole["hosts"]}
    for index, name in enumerate(("pc1", "pc2", "pc3")):
        tcp = {"bits_per_second": {"up": 1e9}, "tcp_rtt_ms": {"up": 3.0 + index}}
        loaded = [{"sent": 2, "microseconds": [10_000, 20_000 * (index + 1)]}]
        home[name]["steps"] = {
            "1-idle": {"runs": [], "probes": [{"sent": 4, "microseconds": [100, 100, 300]}]},
            "1-up-1": {"runs": [tcp], "probes": loaded, "cpu_seconds": 3.0},
            "1-up-1-udp": {"runs": [{"bits_per_second": {"up": 1e7}, **udp}]},
            "1-up-1-packets": {"runs": [{"bits_per_second": {"up": 1e6}, **udp}]},
        }
    facts = {name: {"nics": {}, "kernel": "", "iperf3": "", "sysctl": {}, "firewall": []} for name in home}
    made_ = result.make(whole, facts, facts, home, {"label": "", "ended": "", "options": {}})
    found = made_["groups"]["router1 and room1"]["figures"]
    medians = {way: {name: one.get("median") for name, one in values.items()} for way, values in found.items()}
    assert medians["idle"]["idle_lost"] == 25.0
    assert (medians["idle"]["idle_median"], medians["idle"]["idle_p99"]) == (0.1, 0.3)
    up = medians["up"]
    assert (up["latency_median"], up["latency_p99"], up["latency_lost"]) == (10.0, 60.0, 0.0)
    assert found["up"]["latency_flows"]["pc2 - router1"]["median"] == 40.0
    assert (up["sum"], up["loss"], up["jitter"], up["packets"], up["tcp_rtt"]) == (3e9, 2.0, 0.5, 3000.0, 4.0)
    # Three gigabits in each of twelve seconds cost the clients three times three seconds, and the server six.
    assert up["cpu_per_gigabit_client"] == pytest.approx(9 / 36)
    assert up["cpu_per_gigabit_server"] == pytest.approx(6 / 36)
    # The samples themselves do not stay.
    assert "microseconds" not in json.dumps(made_)


@pytest.mark.parametrize(("factor", "outcome", "back"), [(0.1, "better", False), (3, "worse", True)])
def test_less_latency_is_better(factor, outcome, back):
    results = [("before", with_latency(1)), ("after", with_latency(factor))]
    found = verdict.decide(results, ["router1"], "latency_p99", 0.02)
    row = found["groups"]["router1 and room1"]["rows"][0]
    assert (row["figure"], row["direction"], row["outcome"]) == ("latency_p99", "up", outcome)
    assert row["change"] == pytest.approx(factor - 1, abs=0.01)
    assert row["between"] == sorted(row["between"])
    assert row["between"][0] <= row["change"] <= row["between"][1]
    assert found["hosts"]["router1"]["roll_back"] is back
    assert "from 100 ms to" in found["groups"]["router1 and room1"]["why"]
    # The same runs say nothing of the latency without load, and of throughput.
    others = {one["figure"]: one["outcome"] for one in found["groups"]["router1 and room1"]["rows"][1:]}
    assert (others["idle_p99"], others["sum"]) == ("undecided", "undecided")


@pytest.mark.parametrize(
    ("figure", "options", "says"),
    [
        ("loss", {}, "prove_figure: loss needs benchmark_udp"),
        ("latency_p99", {}, "prove_figure: latency_p99 needs benchmark_latency"),
        ("tcp_rtt", {"directions": ["down"]}, "tcp_rtt needs the direction up"),
        ("latency_p98", {}, "latency_p98 is none of sum, minimum"),
    ],
)
def test_what_cannot_be_judged_is_said_before_anything_is_changed(figure, options, says):
    with pytest.raises(result.ResultError, match=says):
        verdict.foresee(None, made(ENTRY, **options), figure, 0.02)
    able = made(ENTRY, udp="10M", latency=True)
    verdict.foresee(None, able, figure.replace("98", "99"), 0.02)


def test_latency_under_load_is_named_where_it_is_the_trouble():
    slow, quick = with_latency(1), with_latency(0.005)
    lines = table.lines(slow)
    assert "during up 80.2 ms 100 ms 100 ms 25.0 %" in [" ".join(line.split()) for line in lines]
    trouble = "Latency under load is high: 100 ms instead of 203 µs during up."
    assert any(trouble in line for line in lines)
    assert not any("the trouble" in line for line in table.lines(quick))
    assert trouble in report.write(slow) and "the trouble" not in report.write(quick)
    html = report.write(quick, slow, verdict.decide([("before", slow), ("after", quick)], [], "latency_p99", 0.02))
    assert (
        "during up, 99 % below" in html and "Probes without an answer: 0.00 % without load, 25.0 % during up." in html
    )


def test_work_of_processors_is_what_is_not_idle():
    # proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice
    assert counters.processors("cpu  100 20 30 9999 777 4 6 555 50 0\ncpu0 1 2\n") == pytest.approx(1.6)
    assert counters.processors("") is None
