# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook prove takes changes one by one, keeps what does not harm and tells what helped: made-up hosts."""

from __future__ import annotations

import json
import re
import sys

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

DESIRED = [{"name": "eth0", "mtu": 9000, "ring": {"rx": 4096}}, {"name": "eth0", "pause": {"rx": True}, "alias": "up"}]
INVENTORY = {
    "all": {
        "hosts": {"between": {}, "router": {"tuning_host_sysctl": {"vm.swappiness": 1}}, "pc": {}},
        "vars": {
            "ansible_connection": "cable",
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "tuning_nics": DESIRED,
            "benchmark_groups": [{"name": "room", "server": "router", "clients": "pc"}],
            "benchmark_hosts": "router:pc",
            "benchmark_directions": ["down"],
            "benchmark_duration": 0,
            "benchmark_omit": 0,
        },
    }
}
# In the place of the actions: a large MTU carries twice as much, large rings half, and pause frames do nothing. What is
# asked for is in force until it is taken back, and each call is noted with what is in force then.
STUB = """
OLD = {"mtu": 1500, "ring": {"rx": 256}, "pause": {"rx": False}, "alias": "", "name": "eth0"}

def answer(host, asked, check_mode, _variables):
    path = folder + "/force-" + host
    force = open(path).read().split() if os.path.exists(path) else []
    if view == "tune":
        entry = {key: value for one in asked.get("nics", []) for key, value in one.items() if key != "name"}
        new = sorted([*entry, *asked.get("sysctl", {})])
        before = {"nics": {"eth0": {key: OLD[key] for key in entry}}}
        diff = {"before": before, "after": {"nics": {"eth0": dict(entry)}}}
        if host != "pc":
            [part["nics"]["eth0"].pop("mtu", None) for part in (diff["before"], diff["after"])]
        if check_mode:
            return {"changed": True, "diff": diff}
        if "pause" in new and os.path.exists(folder + "/refuse"):
            return {"failed": True, "msg": "the device is busy"}
        noted(host, "tune", str(asked.get("temporary")), *new)
        with open(path, "w") as file:
            file.write(" ".join(new))
        return {"changed": new != force, "diff": diff}
    if view == "guard":
        if asked["state"] == "reverted":
            noted(host, "reverted")
            open(path, "w").close()
        return {"temporary": []}
    if asked["state"] == "checked":
        return {"kernel": "", "iperf3": "", "sysctl": {}, "nics": {}}
    if asked["state"] == "collected":
        number = noted(host, "measured", *force)
        if os.path.exists(folder + "/broken") and number > 3:
            return {"failed": True, "msg": "the disk is full"}
        rate = 100e6 * (2 if "mtu" in force else 1) * (0.5 if "ring" in force else 1)
        steps = {}
        for place, step in enumerate(asked["steps"]):
            noisy = rate * (1 + 0.01 * ((number * 7 + place * 3) % 10))
            steps[step["id"]] = {"runs": [{"bits_per_second": {"down": noisy}}] if step["runs"] else []}
            if step["probe"]:
                steps[step["id"]]["probes"] = [{"sent": 4, "microseconds": [100]} for _ in step["probe"]["servers"]]
        return {"changed": True, "steps": steps, "queues": {}}
    return {"changed": True, "firewall": [], "unit": ""}

def noted(host, *words):
    with open(folder + "/calls-" + host, "a+") as calls:
        calls.write(" ".join(words) + "\\n")
        calls.seek(0)
        return len(calls.readlines())
"""


def prove(folder, **variables):
    """Run it, and give its end, its output, and the calls of each host."""
    made_up.collection(folder, STUB, ("benchmark", "guard", "tune"))
    (folder / "hosts.json").write_text(json.dumps(INVENTORY))
    words = {"prove_each": True, "benchmark_folder": str(folder / "results"), **variables}
    ended, said = made_up.play(folder, "hosts.json", "linuxnet.tuning.prove", variables=words)
    paths = {path.name.partition("-")[2]: path for path in folder.glob("calls-*")}
    return ended, said, {host: path.read_text().splitlines() for host, path in paths.items()}


def test_each_step_is_kept_or_goes_back_and_the_best_is_told(tmp_path):
    ended, said, calls = prove(tmp_path)
    assert ended == 0, said
    assert "one by one, 3 steps in this order" in said
    assert re.search(r"mtu +pc +sum down +1\d\d Mbit/s +2\d\d Mbit/s .* better, kept", said)
    assert re.search(r"ring +\S.* sum down .* worse, ROLLED BACK", said)
    assert re.search(r"pause +\S.* sum down .* undecided, kept", said)
    assert "mtu helped most: sum down +" in said
    assert "ring: tuning_nics: {name: eth0, ring: {rx: 4096}}" in said, "the line of the inventory is named"
    # The MTU changes on one of three, and what was kept stays while the next is measured. What is obvious needs
    # two blocks, what does nothing four.
    kept, ring, pause = "tune 3600 alias mtu", "tune 3600 alias mtu ring", "tune 3600 alias mtu pause"
    assert calls["pc"] == [
        *("measured", kept, "measured alias mtu"),
        *("measured alias mtu", ring, "measured alias mtu ring", "reverted", kept),
        *("measured alias mtu", pause, "measured alias mtu pause", "measured alias mtu pause"),
        *("reverted", kept, "measured alias mtu", pause, "tune None alias mtu pause"),
    ]
    assert calls["between"] == [ring, "reverted", kept, pause, "reverted", kept, pause, "tune None alias mtu pause"]
    assert calls["router"][-1] == "tune None alias mtu pause vm.swappiness", "what would not change is no step"
    (saved,) = (tmp_path / "results").glob("each-*.json")
    steps = json.loads(saved.read_text())["steps"]
    assert [(step["name"], step["kept"]) for step in steps] == [("mtu", True), ("ring", False), ("pause", True)]
    (page,) = (tmp_path / "results").glob("prove-*.html")
    assert "mtu helped most" in page.read_text()


def test_what_a_host_refuses_is_not_set_and_the_next_is_tried(tmp_path):
    (tmp_path / "refuse").touch()
    nics = [{"name": "eth0", "pause": {"rx": True}}]
    _ended, said, calls = prove(tmp_path, tuning_nics=nics, tuning_hosts="router:pc")
    assert re.search(r"pause +pc, router +refused, not set", said)
    assert "pc: the device is busy" in said
    assert "None of them has proved to help." in said
    assert calls["pc"] == ["measured", "reverted", "tune None"]


def test_all_hosts_are_as_before_when_it_ends_in_the_middle(tmp_path):
    (tmp_path / "broken").touch()
    nics = [{"name": "eth0", "mtu": 9000, "ring": {"rx": 4096}}]
    ended, said, calls = prove(tmp_path, tuning_nics=nics, prove_time=3600)
    assert ended != 0
    assert "It was ended in the middle, and all hosts go back to where they were" in " ".join(said.split())
    assert re.search(r"mtu +\S.* sum down .* better, kept", said), "what was found until then is told"
    assert {host: noted[-1] for host, noted in calls.items()} == dict.fromkeys(calls, "reverted")


def test_what_cannot_be_proved_is_said_before_anything_is_changed(tmp_path):
    ended, said, calls = prove(tmp_path, prove_time=20)
    assert ended != 0
    assert "prove_time: 20 s is too short for mtu, the first of 3 steps" in " ".join(said.split())
    assert not calls
