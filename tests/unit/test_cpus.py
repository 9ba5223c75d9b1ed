# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU lists and masks mean the same set, in the forms that the kernel prints and takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import irq
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus

sets = st.sets(st.integers(0, 300))


@given(sets)
def test_lists_and_masks_come_back(chosen):
    assert set(cpus.parse_list(cpus.format_list(chosen))) == chosen
    assert set(cpus.parse_mask(cpus.format_mask(chosen))) == chosen


@given(sets)
def test_a_mask_has_groups_of_32_bits(chosen):
    groups = cpus.format_mask(chosen).split(",")
    assert all(len(group) == 8 for group in groups)
    assert len(groups) == max(chosen, default=0) // 32 + 1


@pytest.mark.parametrize(("text", "found"), [("0", ()), ("3", (0, 1)), ("00000000,00000003", (0, 1)), ("1,0", (32,))])
def test_masks_of_the_kernel(text, found):
    assert cpus.parse_mask(text) == found


@pytest.mark.parametrize("text", ["3-1", "x", "0-99999", "1,,2", "-1"])
def test_what_is_no_list(text):
    with pytest.raises(ValueError, match="is no CPU"):
        cpus.parse_list(text)


@given(st.lists(st.sets(st.integers(0, 7), min_size=1), min_size=1, max_size=9))
def test_what_was_read_means_itself(chosen):
    """`before` written as input comes to exactly the lists that were read."""
    lists = [cpus.format_list(each) for each in chosen]
    online, order = tuple(range(8)), list(range(len(lists)))
    each = irq._join(lists, irq.EACH)
    assert irq._dealt({}, online, ([], lists), order, each) == each
    shared = irq._join(lists)
    assert irq._shared(online, online, lists, len(lists), shared) == shared
    apart = "; ".join(f"{queue}={text}" for queue, text in enumerate(lists))
    assert irq._dealt({}, online, ([], []), order, apart) == each
    assert irq._shared(online, online, (), len(lists), apart) == shared
