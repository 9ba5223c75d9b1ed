# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which an undo puts back what hangs on each other."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Address, Change
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.registry import FAMILIES

ROOT = Address("qdisc", "igb0", "root")
CLIENTS = Address("multiq", "igb0", "clients")
MTU = Address("link", "igb0", "mtu")
RING = Address("ring", "igb0", "rx")
KIND = Address("sysctl", "", "net.core.default_qdisc")


def backwards(*addresses):
    changes = [Change(address, "a", "b") for address in addresses]
    return [name for name, _scope in plan.backwards(dict.fromkeys(a[:2] for a in addresses), (), changes, FAMILIES)]


def test_what_was_set_last_goes_back_first():
    assert backwards(RING, ROOT, CLIENTS) == ["multiq", "qdisc", "ring"]


@pytest.mark.parametrize("cause", [MTU, KIND])
def test_a_qdisc_that_the_kernel_makes_by_itself_goes_back_after_what_it_is_made_of(cause):
    assert backwards(cause, ROOT, CLIENTS) == [cause.family, "multiq", "qdisc"]


def test_the_mtu_of_another_nic_is_nothing_to_a_qdisc():
    assert backwards(MTU._replace(scope="igb1"), ROOT) == ["qdisc", "link"]
