# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook site on fleets of made-up hosts: who is touched, who goes back, and what is said; the roles are real."""

from __future__ import annotations

import json
import sys

from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.pause import pause
from ansible_collections.linuxnet.tuning.tests.playbooks import made_up

# In the place of the actions: it notes who was asked for what, and answers as the host's variables say.
STUB = """
def answer(host, asked, _check_mode, variables):
    with open(folder + "/calls", "a") as calls:
        calls.write(json.dumps([host, view, asked]) + "\\n")
    answers = variables.get("answers", {})
    usual = {"changed": view != "guard", **({"probes": []} if asked.get("state") == "checked" else {})}
    given = answers.get(view if view != "guard" else asked["state"], {})
    return given if "failed" in given else {**usual, **given}
"""


def site(folder, hosts, *argv, **variables):
    """Run it: its end, what it said in one line, and what each host was asked for, in order."""
    if not (folder / "cable").exists():
        made_up.collection(folder, STUB, ("bonding", "guard", "tune", "tuned"))
    shared = {"ansible_connection": "local", "ansible_become": False, "ansible_python_interpreter": sys.executable}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
    (folder / "calls").write_text("")
    summed = {"ANSIBLE_CALLBACKS_ENABLED": "linuxnet.tuning.summary"}
    ended, said = made_up.play(folder, "hosts.json", "linuxnet.tuning.site", *argv, variables=variables, **summed)
    calls = [json.loads(line) for line in (folder / "calls").read_text().splitlines()]
    return ended, " ".join(said.split()), calls


def hosts_of(calls, view, state=None):
    return [host for host, name, args in calls if name == view and state in (None, args.get("state"))]


def test_a_poisoned_model_costs_one_batch_and_that_goes_back(tmp_path):
    """50 hosts, of which each fifth is of a model on which the change does harm; the second one is the first."""
    bad = {"probe": "ping gateway", "well": False, "figure": "no answer to a ping within 3 s"}
    poisoned = {"checked": {"probes": [bad]}}
    names = [f"pc{number:02}" for number in range(50)]
    hosts = {name: {"answers": poisoned if index % 5 == 1 else {}} for index, name in enumerate(names)}
    hosts["pc03"]["answers"] = {"tune": {"unreachable": True, "msg": "No route to host"}}
    hosts["pc04"]["answers"] = {"tune": {"changed": False}}
    ended, said, calls = site(tmp_path, hosts, tuning_probes=["gateway"])
    assert ended != 0
    # The first host, and a quarter.
    assert sorted(hosts_of(calls, "tune")) == names[:13]
    assert hosts_of(calls, "guard", "confirmed") == ["pc00"]
    assert sorted(hosts_of(calls, "guard", "reverted")) == [n for n in names[1:13] if n not in ("pc03", "pc04")]
    assert next(args["probes"] for _host, view, args in calls if view == "guard") == ["gateway"]
    reason = "probe `ping gateway`: no answer to a ping within 3 s"
    sentence = (
        f"pc01, pc06, pc11 are not well after the change: {reason}. The whole batch was rolled back (10 hosts). "
        "37 hosts were not touched."
    )
    # The last line, below a summary in which what went back does not count as changed, nor a verdict as a failure.
    summary = said.partition("SUMMARY")[2].strip(" *")
    assert summary == (
        "failed 3 pc01, pc06, pc11 unreachable 1 pc03 rolled back 7 pc02, pc05, pc07, pc08, pc09, pc10, pc12 "
        f"changed 1 pc00 unchanged 1 pc04 {sentence}"
    )
    assert (tmp_path / "site.off").read_text() == "pc03\n"


def test_a_sick_first_host_says_how_many_were_not_touched(tmp_path):
    """No host of its batch is left on which Ansible would run the task that says so."""
    bad = {"checked": {"probes": [{"probe": "p", "well": False, "figure": "7"}]}}
    ended, said, calls = site(tmp_path, {"pc1": {"answers": bad}, "pc2": {}, "pc3": {}})
    assert (ended, hosts_of(calls, "tune"), hosts_of(calls, "guard", "reverted")) == (2, ["pc1"], ["pc1"])
    assert said.endswith(
        "failed 1 pc1 pc1: This host is not well after the change: probe `p`: 7. The change was rolled back. "
        "2 hosts were not touched."
    )


def test_a_batch_in_which_every_host_fails_says_how_many_were_not_touched(tmp_path):
    """Ansible runs nothing after the call then. Who was off before, and fails now, is not off any more."""
    wrong = {"failed": True, "msg": "igb0: there is no such NIC."}
    bonds = {"tuning_bonds": [{"name": "bond0", "members": ["igb0"]}]}
    (tmp_path / "site.off").write_text("pc1\npc9\n")
    hosts = {"pc1": {"answers": {"tune": wrong}}, "pc2": {}, "pc3": {}}
    ended, said, calls = site(tmp_path, hosts, tuning_max_fail_percentage=100)
    assert (ended, hosts_of(calls, "tune"), hosts_of(calls, "guard")) == (2, ["pc1"], [])
    assert said.endswith("failed 1 pc1 pc1 failed: igb0: there is no such NIC. 2 hosts were not touched.")
    assert (tmp_path / "site.off").read_text() == "pc9\n"
    hosts = {name: {**bonds, "answers": {"bonding": wrong}} for name in ("pc1", "pc2", "pc3")}
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[2, 1])
    assert (ended, sorted(hosts_of(calls, "bonding")), hosts_of(calls, "tune")) == (2, ["pc1", "pc2"], [])
    assert said.endswith("failed 2 pc1, pc2 pc1, pc2 failed: igb0: there is no such NIC. 1 host was not touched.")


def test_errors_that_grow_after_the_change_stop_the_run(tmp_path):
    """Errors that were there before do not, however many they are."""
    before = {"igb0": {"rx_packets": 1_000_000, "rx_errors": 90_000, "tx_packets": 1_000_000, "tx_dropped": 3}}
    quiet = {"igb0": {"rx_packets": 1_009_000, "rx_errors": 90_800, "tx_packets": 1_009_000, "tx_dropped": 90}}
    dropping = {"igb0": {**quiet["igb0"], "tx_dropped": 503}}
    hosts = {
        name: {"answers": {"tune": {"counters": before}, "checked": {"counters": after}}}
        for name, after in {"pc1": quiet, "pc2": dropping, "pc3": quiet, "pc4": quiet}.items()
    }
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[1, 2, 1])
    assert (ended, sorted(hosts_of(calls, "tune"))) == (2, ["pc1", "pc2", "pc3"])
    assert hosts_of(calls, "guard", "confirmed") == ["pc1"]
    assert sorted(hosts_of(calls, "guard", "reverted")) == ["pc2", "pc3"]
    assert (
        "pc2 is not well after the change: tx_dropped of igb0 grew by 500 since the change, 5.56 % of its packets; "
        "before it was 0.0003 %. The whole batch was rolled back (2 hosts). 1 host was not touched."
    ) in said
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[1, 2, 1], tuning_max_errors=1000)
    assert (ended, len(hosts_of(calls, "guard", "confirmed"))) == (0, 4), said


def test_who_is_off_is_kept_for_later_and_keeps_nobody_from_being_tuned(tmp_path):
    off = {"tune": {"unreachable": True, "msg": "No route to host"}}
    hosts = {"pc1": {"answers": off}, "pc2": {}, "pc3": {"answers": off}}
    ended, said, calls = site(tmp_path, hosts)
    assert ended == 4, said
    assert hosts_of(calls, "guard", "confirmed") == ["pc2"]
    assert (tmp_path / "site.off").read_text() == "pc1\npc3\n"
    ended, said, calls = site(tmp_path, {key: {} for key in hosts}, "--limit", "@site.off", tuning_batches="100%")
    assert ended == 0, said
    assert sorted(hosts_of(calls, "tune")) == ["pc1", "pc3"]
    assert not (tmp_path / "site.off").exists()


def test_tags_are_about_a_part_and_a_check_is_about_all(tmp_path):
    bonds = [{"name": "bond0", "members": ["igb0"]}]
    every = {"tuning_nics": [{"name": "igb0", "mtu": 9000}], "tuning_sysctl": {"net.core.somaxconn": 8192}}
    missing = {"tune": {"failed": True, "msg": "igb0: there is no such NIC"}}
    hosts = {"pc1": {**every, "answers": missing}, "pc2": {**every, "tuning_bonds": bonds}, "pc3": every}
    ended, said, calls = site(tmp_path, hosts, "--check", "--diff")
    assert ended == 2, said
    assert (sorted(hosts_of(calls, "tune")), hosts_of(calls, "guard")) == (["pc1", "pc2", "pc3"], [])
    hosts["pc1"]["answers"], hosts["pc2"]["answers"] = {}, {"tune": {"unreachable": True, "msg": "No route to host"}}
    ended, said, calls = site(tmp_path, hosts, "--check")
    # As without --check, but for the list.
    assert ended == 4, said
    assert "unreachable 1 pc2 changed 2 pc1, pc3" in said.partition("SUMMARY")[2], said
    assert not (tmp_path / "site.off").exists()
    assert "This host was off" in said
    assert "@" not in said
    hosts["pc2"]["answers"] = {}
    for tag in ("sysctl", "nics", "bonds"):
        ended, said, calls = site(tmp_path, hosts, "--tags", tag)
        assert ended == 0, said
        given = [args for _host, view, args in calls if view == "tune"]
        if tag == "bonds":
            assert (hosts_of(calls, "bonding"), given) == (["pc2"], [])
            assert hosts_of(calls, "guard", "confirmed") == ["pc2"]
        else:
            assert [sorted({"nics", "sysctl"} & set(args)) for args in given] == [[tag]] * 3
            assert len(hosts_of(calls, "guard", "confirmed")) == 3


def test_a_check_that_fails_is_no_check(tmp_path):
    """A probe that nobody understands must not let a batch pass that nobody has looked at."""
    broken = {"checked": {"failed": True, "msg": "tuning_probes: ['two words'] is no probe."}}
    hosts = {"pc1": {"answers": broken}, "pc2": {}}
    ended, said, calls = site(tmp_path, hosts)
    assert ended != 0
    assert hosts_of(calls, "guard", "confirmed") == []
    assert hosts_of(calls, "guard", "reverted") == ["pc1"]
    assert "is not well after the change: it cannot be checked: tuning_probes: ['two words'] is no probe" in said
    assert hosts_of(calls, "tune") == ["pc1"]


def test_what_the_check_could_not_read_is_told_before_anything_is_changed(tmp_path):
    wrong = [
        ({"tuning_probes": ["two words"]}, {}, "tuning_probes: 'two words' is no probe; write a list"),
        (
            {"tuning_probe_patience": "long"},
            {},
            "tuning_probe_patience: 'long' is not valid; write a number of seconds",
        ),
        ({}, {"tuning_max_errors": "x"}, "tuning_max_errors: 'x' is not valid; write a whole number"),
        (
            {},
            {"tuning_max_fail_percentage": "ten"},
            "tuning_max_fail_percentage: 'ten' is not valid; write a percentage",
        ),
    ]
    for own, shared, says in wrong:
        ended, said, calls = site(tmp_path, {"pc1": own, "pc2": {}}, **shared)
        assert (ended, calls) == (2, [])
        assert says in said


def test_a_host_that_is_lost_in_the_middle_is_not_off(tmp_path):
    cut = {"tune": {"unreachable": True, "cut": True, "msg": "the connection was lost in the middle of the call"}}
    hosts = {"pc1": {}, "pc2": {"answers": cut}, "pc3": {}, "pc4": {}}
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[1, 2, 1])
    assert ended != 0
    assert sorted(hosts_of(calls, "tune")) == ["pc1", "pc2", "pc3"]
    assert hosts_of(calls, "guard", "reverted") == ["pc3"]
    assert "pc2 is not well after the change: the connection was lost in the middle of the call. The whole" in said
    assert "pc2 cannot be reached, and will revert when the guard's time is over. 1 host was not touched." in said
    assert not (tmp_path / "site.off").exists()


def test_a_sick_batch_ends_the_run_whoever_was_lost_before(tmp_path):
    """Ansible counts who fails in a batch; who had failed in an earlier play is in the batch, and does not count."""
    bonds = {"tuning_bonds": [{"name": "bond0", "members": ["igb0"]}]}
    bad = {"checked": {"probes": [{"probe": "p", "well": False, "figure": "7"}]}}
    failing = {**bonds, "answers": {"bonding": {"failed": True, "msg": "igb0: there is no such NIC"}}}
    other = {**bonds, "answers": {"bonding": {"changed": False}}}
    hosts = {"pc1": failing, "pc2": {"answers": bad}, "pc3": other, "pc4": {}}
    limits = {"tuning_batches": [2], "tuning_max_fail_percentage": 50}
    ended, said, calls = site(tmp_path, hosts, **limits)
    assert ended == 2
    assert hosts_of(calls, "tune") == ["pc2"]
    assert "The run ends here, because the hosts before were not well. 2 hosts were not touched." in said
    hosts["pc2"] = {"answers": {"tune": {"failed": True, "msg": "igb0: there is no such NIC"}}}
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[2], tuning_max_fail_percentage=49)
    assert (ended, hosts_of(calls, "tune")) == (2, [])


def test_who_is_off_when_bonds_are_made_is_kept_for_later(tmp_path):
    bonds = {"tuning_bonds": [{"name": "bond0", "members": ["igb0"]}]}
    off = {"unreachable": True, "msg": "No route to host"}
    hosts = {"pc1": {**bonds, "answers": {"bonding": off, "tune": off}}, "pc2": bonds}
    ended, said, calls = site(tmp_path, hosts)
    assert ended == 4, said
    assert (tmp_path / "site.off").read_text() == "pc1\n"
    assert [args["hold"] for _host, view, args in calls if view == "bonding"] == [True, True]
    assert hosts_of(calls, "tune") == ["pc1", "pc2"]


def test_a_switch_that_refuses_flow_control_stops_no_run_and_is_told_of_once(tmp_path):
    """What each host answers is what the module says behind such a switch (tests/unit/test_pause.py)."""
    sentence = pause.partners["refuses"]
    told = {"remarks": [sentence], "warnings": [sentence], "negotiated": [{"nic": "enp1s0f0", "partner": "refuses"}]}
    hosts = {f"router{number}": {"answers": {"tune": told}} for number in range(1, 6)}
    hosts["files1"] = {}
    ended, said, calls = site(tmp_path, hosts, tuning_profile="router")
    assert ended == 0, said
    assert sorted(hosts_of(calls, "guard", "confirmed")) == sorted(hosts)
    summary = said.partition("SUMMARY")[2]
    assert f"5 hosts: {sentence}. (router1, router2, router3, router4, router5)" in summary
    assert said.count("It is the switch") == 2, "a warning, and the line of the summary"


def test_a_host_with_a_profile_of_tuned_alone_is_looked_at(tmp_path):
    """Ansible's handlers take over the condition of the role that comes last, and this host has no bonds."""
    usual = {"tuning_tuned_profile": "throughput-performance"}
    hosts = {"pc1": usual, "pc2": {**usual, "answers": {"tune": {"changed": False}}}}
    ended, said, calls = site(tmp_path, hosts)
    assert ended == 0, said
    assert sorted(hosts_of(calls, "guard", "confirmed")) == ["pc1", "pc1", "pc2"]
    assert [args["hold"] for _host, view, args in calls if view == "tuned"] == [True, True]
    bad = {"checked": {"probes": [{"probe": "p", "well": False, "figure": "7"}]}}
    ended, said, calls = site(tmp_path, {"pc1": {**usual, "answers": bad}, "pc2": usual})
    assert ended == 2, said
    assert (hosts_of(calls, "tuned"), hosts_of(calls, "tune"), hosts_of(calls, "guard", "reverted")) == (
        ["pc1"],
        [],
        ["pc1"],
    )


def test_where_nobody_has_changed_nobody_is_judged(tmp_path):
    """The tasks that judge would take the controller as long as a host each, in each batch."""
    unchanged = {"answers": {"tune": {"changed": False}}}
    ended, said, calls = site(tmp_path, dict.fromkeys(("pc1", "pc2", "pc3"), unchanged))
    assert (ended, hosts_of(calls, "tune"), hosts_of(calls, "guard")) == (0, ["pc1", "pc2", "pc3"], [])
    assert "See whether to go on" not in said
    assert said.endswith("unchanged 3 pc1, pc2, pc3")
    # Who was off and is back is taken off the list, and goes the whole way.
    (tmp_path / "site.off").write_text("pc2\n")
    ended, said, calls = site(tmp_path, {"pc1": unchanged, "pc2": unchanged, "pc3": {}})
    assert (ended, hosts_of(calls, "guard", "confirmed")) == (0, ["pc3"])
    assert "See whether to go on" in said
    assert not (tmp_path / "site.off").exists()


def test_one_who_fails_is_judged_though_the_others_are_as_before(tmp_path):
    failed = {"answers": {"tune": {"failed": True, "msg": "no"}}}
    unchanged = {"answers": {"tune": {"changed": False}}}
    hosts = {"pc1": unchanged, "pc2": failed, "pc3": unchanged, "pc4": unchanged}
    ended, said, calls = site(tmp_path, hosts, tuning_batches=[3, 1])
    assert (ended, sorted(hosts_of(calls, "tune"))) == (2, ["pc1", "pc2", "pc3"])
    assert "33.3 % of the batch failed" in said
