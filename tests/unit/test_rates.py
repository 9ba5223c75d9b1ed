# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rate each client gets by `rate: auto`, and who is asked for the speed of links."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.site_groups import site_groups
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import clients
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.multiq import multiq
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import rates


def told(*addresses, nics, bonds=None):
    """What nic_info answers, as site registers it."""
    rows = [{"address": address, "nic": nic, "hardware": hardware} for address, nic, hardware in addresses]
    about = {name: {"speed": speed, "carrier": carrier} for name, (speed, carrier) in nics.items()}
    return {rates.NAME: {"host": {"addresses": rows, "bonds": bonds or {}}, "nics": about}}


FLEET = {
    "pc1": told(("192.168.32.1/24", "eth0", ["eth0"]), ("fd00::1/64", "eth0", ["eth0"]), nics={"eth0": (1000, True)}),
    "pc2": told(("192.168.32.2/24", "eth0.7", ["eth0"]), nics={"eth0": (100, True)}),
    "no-cable": told(("192.168.32.3/24", "eth0", ["eth0"]), nics={"eth0": (-1, False)}),
    "odd": told(("192.168.32.4/24", "eth0", ["eth0"]), nics={"eth0": (2500, True)}),
    "spare": told(
        ("192.168.32.5/24", "bond0", ["eth0", "eth1"]),
        nics={"eth0": (1000, True), "eth1": (1000, True)},
        bonds={"bond0": {"mode": "active-backup"}},
    ),
    "both": told(
        ("192.168.32.6/24", "bond0", ["eth0", "eth1"]),
        nics={"eth0": (1000, True), "eth1": (1000, False)},
        bonds={"bond0": {"mode": "802.3ad"}},
    ),
    "off": {rates.NAME: {"unreachable": True}},
    "never": {},
}


def test_rate_is_98_percent_of_the_clients_own_link():
    assert rates.of_fleet(FLEET) == {
        "192.168.32.1": "980",
        "fd00::1": "980",
        "192.168.32.2": "98",
        "192.168.32.4": "2450",
        "192.168.32.5": "980",
        "192.168.32.6": "980",
    }


def test_ten_mbit_and_fractions():
    fleet = {"old": told(("10.0.0.1/8", "eth0", []), nics={"eth0": (10, True)})}
    assert rates.of_fleet(fleet) == {"10.0.0.1": "9.8"}


@pytest.mark.parametrize("written", ("192.168.32.1/32=50", "192.168.32.1=50", "FD00:0:0::1=50", "fd00::1/128=50"))
def test_one_address_has_one_rate_however_it_is_written(written):
    entry = {"name": "a", "multiq": {"clients": ["192.168.32.1", "fd00::1"], "rate": ["auto", written]}}
    (found,) = rates.filled([entry], {"pc1": FLEET["pc1"]})
    (field,) = (field for field in multiq.fields if field.name == "rate")
    whom, other = ("fd00::1", "192.168.32.1") if ":" in written else ("192.168.32.1", "fd00::1")
    assert sorted(clients.rates(field, found["multiq"]["rate"]).value) == sorted(["auto", f"{whom}=50", f"{other}=980"])


def test_what_somebody_wrote_stays():
    entry = {"name": "a", "multiq": {"clients": ["192.168.32.1-9"], "rate": ["auto", "192.168.32.2=50"]}}
    (found,) = rates.filled([entry], {name: FLEET[name] for name in ("pc1", "pc2")})
    assert found["multiq"]["rate"] == ["auto", "192.168.32.2=50", "192.168.32.1=980", "fd00::1=980"]
    assert entry["multiq"]["rate"] == ["auto", "192.168.32.2=50"]


@pytest.mark.parametrize(
    "entries",
    [None, "", {}, ["x"], [{"multiq": None}], [{"multiq": {"rate": 980}}], [{"multiq": {"rate": {"auto": 1}}}]],
)
def test_nobody_is_asked_in_vain(entries):
    assert not rates.needed(entries)


def test_groups_of_site():
    variables = {
        "router": {"tuning_host_nics": [{"name": "a", "multiq": {"rate": "AUTO"}}], "tuning_bonds": {}},
        "by_template": {"tuning_group_nics": "{{ [{'name': 'a', 'multiq': {'rate': 'auto'}}] }}"},
        "tuned": {"tuning_tuned_profile": "{{ broken"},
        "watched": {"tuning_watch": False},
        "plain": {"tuning_nics": [{"name": "a", "pause": {"autoneg": True}}]},
    }
    assert site_groups(list(variables), variables) == [
        {"name": "router", "groups": ["tuning__first", "tuning__rated"]},
        {"name": "by_template", "groups": ["tuning__rated"]},
        {"name": "tuned", "groups": ["tuning__first"]},
        {"name": "watched", "groups": ["tuning__watched"]},
    ]


@pytest.mark.parametrize(("names", "hostvars"), [("router", {}), (["router"], None), (None, {})])
def test_groups_refuse_what_is_no_list(names, hostvars):
    with pytest.raises(AnsibleFilterError, match="site_groups needs"):
        site_groups(names, hostvars)
