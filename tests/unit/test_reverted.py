# SPDX-License-Identifier: GPL-3.0-or-later
"""What the next call tells of what was reverted: why, and what each key has got."""

from __future__ import annotations

import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import stack
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, mtu, mtus
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb, "igb1": igb}, {})


def test_what_is_told_of_a_change_is_what_its_keys_have_got(host):
    mtu(host, 9000, permanent=True)
    mtu(host, 1300, temporary=3600)
    mtu(host, 1400, guard_timeout=4000, permanent=True)
    host.passes(4000)
    assert mtus(host)[0] == 9000
    told = mtu(host, 9000, permanent=True)["reverted"]
    assert "because nobody confirmed it within 4000 s (igb0 link mtu 1400 to 9000" in told


def test_a_boot_is_told_as_the_reason(host):
    mtu(host, 1400, guard_timeout=4000, permanent=True)
    host.reboots()
    assert "because the host was started anew before anybody confirmed it" in mtu(host, 1500)["reverted"]


NOTE = json.dumps(
    {
        "at": "today",
        "timeout": 60,
        "changes": [{"nic": "igb0", "family": "link", "key": "mtu", "before": 1300, "after": 1400}],
    }
)


@pytest.mark.parametrize(
    ("note", "told"),
    [
        *(
            (text, "an unknown time was reverted, because nobody confirmed it within 0 s ()")
            for text in ("[]", "5", "null", '"x"', "[" * 100_000, '{"at": "", "timeout": 1e999, "changes": []}')
        ),
        (f"{NOTE}\n", "within 60 s (igb0 link mtu 1400 to 1300)"),
        (f"{NOTE}\nbecause\tthe host was started anew\nigb0 link mtu\t1500\n", "anew before anybody confirmed it"),
        (f"{NOTE}\nbecause\tnobody confirmed it\nigb0 link mtu\t1500\n", "(igb0 link mtu 1400 to 1500)"),
        (f"{NOTE}\nbecause\tnobody confirmed it\nigb0 link mtu\t15", "(igb0 link mtu 1400 to 1300)"),  # cut off
        (f"{NOTE}\nbecause\tnobody confirmed it\nigb0 link mtu\t\n", "(igb0 link mtu 1400 to 1300)"),
    ],
)
def test_a_note_that_is_damaged_says_what_it_can(host, note, told):
    host.files["/var/lib/linuxnet-tuning/reverted/1.json"] = note
    assert told in mtu(host, 9000)["reverted"]


def test_what_a_killed_revert_has_left_was_confirmed_by_nobody(host):
    mtu(host, 1400, guard_timeout=60)
    host.files[stack.TABLE] = host.files[stack.TABLE].replace("layer\t1\t1060", f"layer\t1\t{stack.GOING}")
    told = mtu(host, 9000)["reverted"]
    assert "because nobody confirmed it within 60 s (igb0 link mtu 1400 to 1500)" in told


def test_a_value_that_cannot_be_set_back_is_named_and_does_not_keep_the_others(host):
    mtu(host, 9000, "igb0", "igb1", guard_timeout=60)
    host.refused = ["link set dev igb0 mtu 1500"]
    host.passes(60)
    assert mtus(host) == [9000, 1500]
    assert host.originals()[("igb0", "mtu")] == 1500
    assert "cannot set igb0 link mtu back to 1500" in host.told
    result = call(host, "ethtool", nics=[{"name": "igb0", "features": {"gro": True}}])
    assert "igb0 link mtu could not be restored" in result["reverted"]
    host.refused = []
    call(host, "link", state="restored")
    assert mtus(host) == [1500, 1500]
