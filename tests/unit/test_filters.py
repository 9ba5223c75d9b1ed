# SPDX-License-Identifier: GPL-3.0-or-later
"""What the filters make of results, and what they say to anything else."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.audit_table import audit_table
from ansible_collections.linuxnet.tuning.plugins.filter.client_addresses import client_addresses
from ansible_collections.linuxnet.tuning.plugins.filter.entries import entries

RESULT = {
    "before": {"nics": {"eth0": {"ring": {"rx": 256, "tx": 512}, "features": {"gro": True}}}, "sysctl": {"a.b": "1"}},
    "after": {"nics": {"eth0": {"ring": {"rx": 4096, "tx": 512}, "features": {"gro": False}}}, "sysctl": {"a.b": "1"}},
    "unsupported": [
        {"nic": "eth0", "family": "pause", "key": "rx", "asked": "on", "reason": "the device does not have it"},
        {"nic": "", "family": "sysctl", "key": "c.d", "asked": "1", "reason": "the device does not have it"},
        {"nic": "eth9", "family": "", "key": "", "asked": "absent", "reason": "this host has no NIC 'eth9'"},
    ],
    "overridden": [{"key": "a.b", "file": "/etc/sysctl.d/99-local.conf", "value": "2"}],
}


def test_table_says_what_differs_what_cannot_be_and_what_will_not_last():
    assert audit_table(RESULT) == [
        "2 of 4 values differ",
        "where  setting       is      should be",
        "eth0   features gro  on      off",
        "eth0   pause rx      -       on, but the device does not have it",
        "eth0   ring rx       256     4096",
        "eth9   -             absent  present, because the inventory names it",
        "host   a.b           2       set by /etc/sysctl.d/99-local.conf at the next boot, after our own file",
        "host   c.d           -       1, but the device does not have it",
    ]


def test_table_of_a_host_as_it_should_be():
    assert audit_table({**RESULT, "after": RESULT["before"], "unsupported": [], "overridden": []}) == [
        "as it should be: 4 values"
    ]


def test_entries_can_be_asked_for():
    assert entries(RESULT["before"]["nics"]) == [
        {"name": "eth0", "ring": {"rx": 256, "tx": 512}, "features": {"gro": True}}
    ]


@pytest.mark.parametrize("wrong", [None, "text", {}, {"before": {}}])
def test_table_refuses_what_is_no_result(wrong):
    with pytest.raises(AnsibleFilterError, match=r"result of linuxnet\.tuning\.tune"):
        audit_table(wrong)


@pytest.mark.parametrize("wrong", [None, ["eth0"], {"eth0": 1}])
def test_entries_refuses_what_is_no_state(wrong):
    with pytest.raises(AnsibleFilterError, match="dictionary of NICs"):
        entries(wrong)


HOSTVARS = {
    "pc10": {"ansible_host": "192.168.32.10"},
    "pc9": {"ansible_host": "ssh.example.org", "tuning_address": "192.168.32.9"},
    "192.168.33.1": {},
}


def test_clients_stand_in_the_order_of_their_addresses():
    assert client_addresses(["pc10", "192.168.33.1", "pc9"], HOSTVARS) == [
        "192.168.32.9",
        "192.168.32.10",
        "192.168.33.1",
    ]


def test_clients_of_another_network_are_left_out():
    assert client_addresses(["192.168.33.1", "pc9"], HOSTVARS, within="192.168.33.0/24") == ["192.168.33.1"]


@pytest.mark.parametrize(
    ("names", "hostvars", "within", "said"),
    [
        (["pc1"], {}, "", "pc1 has no address but 'pc1'"),
        (
            ["a", "b"],
            {"a": {"ansible_host": "fd00::1"}, "b": {"ansible_host": "fd00:0::1"}},
            "",
            "b and a have the same",
        ),
        ("room1", {}, "", "a list of host names"),
        (["192.168.33.1"], {}, "room1", "within='room1' is no network"),
    ],
)
def test_clients_refuses_what_has_no_address(names, hostvars, within, said):
    with pytest.raises(AnsibleFilterError, match=said):
        client_addresses(names, hostvars, within)
