# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes inventory of facts that no driver of the lab shows: clients, interrupts, bonds, profiles of TuneD."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, inventory

LINK = "/etc/systemd/network/10-x.link"


def whole(facts, files=None):
    """The variables that come of some facts, and the text that has them."""
    configured = {"files": [{"file": path, "text": text} for path, text in (files or {}).items()]}
    facts = {**facts, "host": {**facts.get("host", {}), "configured": configured}}
    found = compose.Composer("far", facts).capture()
    text = inventory.text(found, "host", "")
    return yaml.safe_load(text), text, found


@pytest.mark.parametrize(
    ("cells", "entry"),
    [
        ({"clients": ["10.0.0.1=1", "others=0"], "method": "clsact"}, {"method": "clsact"}),
        ({"clients": ["10.0.0.1=1", "others=0"], "method": "multiq"}, {"method": "multiq"}),
        # Both at once, or bands that are not as many as the queues, are nothing that an inventory could say.
        ({"clients": ["10.0.0.1=1", "others=0"], "method": "clsact and multiq"}, {}),
        ({"clients": ["10.0.0.1=1", "pref 7"], "method": "clsact"}, None),
        ({"clients": [], "method": "none"}, None),
    ],
)
def test_clients_with_a_queue_of_their_own_are_somebodys(cells, entry):
    facts = {"driver": "igb", "physical": True, "multiq": {key: {"value": value} for key, value in cells.items()}}
    variables, _text, _found = whole({"nics": {"eth0": facts}})
    clients = {"name": "eth0", "multiq": {"clients": cells["clients"], **(entry or {})}}
    assert variables == ({} if entry is None else {"tuning_host_nics": [clients]})


def test_packets_that_other_processors_take_are_somebodys_and_interrupts_anybodys():
    cells = {"rps": "all", "rps_flow_cnt": 4096, "affinity": "spread", "xps": "0; 1"}
    facts = {"driver": "igb", "physical": True, "irq": {key: {"value": value} for key, value in cells.items()}}
    variables, _text, _found = whole({"nics": {"eth0": facts}})
    assert variables == {"tuning_host_nics": [{"name": "eth0", "irq": {"rps": "all", "rps_flow_cnt": 4096}}]}


def test_flow_control_that_negotiates_is_what_the_other_end_makes_of_it():
    """e1000e shows what came of it, and nowhere what was requested."""
    for driver, autoneg, written in (
        ("e1000e", True, {}),
        ("e1000e", False, {"autoneg": False, "rx": False, "tx": False}),
        ("igb", True, {"rx": False, "tx": False}),
    ):
        cells = {"autoneg": {"value": autoneg}, "rx": {"value": False}, "tx": {"value": False}}
        variables, _text, _found = whole({"nics": {"eth0": {"driver": driver, "physical": True, "pause": cells}}})
        assert variables == ({"tuning_host_nics": [{"name": "eth0", "pause": written}]} if written else {}), driver


def test_the_processors_of_single_queues_are_one_value_for_all():
    facts = {"driver": "igb", "physical": True, "irq": {"rps": {"value": "0-3"}}}
    script = "#!/bin/sh\necho f > /sys/class/net/eth0/queues/rx-0/rps_cpus\n"
    variables, _text, found = whole({"nics": {"eth0": facts}}, {"/etc/rc.local": script})
    assert variables == {"tuning_host_nics": [{"name": "eth0", "irq": {"rps": "0-3"}}]}
    assert [item.origin for item in found.items] == ["/etc/rc.local line 2"]


def test_a_size_that_follows_a_bond_is_not_written_for_its_port():
    nic = {"driver": "igb", "physical": True, "mtu": 9000, "txqueuelen": 1000}
    for facts, written in ((nic, [{"name": "eth0", "mtu": 9000}]), ({**nic, "master": "bond0"}, None)):
        variables, _text, _found = whole({"nics": {"eth0": facts}})
        assert variables == ({"tuning_host_nics": written} if written else {})


def test_most_of_a_link_file_is_in_force_by_its_number():
    ring = {"rx": {"value": 4096, "maximum": 4096}, "tx": {"value": 2048, "maximum": 4096}}
    facts = {"nics": {"eth0": {"driver": "igb", "physical": True, "ring": ring}}}
    text = "[Match]\nOriginalName=eth0\n\n[Link]\nRxBufferSize=max\nTxBufferSize=max\n"
    variables, _text, found = whole(facts, {LINK: text})
    assert variables == {"tuning_host_nics": [{"name": "eth0", "ring": {"rx": "max", "tx": 2048}}]}
    assert [item.origin for item in found.items] == [
        f"{LINK} line 5",
        f"live only; {LINK} line 6 says max",
    ]


def test_a_profile_of_tuned_is_captured_unless_tuned_has_chosen_it():
    facts = {"host": {"managers": {"tuned": {"profile": "network-latency"}}}}
    variables, text, _found = whole(facts)
    assert variables == {"tuning_tuned_profile": "network-latency"}
    assert "the active profile of tuned" in text
    facts["host"]["configured"] = {"tuned_chose": True}
    assert compose.Composer("far", facts).capture().profile == ""


def test_a_bond_stays_with_the_tool_that_made_it_and_is_shown():
    folder = "/etc/sysconfig/network-scripts"
    bond = "DEVICE=bond0\nTYPE=Bond\nBONDING_MASTER=yes\nBONDING_OPTS='mode=active-backup miimon=100'\n"
    files = {f"{folder}/ifcfg-bond0": bond, f"{folder}/ifcfg-eth0": "DEVICE=eth0\nMASTER=bond0\nSLAVE=yes\n"}
    variables, text, _found = whole({"nics": {"eth0": {"driver": "igb", "physical": True}}}, files)
    assert variables == {}
    shown = text.partition("# tuning_bonds:")[1:]
    lines = "".join(shown).partition("\n\n")[0].splitlines()
    (bond,) = yaml.safe_load("\n".join(line.removeprefix("# ") for line in lines))["tuning_bonds"]
    assert (bond["name"], bond["mode"], bond["miimon"]) == ("bond0", "active-backup", 100)
