# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook prove decides about each host, also when measuring fails: real playbooks and roles, made-up hosts."""

from __future__ import annotations

import json
import os
import sys

import pytest

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

INVENTORY = {
    "all": {
        "hosts": {"router": {}, "pc": {}, "router2": {}, "pc2": {}},
        "vars": {
            "ansible_connection": "cable",
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "benchmark_groups": [{"name": "room", "server": "router", "clients": "pc"}],
            "benchmark_repeat": 3,
            "benchmark_directions": ["down"],
            "benchmark_duration": 0,
            "benchmark_omit": 0,
        },
    }
}
# In the place of the actions: it notes each call, and does what the test wants. The measured rates are those before
# and after the change, a little different in each run; a call fails that is named as `host state number`.
STUB = """
def answer(host, asked, check_mode, _variables):
    asked = {"state": "present", "temporary": None, **asked}
    with open(folder + "/wanted.json") as file:
        wanted = json.load(file)
    diff = {"after": {"nics": {"eth0": dict.fromkeys(wanted["keys"], 1)}}}
    if check_mode:
        return {"changed": wanted["changes"], "diff": diff}
    said = [asked["name"], asked["state"]] if view == "benchmark" else [view, asked["state"], asked["temporary"]]
    line = " ".join(map(str, said))
    with open(folder + "/calls", "a+") as calls:
        calls.seek(0)
        number = calls.read().split("\\n").count(line) + 1
        calls.write(line + "\\n")
    if line + " " + str(number) in wanted["fail"]:
        return {"failed": True, "msg": "it is broken"}
    if line + " " + str(number) in wanted["cut"]:
        open(folder + "/cut-" + said[0], "w").close()
    if asked["state"] == "status":
        return {"temporary": wanted["temporary"]}
    if asked["state"] == "checked" and view == "guard":
        return {"probes": []}
    if said[-1] == "checked":
        return {"kernel": "", "iperf3": "", "sysctl": {}, "nics": {}, **wanted["told"].get(host, {})}
    if said[-1] == "between":
        return {"routers": [], **wanted["between"].get(host, {})}
    if said[-1] == "started" and view == "benchmark":
        with open(folder + "/sources-" + host, "w") as file:
            json.dump(asked["sources"], file)
    if said[-1] == "collected":
        return {"changed": True, "steps": measured(asked, wanted, number), "queues": {}}
    changed = view != "tune" or wanted["changes"]
    return {"changed": changed, "firewall": [], "unit": "", "diff": diff}

def measured(asked, wanted, number):
    rates = wanted["rates"].get(asked["name"], [0, 0]) if isinstance(wanted["rates"], dict) else wanted["rates"]
    with open(folder + "/calls") as calls:
        past = [call.split() for call in calls]
    tuned = [call[2] == "3600" for call in past if call[:2] in (["guard", "reverted"], ["tune", "present"])]
    rate = rates[bool(tuned and tuned[-1])]
    steps = {}
    for place, step in enumerate(asked["steps"]):
        if step["runs"]:
            noisy = rate * (1 + wanted["noise"] * ((number * 7 + place * 3) % 10))
            steps[step["id"]] = {"runs": [{"bits_per_second": {"down": noisy}}]}
        if step["probe"]:
            part = steps.setdefault(step["id"], {"runs": []})
            times = {"sent": 4, "microseconds": [100 + number, 110, 120]}
            part["probes"] = [times for _server in step["probe"]["servers"]]
    return steps
"""
SLOW, QUICK = ["ring"], ["coalesce"]


def prove(
    folder,
    rates,
    fail=(),
    cut=(),
    temporary=(),
    changes=True,
    keys=(),
    noise=0.001,
    playbook="prove",
    told=None,
    between=None,
    **variables,
):
    """Run it with rates before and after, and give its end, its output, and the calls."""
    made_up.collection(folder, STUB, ("benchmark", "bonding", "guard", "tune", "tuned"))
    behaviour = {"rates": rates, "fail": fail, "cut": cut, "temporary": temporary, "changes": changes}
    behaviour.update(keys=keys or SLOW, noise=noise, told=told or {}, between=between or {})
    (folder / "wanted.json").write_text(json.dumps(behaviour))
    (folder / "hosts.json").write_text(json.dumps(INVENTORY))
    words = {"tuning_hosts": "router:pc", "benchmark_hosts": "router:pc", **variables}
    words = {"benchmark_folder": str(folder / "results"), **words}
    ended, said = made_up.play(folder, "hosts.json", f"linuxnet.tuning.{playbook}", variables=words)
    calls = (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []
    return ended, said, calls


def collected(calls):
    """How many runs were measured in each turn cannot be seen in the calls, but the turns can."""
    return calls.count("router collected")


def test_what_helps_stays_for_good(tmp_path):
    ended, said, calls = prove(tmp_path, [100, 200])
    assert ended == 0, said
    assert "room: better, the change stays on pc, router" in said
    assert [calls.count(f"tune present {seconds}") for seconds in (3600, None)] == [2, 2]
    assert calls.count("guard reverted True") == 0
    assert collected(calls) == 2, "what is obvious needs no third look"


def test_what_harms_goes_back_at_once(tmp_path):
    ended, said, calls = prove(tmp_path, [100, 10])
    assert ended == 0, said
    assert "room: worse, ROLLED BACK on pc, router" in said
    assert calls.count("guard reverted True") == 2
    assert "tune present None" not in calls
    assert collected(calls) == 2


def test_what_does_nothing_is_neither_praised_nor_taken_back(tmp_path):
    ended, said, calls = prove(tmp_path, [100, 100], noise=0.01)
    assert ended == 0, said
    assert "room: undecided, the change stays on pc, router" in said
    assert "ended early" not in said
    assert calls.count("tune present None") == 2
    assert collected(calls) == 4, "two more after, and before once more"


def test_what_is_quick_to_switch_alternates_and_ends_in_the_better_state(tmp_path):
    ended, said, calls = prove(tmp_path, [100, 120], keys=QUICK, noise=0.01)
    assert ended == 0, said
    assert "room: better, the change stays on pc, router" in said
    # A B B A A B B A A B B A A B B, until seven of each are there.
    assert collected(calls) == 8
    turns = [call for call in calls if call in ("router collected", "tune present 3600", "guard reverted True")]
    switches = [call for one, call in zip(["", *turns], turns, strict=False) if call != one]
    assert switches[:6] == ["router collected", "tune present 3600"] * 1 + [
        "router collected",
        "guard reverted True",
    ] + [
        "router collected",
        "tune present 3600",
    ]
    assert calls.count("tune present None") == 2


def test_the_time_that_is_given_ends_it(tmp_path):
    _ended, said, calls = prove(tmp_path, [100, 100], keys=QUICK, noise=0.01, prove_time=0)
    assert "room: undecided, the change stays on pc, router" in said
    assert "; the proof ended early: the time for it was over; give it more with prove_time" in said
    assert collected(calls) == 2


@pytest.mark.parametrize(
    ("about", "fail"),
    [("a client cannot start", "pc started 2"), ("it can be measured once only", "pc collected 3")],
)
def test_all_go_back_where_measuring_fails_after_the_change(tmp_path, about, fail):
    _ended, said, calls = prove(tmp_path, [100, 100], [fail], noise=0.01)
    assert "ROLLED BACK on pc, router" in said, about
    assert calls.count("guard reverted True") == 2
    assert "tune present None" not in calls
    assert "measuring was impossible after the change" in said
    assert "pc absent" in calls, "what still runs has to be ended"


def test_trouble_before_the_change_is_no_harm(tmp_path):
    _ended, said, calls = prove(tmp_path, [100, 100], ["pc started 4"], noise=0.01)
    assert "room: undecided, the change stays on pc, router" in said
    reason = "The measurement was ended, because not all hosts have started: pc (it is broken)"
    assert f"the proof ended early: {reason}" in said
    assert calls.count("tune present None") == 2


def test_a_host_that_is_lost_does_not_keep_the_others_from_going_back(tmp_path):
    _ended, said, calls = prove(tmp_path, [100, 100], cut=["pc checked 2"])
    assert "ROLLED BACK on pc, router" in said
    assert "could not be reached, and revert when their time is over: pc" in said
    assert "was ended, because not all hosts have started: pc (" in said
    assert calls.count("guard reverted True") == 1
    assert calls.count("router absent") == 1, "what still runs has to be ended"


def test_the_entries_that_stay_are_kept_for_good_beside_one_that_fails(tmp_path):
    entries = [{"server": "router", "clients": "pc"}, {"server": "router2", "clients": "pc2"}]
    everybody = {"tuning_hosts": "all", "benchmark_hosts": "all"}
    rates = {"pc": [100, 10], "pc2": [100, 200]}
    fail = ["guard reverted True 1"]
    _ended, said, calls = prove(tmp_path, rates, fail, benchmark_groups=entries, **everybody)
    assert "router and pc: worse, ROLLED BACK on pc, router" in said
    assert "router2 and pc2: better, the change stays on pc2, router2" in said
    assert calls.count("tune present None") == 2


def test_files_are_written_also_where_the_values_were_there(tmp_path):
    _ended, said, calls = prove(tmp_path, [100, 100], changes=False)
    assert "room: nothing was changed" in said
    assert calls.count("tune present None") == 2


def test_changes_that_an_earlier_run_has_left_are_refused(tmp_path):
    ended, said, calls = prove(tmp_path, [100, 100], temporary=[{"at": "2026-05-04 08:00:00 UTC"}])
    assert ended != 0
    assert "changes of 2026-05-04 08:00:00 UTC that end by themselves" in " ".join(said.split())
    assert set(calls) == {"guard status False"} or set(calls) == {"guard status None"}


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"prove_figure": "median"}, "prove_figure: 'median' is not valid; write one of sum"),
        ({"prove_alternate": "maybe"}, "prove_alternate: 'maybe' is not valid; write one of auto, true, false"),
        ({"prove_tolerance": "5 %"}, "prove_tolerance: '5 %' is not valid; write a share from 0 to 1"),
        ({"prove_seconds": 200}, "The change would end before it is proved"),
    ],
)
def test_what_cannot_be_proved_is_said_before_anything_is_changed(tmp_path, variables, says):
    ended, said, calls = prove(tmp_path, [100], **variables)
    assert ended != 0
    assert says in " ".join(said.split())
    assert not any(call.startswith("tune") for call in calls)


def test_an_empty_text_is_the_default(tmp_path):
    empty = ("before", "after", "figure", "alternate", "tolerance", "time", "seconds", "each")
    ended, said, calls = prove(tmp_path, [100, 100], changes=False, **{f"prove_{name}": "" for name in empty})
    assert ended == 0, said
    assert "room: nothing was changed" in said
    assert calls.count("tune present None") == 2


def test_a_saved_result_is_a_beginning_too(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    prove(tmp_path / "one", [100], playbook="benchmark", benchmark_repeat=7)
    saved = next((tmp_path / "one/results").glob("measured-2*.json"))
    ended, said, calls = prove(tmp_path / "two", [10, 10], prove_before=os.path.relpath(saved, tmp_path / "two"))
    assert ended == 0, said
    assert "room: worse, ROLLED BACK on pc, router" in said
    assert collected(calls) == 1


# A room and a server in two networks, and the hosts of the play that are the routers in between, or are none.
ROUTED = {
    "router": {"routers": {"10.0.0.1": ["10.0.1.254"]}, "sources": {"10.0.0.1": ["10.0.1.1"]}},
    "pc": {"routers": {"10.0.1.1": ["10.0.0.254"]}, "sources": {"10.0.1.1": ["10.0.0.1", "fd00::1"]}},
}


def routed(folder, fail=(), obstacles=()):
    at = {"router": "10.0.1.1", "pc": "10.0.0.1", "router2": "r2", "pc2": "p2"}
    doubt = "iptables drops what no rule of it accepts"
    between = {"router2": {"routers": ["10.0.0.254"], "obstacles": list(obstacles), "doubts": [doubt]}}
    everybody = {"benchmark_hosts": "all", "benchmark_sources": ["192.0.2.0/24"], "at": at}
    address = {"benchmark_address": "{{ at[inventory_hostname] }}"}
    return prove(folder, [100, 100], fail, playbook="benchmark", told=ROUTED, between=between, **everybody, **address)


def test_firewalls_let_in_those_who_come_and_routers_are_asked_who_take_no_part(tmp_path):
    ended, _said, calls = routed(tmp_path, ["pc collected 1"])
    assert ended != 0
    assert json.loads((tmp_path / "sources-router").read_text()) == ["10.0.0.1", "fd00::1", "192.0.2.0/24"]
    assert json.loads((tmp_path / "sources-pc").read_text()) == ["192.0.2.0/24"]
    assert {f"{host} between" for host in ("router", "pc", "router2", "pc2")} <= set(calls)


def test_nothing_is_started_where_a_router_would_drop_it(tmp_path):
    ended, said, calls = routed(tmp_path, obstacles=["it does not forward IPv4"])
    assert ended != 0
    assert "router2 (10.0.0.254), the router of pc: it does not forward IPv4" in " ".join(said.split())
    assert not any("started" in call for call in calls)
