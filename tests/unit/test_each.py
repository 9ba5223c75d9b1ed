# SPDX-License-Identifier: GPL-3.0-or-later
"""A proof of changes one by one: what belongs together, in which order, for how long, and what came of each."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import steps, tell, units
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import report, result
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, HARM, decided, made, measured

GROUP = "router1 and room1"
BUDGET = {"seconds": 1800, "elapsed": 0, "temporary": 3600, "alternate": "auto"}


def told(before, after, **variables):
    """The variables of a host that has answered in check mode."""
    return {"tune_result": {"changed": True, "diff": {"before": before, "after": after}}, **variables}


def nics(**keys):
    return {"nics": {"eth0": keys}}


def of(hostvars, tuned=None):
    return steps.make(hostvars, tuned or list(hostvars))


def named(*names):
    """Steps of these names that change one host."""
    key = {"interrupts": "irq", "buffers": ""}
    return [
        {
            "name": name,
            "hosts": {
                "router1": [{"nic": "eth0" * (name != "buffers"), "key": key.get(name, name), "before": 1, "after": 2}]
            },
            "lines": [f"tuning_nics: {name}"],
        }
        for name in names
    ]


@pytest.mark.parametrize(
    ("unit", "keys"),
    [
        ("buffers", ["net.core.rmem_max", "net.ipv4.tcp_wmem", "net.ipv4.udp_mem", "net/core/optmem_max"]),
        ("congestion control", ["net.ipv4.tcp_congestion_control", "net.core.default_qdisc"]),
        ("net.core", ["net.core.netdev_max_backlog", "net.core.busy_poll"]),
        ("net.ipv4.tcp", ["net.ipv4.tcp_sack", "net.ipv4.tcp_timestamps"]),
        (
            "net.ipv4.conf",
            ["net.ipv4.conf.{nic}.rp_filter", "net/ipv4/conf/eth0.5/rp_filter", "net.ipv4.conf.all.rp_filter"],
        ),
        ("net.ipv4", ["net.ipv4.ip_forward"]),
        ("vm", ["vm.swappiness"]),
    ],
)
def test_parameters_that_belong_together_are_one_step(unit, keys):
    assert {units.of_parameter(key) for key in keys} == {unit}


def test_every_family_of_nics_has_a_place():
    """A new family is either switched alone, or said to be none that could be measured."""
    for name in registry.nic_families(registry.FAMILIES):
        assert units.of_nic(name) or name in units.APART


def test_quick_steps_come_first_and_what_needs_the_queues_after_them():
    after = nics(
        mtu=9000, ring={"rx": 4096}, irq={"cpus": "0-3"}, features={"gro": False}, channels={"combined": 4}, alias="x"
    )
    before = nics(
        mtu=1500, ring={"rx": 256}, irq={"cpus": "0"}, features={"gro": True}, channels={"combined": 1}, alias=""
    )
    hosts = {"router1": told(before, {**after, "sysctl": {"net.core.rmem_max": "9"}, "sysctl_file": {"x": "y"}})}
    assert [step["name"] for step in of(hosts)] == ["buffers", "features", "mtu", "channels", "ring", "interrupts"]
    assert steps._rank("interrupts", False)[0] == 0, "where the queues stay, they can be switched at once"


def test_a_step_is_on_all_hosts_that_it_changes():
    hosts = {
        "a": told(
            nics(mtu=1500), nics(mtu=9000), tuning_nics=[{"match": {"driver": "igb"}, "mtu": 9000, "ring": {"rx": 1}}]
        ),
        "b": told(nics(mtu=1500), nics(mtu=9000), tuning_nics=[{"match": {"driver": "igb"}, "mtu": 9000}]),
        "c": told({}, {}),
    }
    (step,) = of(hosts)
    assert list(step["hosts"]) == ["a", "b"]
    assert step["lines"] == ["tuning_nics: {match: {driver: igb}, mtu: 9000}  # a, b"]
    assert tell.settings(step) == ["eth0 mtu 1500 to 9000 on a, b"]


def test_a_line_of_a_profile_is_overridden():
    hosts = {"a": told(nics(mtu=1500), nics(mtu=9000), tuning_profile=["router"])}
    assert of(hosts)[0]["lines"] == ["of the profile router, if it sets that: lines of your own override it  # a"]


@pytest.mark.parametrize(
    ("about", "hosts", "says"),
    [
        ("it fails", {"a": {"tune_result": {"failed": True, "msg": "no ethtool"}}}, "a cannot say .*: no ethtool"),
        ("it is off", {"a": {"tune_result": {"unreachable": True, "msg": "timeout"}}}, "a cannot say .*: timeout"),
        ("it is to be restored", {"a": told({}, {}, tuning_state="restored")}, "a is to be restored"),
    ],
)
def test_a_host_that_cannot_be_taken_apart_is_named(about, hosts, says):
    with pytest.raises(result.ResultError, match=says):
        of(hosts)


def test_what_is_left_out_is_left_out_of_all_options():
    variables = {
        "tuning_nics": [
            {"name": "eth0", "mtu": 9000, "path_check": ["10.0.0.1"]},
            {"name": "eth1", "mtu": 9000, "ring": {"rx": 1}},
        ],
        "tuning_host_nics": [{"name": "eth2", "sysctl": {"net.ipv4.conf.{nic}.rp_filter": 2}, "alias": "up"}],
        "tuning_sysctl": {"net.core.rmem_max": 9, "vm.swappiness": 1},
        "tuning_module_parameters": {"tcp_bbr.x": 1},
        "tune__without": ["mtu", "buffers", "net.ipv4.conf", "module tcp_bbr"],
    }
    found = layers.options(variables, lambda value: value, lambda path: {})
    assert found["nics"] == [{"name": "eth1", "ring": {"rx": 1}}, {"name": "eth2", "alias": "up"}]
    assert found["sysctl"] == {"vm.swappiness": 1}
    assert found["module_parameters"] == {}
    del variables["tune__without"]
    assert len(layers.options(variables, lambda value: value, lambda path: {})["nics"]) == 3


def whole():
    return made([{"server": "router1", "clients": "room1"}])


def test_each_step_is_measured_against_what_was_kept():
    all_ = named("features", "mtu", "ring")
    history = [{"name": "features", "kept": True}, {"name": "mtu", "kept": False}]
    step = steps.coming(whole(), all_, history, BUDGET)
    assert step["without"] == {"before": ["mtu", "ring"], "after": ["mtu"]}
    assert step["stands"] is True
    assert steps.coming(whole(), all_, [], BUDGET)["stands"] is False


def test_what_resets_links_is_not_switched_often_once_it_is_kept():
    all_ = named("features", "channels", "interrupts")
    assert len(steps.coming(whole(), all_, [], BUDGET)["blocks"]) > 10
    kept = [{"name": "features", "kept": True}, {"name": "channels", "kept": True}]
    assert len(steps.coming(whole(), all_, kept, BUDGET)["blocks"]) == 4
    gone = [{"name": "features", "kept": True}, {"name": "channels", "kept": False}]
    assert len(steps.coming(whole(), all_, gone, BUDGET)["blocks"]) > 10


def test_the_steps_share_the_time():
    all_ = named("mtu", "channels", "ring")
    step = steps.coming(whole(), all_, [], {**BUDGET, "seconds": 9000})
    assert step["seconds"] == 3000
    late = steps.coming(whole(), all_, [{"name": "mtu", "kept": True}], {**BUDGET, "seconds": 9000, "elapsed": 8990})
    assert "only 10 s were left" in late["skipped"]
    entry = steps.ended(late, {}, {}, 0)
    assert (entry["outcome"], entry["kept"]) == ("not tried", False)
    assert "Not tried and not set, as prove_time was over: channels" in "\n".join(tell.ending([entry]))
    with pytest.raises(result.ResultError, match="prove_time: 100 s is too short for mtu, the first of 3 steps"):
        steps.coming(whole(), all_, [], {**BUDGET, "seconds": 100})


def test_a_change_lasts_as_long_as_its_measurement():
    assert steps.coming(whole(), named("mtu"), [], {**BUDGET, "temporary": 10})["temporary"] > 500
    assert steps.coming(whole(), named("mtu"), [], BUDGET)["temporary"] == 3600


def entry(name, after):
    step = {**named(name)[0], "skipped": ""}
    return steps.ended(step, decided(after), {"router1": {"tune_result": {"changed": True}}}, 60.4)


def test_harm_goes_back_and_the_best_of_the_others_is_named():
    double, more = ([[value * factor for value in rates] for rates in BEFORE] for factor in (2, 1.5))
    history = [entry("mtu", [BEFORE]), entry("ring", [more]), entry("features", [double]), entry("pause", [HARM])]
    assert [(one["outcome"], one["kept"]) for one in history] == [
        *(("undecided", True), ("better", True), ("better", True), ("worse", False)),
    ]
    assert tell.sentence(history).startswith("features helped most: sum up +100")
    assert "1 more helped" in tell.sentence(history)
    said = "\n".join(tell.ending(history))
    assert "pause: tuning_nics: pause" in said.partition("Remove:")[2]
    assert "mtu" not in said.partition("Remove:")[2]
    assert entry("pause", [])["outcome"] == "worse", "nothing can be measured after it"
    page = report.write(measured(BEFORE), first=[tell.section(history)])
    assert "features helped most" in page
    assert page.index("One by one") < page.index("Settings in force")


def test_what_a_host_refuses_is_told_with_its_reason():
    step = {**named("ring")[0], "skipped": ""}
    found = steps.ended(step, {}, {"router1": {"tune_result": {"failed": True, "msg": "too  large"}}}, 1)
    assert (found["outcome"], found["kept"], found["why"]) == ("refused", False, "router1: too large")
    assert tell.sentence([found]) == "None of them has proved to help."


def test_the_plan_names_what_is_no_part_of_it():
    all_ = named("mtu")
    lines = tell.plan(all_, steps.coming(whole(), all_, [], BUDGET), {"tuned": ["a"], "bonds": []})
    assert not any("prove_time" in line for line in lines)
    assert lines[1] == "  1. mtu: eth0 mtu 1 to 2 on router1"
    assert lines[-1] == "profiles of tuned are left as they are, on a; site sets them with --tags tuned"


def test_the_plan_says_for_how_many_steps_the_time_is_enough():
    all_ = named("mtu", "channels", "ring")
    first = steps.coming(whole(), all_, [], {**BUDGET, "seconds": 600})
    assert first["least"] < 600 < 2 * first["least"]
    need = tell.plan(all_, first, {})[-1]
    assert need.startswith("prove_time is enough for one of them; all need about ")
    assert 3 * first["least"] <= int(need.split()[-2]) < 3 * first["least"] + 60
