# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU lists and masks mean the same set, in the forms that the kernel prints and takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import interrupts as facts
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import irq
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus, interrupts
from ansible_collections.linuxnet.tuning.tests.unit import memory_host
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost

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


def test_queues_are_spread_over_nodes_threads_and_caches():
    """16 CPUs in the way of an EPYC: two nodes of two caches each, of two cores each, of two threads each."""
    files = {"/sys/devices/system/cpu/online": "0-15", "/sys/class/net/e0/device/numa_node": "1"}
    files.update({"/sys/devices/system/node/online": "0-1", "/sys/devices/system/node/node1/distance": "32 10"})
    for cpu in range(16):
        core, node = cpu % 8, cpu % 8 // 4
        base = f"/sys/devices/system/cpu/cpu{cpu}"
        files[f"{base}/topology/thread_siblings_list"] = f"{core},{core + 8}"
        cache = core // 2 * 2
        files[f"{base}/cache/index3/shared_cpu_list"] = f"{cache}-{cache + 1},{cache + 8}-{cache + 9}"
        files[f"/sys/devices/system/node/node{node}/cpulist"] = (
            f"{node * 4}-{node * 4 + 3},{node * 4 + 8}-{node * 4 + 11}"
        )
    chosen = interrupts.cores(DeviceHost({}, files), "e0")
    # The NIC's node, one of each cache in turn; then the other node; then the second threads, in the same way.
    assert chosen == (4, 6, 5, 7, 0, 2, 1, 3, 12, 14, 13, 15, 8, 10, 9, 11)


def test_without_caches_the_order_is_that_of_the_cpus():
    files = {"/sys/devices/system/cpu/online": "0-3", "/sys/class/net/e0/device/numa_node": "-1"}
    assert interrupts.cores(DeviceHost({}, files), "e0") == (0, 1, 2, 3)


def test_time_of_each_processor_in_softirq():
    text = (
        "cpu  100 0 50 900 10 0 40 5 0 0\ncpu0 60 0 30 300 10 0 39 1 0 0\ncpu2 40 0 20 600 0 0 1 4 0 0\n"
        "cpu3 broken\nintr 900 0\nctxt 5\n"
    )
    assert interrupts.softirq_time(text) == {0: {"time": 440, "softirq": 39}, 2: {"time": 665, "softirq": 1}}
    assert interrupts.softirq_time("") == {}
    files = {"/proc/stat": text, "/proc/net/softnet_stat": "0000000a 00000001 00000002\n0000000b 00000000 00000000\n"}
    rows = facts.sample(memory_host.connect(memory_host.Files(files), lambda _argv, _data="": (1, "", ""), True))
    assert rows == [
        {"cpu": 0, "processed": 10, "dropped": 1, "squeezed": 2, "time": 440, "softirq": 39},
        {"cpu": 1, "processed": 11, "dropped": 0, "squeezed": 0},
    ]
