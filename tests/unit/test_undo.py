# SPDX-License-Identifier: GPL-3.0-or-later
"""A call that fails leaves the host as it was, and where that is not possible it says so and leaves the guard on."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.tests.unit.attempts import (
    BY_HAND,
    INNER,
    TIMEOUT,
    VLAN,
    WAITS,
    Attempt,
    attempt,
    attempts,
    options,
)

MANY = int(os.environ.get("LINUXNET_TUNING_SEQUENCES", "30"))
# Of each kind one, with as much as can go wrong in it.
MUCH = {
    ("igb0", "mtu"): 1200,
    ("igb0", "channels"): {"combined": 1},
    ("igb0", "ring"): {"rx": 512, "tx": 1024},
    ("igb0", "features"): {"sg": False},
    ("igb0", "irq"): {"rps": "all"},
    ("e1000e0", "ring"): {"rx": 1024},
    ("", "net.core.somaxconn"): 9000,
    ("", "net.ipv4.conf.all.forwarding"): 1,
}
QUIET = {("", "net.core.somaxconn"): 9000, ("", "net.ipv4.conf.all.forwarding"): 1}
USUAL = {
    "desired": MUCH,
    "by_hand": set(BY_HAND),
    "earlier": "",
    "guarded": True,
    "permanent": True,
    "at": -6,
    "held": -1,
}
FEW = {"desired": QUIET, "by_hand": {"forwarding of one NIC"}, "permanent": False, "guarded": False}
RINGS = {("igb0", "ring"): {"rx": 512}, ("e1000e0", "ring"): {"rx": 1024}, ("e1000e0", "mtu"): 9000}
OFFLOADS = {("igb0", "features"): {"sg": True, "tso": False}, ("igb0", "pause"): {"autoneg": False, "tx": False}}
NOTED = {**MUCH, ("e1000e0", "txqueuelen"): 400}
TIMES = {
    ("igb0", "channels"): {"combined": 1},
    ("igb0", "coalesce"): {"tx_usecs": 60},
    ("igb0", "pause"): {"autoneg": False},
}
SHAKES = {("igb0", "channels"): {"combined": 1}, ("e1000e0", "ring"): {"rx": 1024}}
KINDS = {
    "the last file cannot be written": {"fault": "is busy"},
    "and other changes wait": {"fault": "is busy", "earlier": "waits"},
    "and other changes will end": {"fault": "is busy", "earlier": "ends"},
    "and other originals are noted": {"fault": "is busy", "earlier": "is noted", "guarded": False, "desired": NOTED},
    "a command does nothing": {"fault": "does nothing", "permanent": False, "desired": RINGS, "at": 1},
    "a command does nothing among many": {"fault": "does nothing", "permanent": False, "at": 6},
    "a file is not what was written": {"fault": "does nothing"},
    "an earlier file cannot be removed": {"fault": "is busy", "held": 8, "guarded": False},
    "nobody answers": {"fault": "nobody answers"},
    "a part is taken": {"fault": "takes a part", "permanent": False, "at": 5},
    "one look hangs": {"fault": "hangs once", "permanent": False, "at": 6},
    "only the last look hangs": {"fault": "hangs for good", "desired": {("igb0", "txqueuelen"): 500}, "at": 3},
    "all looks hang": {**FEW, "fault": "hangs for good", "at": 3, "desired": RINGS},
    "all looks hang while a window is open": {
        **FEW,
        "fault": "hangs for good",
        "at": 3,
        "desired": RINGS,
        "earlier": "ends",
    },
    "the MTU cannot be seen": {
        **FEW,
        "fault": "hangs for good",
        "desired": {("igb0", "mtu"): 1200},
        "by_hand": {"mtu"},
    },
    "it is stopped": {"fault": "is stopped", "permanent": False, "at": 6},
    "an MTU is stuck": {"fault": "is busy", "held": 2, "permanent": False, "at": 6},
    "an MTU is stuck without a guard": {"fault": "is busy", "held": 2, "permanent": False, "at": 6, "guarded": False},
    "a key for all is stuck": {**FEW, "fault": "is busy", "at": 1, "held": 0},
    "channels are stuck": {**FEW, "desired": SHAKES, "fault": "is busy", "at": 1, "held": 0, "by_hand": set(BY_HAND)},
    "times of coalescing are stuck": {
        **FEW,
        "desired": TIMES,
        "fault": "is busy",
        "at": 2,
        "held": 1,
        "by_hand": {"coalescing"},
    },
    "what was taken along is stuck": {
        **FEW,
        "desired": SHAKES,
        "fault": "is busy",
        "at": 1,
        "held": "ethtool -C igb0",
        "by_hand": {"coalescing"},
    },
    "families of others are taken along": {
        **FEW,
        "desired": SHAKES,
        "fault": "is busy",
        "at": 1,
        "by_hand": set(BY_HAND),
        "view": "ethtool",
    },
    "an offload waited for another": {"fault": "is busy", "by_hand": {WAITS}, "desired": OFFLOADS, "at": 3},
    "a NIC has no channels": {"fault": "cannot be", "desired": {**MUCH, ("e1000e0", "channels"): {"combined": 2}}},
}
EXAMPLES = {name: {**USUAL, **changed} for name, changed in KINDS.items()}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_it_goes_back_or_is_told(kind):
    attempt(**EXAMPLES[kind])


@settings(max_examples=MANY, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(attempts)
def test_whatever_goes_wrong_goes_back_or_is_told(what):
    attempt(**what)


@pytest.mark.parametrize("by_hand", [set(), {"forwarding of one NIC"}])
def test_what_a_key_for_all_would_take_along_on_its_way_back_is_noted(by_hand, tmp_path):
    it = Attempt(tmp_path, by_hand, "")
    assert engine.tune(it.host, "sysctl", options({("", "net.ipv4.conf.all.forwarding"): 1}))["changed"]
    it.can_be_restored()
    assert it.of_ours() == set()


def test_what_a_window_has_set_is_no_original_of_what_is_taken_along(tmp_path):
    it = Attempt(tmp_path, set(), "")
    engine.tune(it.host, "link", options({(VLAN, "mtu"): 1400}, temporary=TIMEOUT))
    engine.tune(it.host, "link", options({("igb0", "mtu"): 1300}))
    assert it.host.originals() == {("igb0", "mtu"): 1500, (VLAN, "mtu"): 1500, (INNER, "mtu"): 1500}
