# SPDX-License-Identifier: GPL-3.0-or-later
"""What others send through the links of a measurement is noticed, and what the measurement sends itself is not."""

from __future__ import annotations

import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring.record import Record
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import foreign as host_side
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import moved
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import foreign, report, result, table, verdict
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, made, measured
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Files, connect

SECONDS, MSS = 9.0, 1448
# What `ss -tin` printed of a stream that sends and of one that receives (iproute2 6.1 on Linux 6.18), shortened.
SENDS = (
    "0      1086000 10.0.0.1:39928 10.0.0.2:5202\n\t bbr wscale:10,10 rto:208 rtt:4.934/0.833 mss:1448 pmtu:1500 "
    "rcvmss:536 advmss:1448 cwnd:30 {sent}bytes_retrans:1699952 bytes_acked:17823470 segs_out:15970 segs_in:4891 "
    "data_segs_out:15968 busy:2976ms unacked:24 retrans:0/1174 notsent:1051248 minrtt:0.007 snd_wnd:6659072\n"
)
RECEIVES = (
    "0      0      [::ffff:10.0.0.2]:5202 [::ffff:10.0.0.1]:39928\n\t cubic rto:200 rtt:0.05/0.02 mss:1448 rcvmss:1448 "
    "advmss:1448 cwnd:10 bytes_received:17823470 segs_out:4891 segs_in:12400 data_segs_in:12398 lastsnd:2992\n"
)


def test_accounts_have_what_was_sent_again_and_what_came_out_of_order():
    assert host_side.accounts(SENDS.format(sent="bytes_sent:23120253 ")) == {
        "10.0.0.2": {"connections": 1, "sent": 23120253, "received": 0, "segments_out": 15970, "segments_in": 4891}
    }
    # Linux before 4.19 does not tell what it has sent: what has arrived, is on the way, and was sent again.
    assert host_side.accounts(SENDS.format(sent=""))["10.0.0.2"]["sent"] == 17823470 + (24 + 1174) * MSS
    received = host_side.accounts(RECEIVES)
    assert [*received] == ["10.0.0.1"]
    assert received["10.0.0.1"]["received"] == 12398 * MSS
    # What does not tell its segments must not pass for the load of others.
    assert host_side.accounts(RECEIVES + SENDS.replace("segs_", "packets_")) == {}
    assert host_side.accounts("") == {}


def test_a_nic_that_joins_packets_itself_hands_over_fewer_than_have_come():
    joined = RECEIVES.replace("segs_in:12400 data_segs_in:12398", "segs_in:300 data_segs_in:298")
    assert host_side.accounts(joined)["10.0.0.1"]["segments_in"] == 17823470 // MSS


def test_the_link_of_a_vlan_is_what_it_stands_on():
    root = "/sys/class/net"
    files = Files(
        {
            f"{root}/eth0.7/uevent": "DEVTYPE=vlan\nINTERFACE=eth0.7\n",
            f"{root}/eth0.7/lower_eth0/uevent": "",
            f"{root}/eth0/uevent": "INTERFACE=eth0\n",
            f"{root}/bond0/uevent": "DEVTYPE=bond\n",
            f"{root}/bond0/lower_eth1/uevent": "",
        }
    )
    host = connect(files, None, True)
    assert host_side.links(host, ["eth0.7", "eth0", "bond0"]) == {"eth0.7": "eth0", "eth0": "eth0", "bond0": "bond0"}


KERNEL, QDISC = moved.kernel("eth0"), moved.qdisc("eth0")
TBF = "qdisc tbf 8001: {place} rate 1Mbit\n Sent 9 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)\n backlog {size} 2p"


def counted(received, sent=0):
    path = "/sys/class/net/eth0/statistics"
    return f"{path}/rx_bytes:{received}\n{path}/tx_bytes:{sent}\n"


def told(before, meanwhile, waiting=""):
    """What a host tells whose counters were read at 100 and at 104 seconds."""
    texts = {KERNEL: before, QDISC: waiting}, {KERNEL: meanwhile}
    return host_side.load({"eth0": "eth0"}, *texts, RECEIVES, ({KERNEL: 100.0}, {KERNEL: 104.0}))


def test_a_host_tells_what_passed_between_two_readings_of_a_counter():
    leaves = [TBF.format(place=f"parent 100:{number}", size=size) for number, size in ((1, "60Kb"), (2, "9018b"))]
    found = told(counted(1000, 50), counted(5000, 90), "\n".join(["qdisc mq 100: root", *leaves]))
    assert found["passed"] == {"eth0": {"rx_bytes": 4000, "tx_bytes": 40, "seconds": 4.0, "waiting": 60 * 1024 + 9018}}
    # The root has counted what stands below it.
    root = TBF.format(place="root", size="70458b").replace("tbf", "mq")
    assert told(counted(0), counted(1), "\n".join([root, *leaves]))["passed"]["eth0"]["waiting"] == 70458
    # All that has passed since the boot is no load of this run.
    assert told("", counted(10**12, 10**12)) == {} == told(counted(2), "") == told(counted(2), counted(1))


def test_streams_that_are_seen_after_a_step_are_those_of_the_next_one():
    files = case_files.read(case_files.FOLDER / "modules/benchmark/moved.yml")["files"]
    folder = "/run/linuxnet-tuning/benchmark-pc1"
    sample = json.loads(files[f"{folder}/sample-1-up-1.json"])
    ended = json.loads(files[f"{folder}/step-1-up-1.json"])["after"][0]["at"]

    def seen(at):
        sample["answers"][1]["at"] = at
        host = connect(Files({**files, f"{folder}/sample-1-up-1.json": json.dumps(sample)}), None, True)
        return Record(host, folder).moved("1-up-1")

    assert seen(ended)["load"] and seen(ended)["streams"]
    late = seen(ended + 0.1)
    assert "load" not in late and late["streams"] == [] and late["qdiscs"]


def load(ours, passed, peer="10.0.0.1", nic="eth0", waiting=0):
    """What the server tells: payload of one stream that it received, and bits per second that its NIC counted."""
    payload = int(ours * SECONDS / 8)
    segments = payload // MSS
    account = {"sent": 0, "received": payload, "segments_out": segments // 2, "segments_in": segments}
    row = {"rx_bytes": int(passed * SECONDS / 8), "tx_bytes": segments // 2 * 66, "seconds": SECONDS}
    # With the one on which both ends talk about the run.
    accounts = {peer: {"connections": 2, **account}}
    passed_by = {nic: {**row, "waiting": waiting}}
    return {"links": {"eth0": "eth0", "eth1": "eth1"}, "passed": passed_by, "accounts": accounts}


def find(of_server, options=None, ways=None, kind="all", direction="up", of_client=None):
    step = {"id": "1", "kind": kind, "direction": direction, "flows": [{"client": "pc1", "server": "hub"}]}
    collected = {"hub": {"moved": {"1": {"load": of_server}}}, "pc1": {"moved": {"1": {"load": of_client}}}}
    checked = {"hub": {"ways": ways or {"10.0.0.1": "eth0"}}}
    return foreign.find(step, collected, {"protocol": "tcp", "latency": True, **(options or {})}, checked)


# Headers of a segment with time stamps, and with a VLAN tag and the checksum of the frame, which some NICs count.
HEADERS = [66 / MSS, 74 / MSS]


@pytest.mark.parametrize("rate", [1e6, 1e8, 9.4e8, 2.5e10])
@pytest.mark.parametrize("headers", [0.0, *HEADERS])
def test_the_measurement_itself_is_no_foreign_load(rate, headers):
    assert find(load(rate, rate * (1 + headers) + 45_000)) == []


@pytest.mark.parametrize(
    ("ours", "others", "noticed"),
    [(9e8, 3e7, False), (8e8, 1e8, True), (1e7, 9e8, True), (1e6, 9e5, False), (1e6, 1.2e6, True)],
)
def test_what_is_left_has_to_matter(ours, others, noticed):
    rows = find(load(ours, ours * (1 + HEADERS[0]) + others))
    assert [(row["host"], row["nic"], row["direction"]) for row in rows] == [("hub", "eth0", "rx")] * noticed
    # As much at least, and not far from it.
    assert all(others * 0.9 - 1e5 - ours * 0.01 <= row["bits_per_second"] <= others for row in rows)


def test_nothing_is_said_where_nobody_can_know():
    busy = load(1e8, 9e8)
    assert find(busy)
    assert find(busy, {"protocol": "udp"}) == []
    assert find(busy, kind="single") == []
    assert find({**busy, "accounts": {}}) == []
    assert find({}) == []


def test_a_stream_that_has_ended_before_its_account_was_read_is_no_foreign_load():
    late = load(1e4, 1e7)
    assert find(late)
    # Only the connection for the talk is left of a pair, or one stream of several.
    late["accounts"]["10.0.0.1"]["connections"] = 1
    assert find(late) == []
    late["accounts"]["10.0.0.1"]["connections"] = 4
    assert find(late, {"parallel": 3}) and find(late, {"parallel": 4}) == []
    assert find(late, direction="both") and find(late, {"parallel": 2}, direction="both") == []


def test_what_an_earlier_step_has_left_in_queues_is_no_foreign_load():
    left = 2e6
    assert find(load(1e7, 1.2e7))
    assert find(load(1e7, 1.2e7), of_client=load(1e7, 1e7, waiting=int(left * SECONDS / 8))) == []
    # It does not hide more than it is, and what waits to be sent does not come back.
    (row,) = find(load(1e7, 1.8e7), of_client=load(1e7, 1e7, waiting=9999))
    assert row["bits_per_second"] > 5e6
    assert find(load(1e7, 1.2e7, waiting=int(left * SECONDS / 8)))
    sends = load(1e7, 1e7)
    sends["passed"]["eth0"]["tx_bytes"] += int(left * SECONDS / 8)
    assert [row["direction"] for row in find(sends)] == ["tx"]
    sends["passed"]["eth0"]["waiting"] = int(left * SECONDS / 8)
    assert find(sends) == []


def test_what_comes_back_by_another_nic_is_ours_still():
    account = load(1e8, 0)["accounts"]
    bare = {"rx_bytes": 0, "tx_bytes": 0, "seconds": SECONDS, "waiting": 0}
    passed = {"eth0": bare, "eth1": {**bare, "rx_bytes": int(1.05e8 * SECONDS / 8)}}
    two = {"links": {"eth0": "eth0", "eth1": "eth1"}, "passed": passed, "accounts": account}
    assert find(two) == []
    # A peer whose address nobody has named may be reached by either.
    assert find({**two, "accounts": {"10.0.5.5": account["10.0.0.1"]}}) == []
    passed["eth0"]["rx_bytes"] = int(8e8 * SECONDS / 8)
    (row,) = find(two)
    assert (row["nic"], round(row["bits_per_second"], -7)) == ("eth0", 6.9e8)


def with_load(rows, loaded):
    """A result in which the runs of these numbers have a load of others."""
    whole = measured(rows)
    for number in loaded:
        whole["runs"][number]["foreign"] = [
            {"host": "router1", "nic": "eth0", "direction": "rx", "bits_per_second": 2e7 * (number + 1)}
        ]
    return result.merge([whole])


def test_table_and_page_tell_of_it():
    loaded = with_load(BEFORE, [0, 1, 2])
    (group,) = loaded["groups"].values()
    assert group["foreign"] == [
        {"host": "router1", "nic": "eth0", "direction": "rx", "runs": 3, "of": 7, "bits_per_second": 4e7, "most": 6e7}
    ]
    said = (
        "eth0 of router1 received 40.0 Mbit/s that no stream of the measurement explains, in 3 of 7 runs, "
        "60.0 Mbit/s at most"
    )
    assert f"  {said}" in table.lines(loaded)
    assert said in report.write({**loaded, "options": {**loaded["options"]}})
    # Runs that are merged with others are counted anew.
    assert "foreign" not in next(iter(with_load(BEFORE, [])["groups"].values()))
    twice = {**loaded, "groups": {**loaded["groups"], "other": next(iter(loaded["groups"].values()))}}
    assert any("another entry that is measured at the same time" in line for line in table.lines(twice))


def test_a_proof_tells_of_it_on_either_side():
    results = [("before", with_load(BEFORE, [])), ("after", with_load(BEFORE, [4, 5]))]
    found = verdict.decide(results, ["router1"], "sum", 0.02)
    said = (
        "eth0 of router1 received up to 120 Mbit/s beside the measurement, "
        "in 0 of 7 runs before and in 2 of 7 runs after"
    )
    assert f"  other traffic: {said}" in table.verdict(found)
    written = report.write(results[1][1], results[0][1], found)
    # The badge in front of it says what it is.
    assert said in written and f"other traffic: {said}" not in written
    quiet = [(side, with_load(BEFORE, [])) for side in ("before", "after")]
    assert not any("other traffic" in line for line in table.verdict(verdict.decide(quiet, ["router1"], "sum", 0.02)))


def test_a_result_has_it_with_each_run_and_not_what_it_was_worked_out_of():
    whole = made([{"server": "router1", "clients": ["pc1"]}], repeat=1, directions=["up"], latency=True)
    part = {"runs": [{"bits_per_second": {"up": 1e8}}], "began": 1.0, "queues": {}}
    told = {"moved": {"1-up-1": {"seconds": SECONDS, "load": load(1e8, 5e8), "streams": [], "softnet": {"dropped": 1}}}}
    home = {
        "pc1": {"steps": {"1-idle": {"runs": []}, "1-up-1": part}, "queues": {}},
        "router1": {"steps": {}, "queues": {}, **told},
    }
    facts = {"kernel": "", "iperf3": "", "sysctl": {}, "nics": {}, "ways": {"10.0.0.1": "eth0"}}
    about = {"label": "x", "ended": "", "options": whole["options"]}
    found = result.make(whole, dict.fromkeys(home, facts), {name: {"firewall": []} for name in home}, home, about)
    (run,) = (run for run in found["runs"] if run["kind"] == "all")
    assert [row["host"] for row in run["foreign"]] == ["router1"]
    assert run["moved"] == {"router1": {"seconds": SECONDS, "softnet": {"dropped": 1}}}
