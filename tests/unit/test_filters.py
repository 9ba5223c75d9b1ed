# SPDX-License-Identifier: GPL-3.0-or-later
"""What the filters make of results, and what they say to anything else."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.audit_table import audit_table
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
        "eth9   -             absent  present, for the inventory names it",
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
