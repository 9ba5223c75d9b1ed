# SPDX-License-Identifier: GPL-3.0-or-later
"""A mistake of the inventory or of the command is told by its own name, before anything is touched."""

from __future__ import annotations

import json

import pytest

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistakes")
    (folder / "ansible_collections/linuxnet").mkdir(parents=True)
    (folder / "ansible_collections/linuxnet/tuning").symlink_to(made_up.ROOT)
    variables = {"ansible_connection": "local", "ansible_become": False}
    variables["ansible_python_interpreter"] = "{{ ansible_playbook_python }}"

    def play(host, *argv, playbook="site", **others):
        hosts = {"pc1": host, **others}
        inventory = {"all": {"hosts": hosts, "vars": variables}}
        (folder / "hosts.json").write_text(json.dumps(inventory))
        return made_up.play(folder, "hosts.json", f"linuxnet.tuning.{playbook}", "--check", *argv)

    return play


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (
            {"tuning_host_nics": [{"name": "igb0", "mtu": "9k"}]},
            "tuning_host_nics: igb0: mtu: '9k' is not valid; write",
        ),
        ({"tuning_guard_timeout": -1}, "tuning_guard_timeout: -1 is not valid; write seconds, a week at most"),
        ({"tuning_probes": [{"iperf": "x"}]}, "tuning_probes: {'iperf': 'x'} is no probe; write"),
        ({"tuning_watch": "maybe"}, "tuning_watch: 'maybe' is not valid; write true or false"),
        ({"tuning_network_manager": "networkmanager", "tuning_bonds": []}, "did you mean 'NetworkManager'?"),
    ],
)
def test_a_mistake_of_the_inventory(site, host, said):
    code, told = site(host)
    assert code == 2
    assert said in " ".join(told.split())
    assert "Traceback" not in told
    assert "Module failed: nics" not in told  # ansible-core 2.19 and later print the error of the host first


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tuning_host=pc1", "tuning_host is not a variable of linuxnet.tuning; did you mean tuning_hosts? No host was"),
        ("tuning_hosts=pc7", "tuning_hosts: 'pc7' matches no host of the inventory; did you mean 'pc1'? No host was"),
    ],
)
def test_a_mistake_of_the_command(site, given, said):
    code, told = site({}, "-e", given)
    assert code != 0
    assert said in " ".join(told.split())
    assert "Traceback" not in told
    assert "Tune the host" not in told


def test_a_mistake_of_the_inventory_is_told_before_prove_contacts_a_host(site):
    code, told = site({"prove_tolerance": "2%"}, playbook="prove")
    assert code == 2
    assert "prove_tolerance: '2%' is not valid; write a share from 0 to 1" in " ".join(told.split())
    assert "Look for changes that end by themselves" not in told


def test_a_measurement_that_is_not_there_is_told_before_a_host_is_read(site):
    code, told = site({}, "-e", "audit_benchmark=results/none.json", playbook="audit")
    assert code == 2
    assert "audit_benchmark: results/none.json is not a file with a result of the playbook" in " ".join(told.split())
    assert "Read, and compare with the inventory" not in told


def test_a_check_goes_on_where_every_host_with_bonds_is_wrong(site):
    code, told = site({"tuning_bonds": [{"name": "bond0", "mod": 1}]}, pc2={"tuning_sysctl": {"net": 1}})
    assert code == 2
    assert "bond0: there is no key 'mod'" in told
    assert "tuning_sysctl has no key 'net'" in told
