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
CHANNELS = Address("channels", "igb0", "combined")
KIND = Address("sysctl", "", "net.core.default_qdisc")


def backwards(*addresses):
    changes = [Change(address, "a", "b") for address in addresses]
    return [name for name, _scope in plan.backwards(dict.fromkeys(a[:2] for a in addresses), (), changes, FAMILIES)]


def test_what_was_set_last_goes_back_first():
    assert backwards(CHANNELS, ROOT, CLIENTS) == ["multiq", "qdisc", "channels"]


@pytest.mark.parametrize("cause", [MTU, KIND])
def test_a_qdisc_that_the_kernel_makes_by_itself_goes_back_after_what_it_is_made_of(cause):
    assert backwards(cause, CHANNELS, ROOT, CLIENTS) == [cause.family, "multiq", "qdisc", "channels"]
    assert backwards(cause, CHANNELS, ROOT) == [cause.family, "qdisc", "channels"]


@pytest.mark.parametrize("other", [MTU._replace(scope="igb1"), MTU._replace(key="alias"), KIND._replace(key="a.b")])
def test_a_qdisc_goes_back_before_what_it_is_not_made_of(other):
    assert backwards(other, ROOT) == ["qdisc", other.family]


def test_the_mtus_of_stacked_nics_keep_their_order():
    above = MTU._replace(scope="igb0.5")
    changes = [Change(address, 1500, 9000) for address in (MTU, above, ROOT._replace(scope="igb0.5"))]
    steps = dict.fromkeys(change.address[:2] for change in changes)
    assert [scope for _name, scope in plan.backwards(steps, (), changes, FAMILIES)] == ["igb0", "igb0.5", "igb0.5"]
