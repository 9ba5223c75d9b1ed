# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook autotune takes turns, goes back after each and at the end, and says what to write: made-up hosts."""

from __future__ import annotations

import itertools
import json
import sys

import pytest

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

INVENTORY = {
    "all": {
        "hosts": {"router": {"benchmark_address": "10.0.0.1"}, "pc": {"benchmark_address": "10.0.0.2"}},
        "vars": {
            "ansible_connection": "local",
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "benchmark_groups": [{"name": "room", "server": "router", "clients": "pc"}],
            "benchmark_directions": ["down"],
            "benchmark_duration": 0,
            "benchmark_omit": 0,
            "tuning_hosts": "router",
            # The start, one candidate that the host refuses, one that helps, and the proof.
            "autotune_measurements": 5,
            "autotune_only": ["rings", "channels"],
        },
    }
}
# In the place of the actions: large rings give half as much again, and channels are refused.
STUB = """
def answer(host, asked, _check_mode, variables):
    entries = asked.get("nics") if view == "tune" else None
    with open(folder + "/calls", "a") as calls:
        words = [view, asked.get("name") if view == "benchmark" else "", asked.get("state") or ""]
        words = [word for word in words if word] + [key for entry in entries or [] for key in entry]
        calls.write(" ".join(words) + "\\n")
    large = folder + "/large"
    if view == "nic_info":
        nic = {"ring": {"rx": {"value": 256, "maximum": 4096}}, "channels": {"rx": {"value": 1, "maximum": 4}}}
        address = {"nic": "eth0", "address": "10.0.0.1/24", "hardware": ["eth0"]}
        there = "en7*" not in (asked.get("names") or ())
        about = {"addresses": [address], "kernel": {"cpu_count": 4}}
        return {"nics": {"eth0": nic} if there else {}, "host": about, "remarks": []}
    if view == "tune":
        if any("channels" in entry for entry in entries):
            return {"failed": True, "msg": "the device is busy"}
        open(large, "w").close()
        return {"changed": True, "commands": ["ethtool"], "unsupported": []}
    if view == "guard":
        if asked["state"] == "reverted" and os.path.exists(large):
            os.remove(large)
        return {"changed": False, "temporary": []}
    if asked["state"] == "checked" and variables.get("unmeasurable"):
        return {"failed": True, "msg": variables["unmeasurable"]}
    if asked["state"] == "checked" and os.path.exists(large) and host == variables.get("deaf"):
        return {"failed": True, "msg": "the gate cannot be reached"}
    if asked["state"] == "checked":
        return {"kernel": "", "iperf3": "", "sysctl": {}, "nics": {}}
    steps = {}
    rate = 150 if os.path.exists(large) else 100
    for place, step in enumerate(asked["steps"]):
        if step["runs"]:
            steps[step["id"]] = {"runs": [{"bits_per_second": {"down": rate + place % 3}}]}
        if step["probe"]:
            part = steps.setdefault(step["id"], {"runs": []})
            part["probes"] = [{"sent": 4, "microseconds": [100, 110, 120]} for _server in step["probe"]["servers"]]
    return {"changed": True, "steps": steps, "queues": {}, "firewall": [], "unit": ""}
"""


def autotune(folder, *argv, **variables):
    """Run it, and give its end, its output, and the calls."""
    made_up.collection(folder, STUB, ("benchmark", "guard", "nic_info", "tune"))
    (folder / "hosts.json").write_text(json.dumps(INVENTORY))
    words = {"benchmark_folder": str(folder / "results"), **variables}
    ended, said = made_up.play(folder, "hosts.json", "linuxnet.tuning.autotune", *argv, variables=words)
    return ended, said, (folder / "calls").read_text().splitlines()


def test_what_helps_is_proved_and_told_and_the_hosts_end_as_they_began(tmp_path):
    ended, said, calls = autotune(tmp_path)
    assert ended == 0, said
    assert "There is a better setting." in said
    assert "tuning_host_nics:" in said
    assert "router: the device is busy" in said, "what is refused costs no measurement"
    assert not (tmp_path / "large").exists()
    # The start, the rings, and the two turns of the proof: what is obvious needs no third.
    assert calls.count("benchmark router collected") == 4
    assert calls.count("tune name ring") == 2
    ours = [call for call in calls if call.split()[0] in ("tune", "guard")]
    assert ours[0] == "guard status"
    assert ours[-1] == "guard reverted"
    assert all(before == "guard reverted" for before, call in itertools.pairwise(ours) if call[:4] == "tune")
    assert len(list((tmp_path / "results").glob("autotune-*.json"))) == 1


def test_the_plan_changes_and_measures_nothing(tmp_path):
    ended, said, calls = autotune(tmp_path, "--tags", "plan")
    assert ended == 0, said
    assert "3 values of 2 settings, on router" in said
    assert set(calls) == {"nic_info"}


def test_what_cannot_be_measured_is_no_success(tmp_path):
    ended, said, calls = autotune(tmp_path, unmeasurable="iperf3 is missing")
    assert ended == 2, said
    assert "The search ended early, without a verdict." in said
    assert "1 measurement. All hosts are as they were at the start." in said
    last = said.partition("TASK [See that there is a verdict]")[2]
    assert "The search ended early, without a verdict: it could not be measured: " in last
    assert "iperf3 is missing" in last
    assert not [call for call in calls if call.startswith("tune")]


@pytest.mark.parametrize("host", ["router", "pc"])
def test_a_candidate_that_cannot_be_measured_does_harm_and_the_search_goes_on(tmp_path, host):
    # In the proof or after a second such candidate nobody was in the play any more.
    only = {"autotune_only": ["rings"], "autotune_measurements": 7}
    ended, said, calls = autotune(tmp_path, deaf=host, **only)
    assert ended == 0, said
    assert "Nothing that was tried is better than the start." in said
    assert said.count(f"because not all hosts are ready: {host} (the gate cannot be reached)") >= 2
    assert "it is not in the play" not in said
    assert calls.count("tune name ring") == 2


def test_nics_that_no_host_has_are_an_error_and_not_an_empty_plan(tmp_path):
    ended, said, calls = autotune(tmp_path, "--tags", "plan", autotune_nics="en7*")
    assert ended == 2
    assert "autotune_nics is en7*, and no host to be changed has such a NIC" in " ".join(said.split())
    assert set(calls) == {"nic_info"}


def test_an_empty_text_is_the_default(tmp_path):
    empty = ("goal", "only", "nics", "measurements", "time", "runs", "tolerance")
    ended, said, calls = autotune(tmp_path, "--tags", "plan", **{f"autotune_{name}": "" for name in empty})
    assert ended == 0, said
    assert "of 2 settings, on router" in said
    assert set(calls) == {"nic_info"}
