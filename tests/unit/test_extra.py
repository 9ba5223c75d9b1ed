# SPDX-License-Identifier: GPL-3.0-or-later
"""The extra variables of our playbooks are checked before any host is contacted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.linuxnet.tuning.plugins.lookup import shared
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import extra, spelling

ROOT = Path(__file__).parents[2]
GROUPS = {"all": ["pc1", "pc2", "hub"], "ungrouped": ["hub"], "room1": ["pc1", "pc2"], "tuning__first": ["pc1"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tuning_host": "room3"}, "tuning_host is not a variable of linuxnet.tuning; did you mean tuning_hosts?"),
        ({"tunning_hosts": "room3"}, "did you mean tuning_hosts?"),
        ({"turning_hosts": "room3"}, "did you mean tuning_hosts?"),
        ({"uning_hosts": "room3"}, "did you mean tuning_hosts?"),
        # Letters that change places, or are left out, make no other word.
        ({"tuinng_hosts": "room3"}, "did you mean tuning_hosts?"),
        ({"utning_hosts": "room3"}, "did you mean tuning_hosts?"),
        ({"tuing_host": "room3"}, "did you mean tuning_hosts?"),
        ({"tuninghosts": "room3"}, "did you mean tuning_hosts?"),
        ({"Tuning_Hosts": "room3"}, "did you mean tuning_hosts?"),
        ({"capture_overwrite": "maybe"}, "capture_overwrite: 'maybe' is not valid; write true or false."),
        ({"prove_figure": "minimun"}, "latency_lost, idle_median"),
        ({"prove_figure": "minimun"}, "; did you mean 'minimum'?"),
        ({"audit_fail_on": "hihg"}, "write one of critical, high, medium, low, note, none; did you mean 'high'?"),
        ({"prove_time": "1h"}, "prove_time: '1h' is not valid; write a whole number of seconds."),
        ({"prove_tolerance": "2%"}, "write a share from 0 to 1, such as 0.05 for 5 %."),
        ({"prove_alternate": "sometimes"}, "write one of auto, true, false."),
        ({"autotune_only": "rings,chanels"}, "autotune_only: 'chanels' is not valid"),
        ({"autotune_only": ["rngs"]}, "did you mean 'rings'?"),
        ({"autotune_runs": 1}, "write a whole number of runs from 2 to 10."),
        ({"mtu_window_mtu": "9k"}, "write a whole number of bytes from 68 to 65536."),
        # Without an end it would be no window.
        ({"mtu_window_seconds": 0}, "write a whole number of seconds from 1 to 604800."),
        ({"wake_port": "discard"}, "write a UDP port from 1 to 65535."),
        ({"audit_interval": "ten"}, "write a number of seconds."),
        ({"audit_interval": "nan"}, "write a number of seconds."),
        ({"audit_interval": "inf"}, "write a number of seconds."),
        ({"prove_time": "1e3"}, "write a whole number of seconds."),
        ({"prove_figure": ["sum"]}, "prove_figure: ['sum'] is not valid; write one of"),
        ({"prove_figure": "SUM"}, "write one of"),
    ],
)
def test_a_mistake_is_named_with_what_is_right(given, said):
    found = extra.problem(given, spelling.KNOWN)
    assert said in found
    assert found.endswith(extra.NOTHING)


@pytest.mark.parametrize(
    "given",
    [
        {
            "tuning_hosts": "room3",
            "prove_figure": "sum",
            "prove_time": "600",
            "prove_tolerance": 0.05,
            "prove_each": "yes",
        },
        {"prove_alternate": True, "autotune_only": "rings,channels", "audit_interval": "2.5", "audit_fail_on": ""},
        {"prove_time": "{{ an_hour }}", "capture_overwrite": False, "prove_before": "", "mtu_window_mtu": 1300},
        # Of the inventory, or of somebody else: these may be right.
        {
            "tuning_host_nics": [],
            "benchmark_group": "room1",
            "benchmark_groups": [],
            "my_tuning_host": 1,
            "room": "tuning_host",
        },
        {"tuning_host": "room3", "tuning_hosts": "{{ tuning_host }}"},
        # Another word, and not a wrong letter or two of ours.
        {"running_hosts": "room3", "timing_hosts": "", "using_hosts": 1},
        {"tuning_hosts2": "room3", "tuning_hosts_b": "room4", "prove_figur": "sum"},
        {1: 2, None: "tuning_host", "prove_time": 60},
        {"prove_alternate": "Auto", "audit_interval": "1e-1", "prove_tolerance": ".05"},
        {"prove_time": "{% if long %}600{% else %}60{% endif %}", "autotune_only": ["{{ axis }}"]},
        {"audit_benchmark": "nowhere.json", "prove_before": "later.json"},
    ],
)
def test_what_is_right_passes(given):
    assert extra.problem(given, spelling.KNOWN) == ""


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("prove_figur", "prove_figure"),
        ("mtu_window_nic", "mtu_window_nics"),
        ("benchmark_repeats", "benchmark_repeat"),
        ("autotune_masurments", "autotune_measurements"),
        # A second one of its kind, three letters, and names of somebody else.
        *(
            (name, "")
            for name in ("prove_time2", "prove_figure_old", "autotune_measure", "tuning_hosts2", "my_prove_figur")
        ),
    ],
)
def test_a_name_that_is_nearly_ours_causes_a_warning(name, near):
    said = [f"{name} is not a variable of linuxnet.tuning; did you mean {near}?"] if near else []
    assert extra.doubts({name: 1, 7: name[:-1]}, spelling.KNOWN) == said
    assert extra.doubts({name: 1, "other": "{{ " + name + " }}"}, spelling.KNOWN) == []


def test_each_variable_is_one_that_something_reads():
    sources = "\n".join(
        path.read_text() for folder in ("playbooks", "roles") for path in ROOT.glob(f"{folder}/**/*.yml")
    )
    assert [name for name in extra.VARIABLES if not re.search(rf"\b{name}\b", sources)] == []
    role = yaml.safe_load((ROOT / "roles/benchmark/defaults/main.yml").read_text())
    of_benchmark = {name for name in extra.VARIABLES if name.startswith("benchmark_")}
    assert {name for name in role if "__" not in name} - {"benchmark_groups"} == of_benchmark


def test_an_empty_text_is_the_default_everywhere_in_prove_and_autotune():
    for path in (ROOT / "playbooks").glob("**/*.yml"):
        for name in extra.VARIABLES:
            if name.startswith(("prove_", "autotune_")):
                # Of `default` only the second form; what is false or 0 is read by the lookup.
                assert not re.search(
                    rf"\b{name} (is (not )?defined|\| default\([^()]*(?<!, true)\))", path.read_text()
                ), name


def test_each_variable_in_the_tables_of_the_pages_is_known():
    documented = set()
    for page in ("prove", "autotune", "audit", "export"):
        text = (ROOT / f"docs/{page}.md").read_text()
        documented |= set(re.findall(rf"^\| `({page}_[a-z]+)[`=]", text, re.MULTILINE))
    assert len(documented) >= 20
    assert documented <= set(extra.VARIABLES)


@pytest.fixture
def lookup(monkeypatch):
    def run(name, given, **variables):
        monkeypatch.setattr(shared, "load_extra_vars", lambda _loader: given)
        plugin = shared.LookupModule(loader=DataLoader())
        monkeypatch.setattr(plugin, "_value", lambda _name, written: written)
        return plugin.run([name], {"groups": GROUPS, **given, **variables}, default="all")

    return run


class Hosts(dict):
    """What Ansible knows of the hosts, of which templates are taken as they are written."""

    raw_get = dict.get


def test_a_play_refuses_before_it_begins(lookup):
    for name in ("tuning_hosts", "benchmark_hosts"):
        with pytest.raises(AnsibleLookupError, match="did you mean tuning_hosts"):
            lookup(name, {"tuning_host": "pc1"}, hostvars=Hosts(pc1={"playbook_dir": "/tuning_host"}))
    # Of a task on a host nobody asks again.
    assert lookup("tuning_hosts", {"tuning_host": "pc1"}, inventory_hostname="pc1") == ["all"]


def test_a_name_that_the_play_or_the_inventory_uses_passes(lookup):
    template = "{{ tuning_host | default('pc1') }}"
    assert lookup("tuning_hosts", {"tuning_host": "pc1"}, room=[template]) == ["all"]
    assert lookup("tuning_hosts", {"tuning_host": "pc1"}, hostvars=Hosts(pc1={"room": template})) == ["all"]


def test_a_value_of_the_inventory_is_checked_when_it_is_read(lookup):
    for name, value in {"prove_time": "1h", "prove_figure": "minimun", "prove_each": "perhaps"}.items():
        with pytest.raises(AnsibleLookupError, match=f"{name}: '{value}' is not valid; write"):
            lookup(name, {}, **{name: value}, inventory_hostname="pc1")
    assert lookup("prove_time", {}, prove_time="600", inventory_hostname="pc1") == ["600"]


def test_a_doubt_is_a_warning(lookup, monkeypatch):
    said = []
    monkeypatch.setattr(shared.Display, "warning", lambda _self, text: said.append(text))
    assert lookup("benchmark_hosts", {"prove_figur": "sum"}) == ["all"]
    assert said == ["prove_figur is not a variable of linuxnet.tuning; did you mean prove_figure?"]


def test_a_pattern_that_matches_no_host_is_refused(lookup):
    with pytest.raises(
        AnsibleLookupError, match=r"'rom1' matches no host of the inventory; did you mean 'room1'\? No host"
    ):
        lookup("tuning_hosts", {"tuning_hosts": "rom1"})
    # What is written there already is no advice.
    for pattern in ("room1:!pc*", "ungrouped:!hub"):
        with pytest.raises(AnsibleLookupError, match=r"matches no host of the inventory\. No host"):
            lookup("tuning_hosts", {"tuning_hosts": pattern})
    assert lookup("tuning_hosts", {"tuning_hosts": "room1:!pc2"}) == ["room1:!pc2"]
    assert lookup("tuning_hosts", {"tuning_hosts": ["pc*", "hub"]}) == [["pc*", "hub"]]
    assert lookup("tuning_hosts", {"tuning_hosts": []}) == [[]]
    assert lookup("tuning_hosts", {}) == ["all"]


@pytest.mark.parametrize("option", ["syntax", "listhosts", "listtasks", "listtags"])
def test_a_command_that_contacts_no_host_may_lack_the_inventory(lookup, monkeypatch, option):
    monkeypatch.setattr(shared.context, "CLIARGS", {option: True})
    assert lookup("tuning_hosts", {"tuning_hosts": "rom1"}) == ["rom1"]


def test_the_inventory_is_asked_once_and_only_for_a_pattern(lookup, monkeypatch):
    asked = []
    monkeypatch.setattr(shared, "_MATCHING", {})
    monkeypatch.setattr(shared.LookupModule, "_ask", lambda _self, pattern, _groups: asked.append(pattern) or ["pc1"])
    for pattern in ("all", "room1", "empty", "hub", ["pc2", "room1"], "pc*", "pc*"):
        lookup("tuning_hosts", {"tuning_hosts": pattern}, groups={**GROUPS, "empty": []})
    assert asked == ["pc*"]
