# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts and queues are served by the CPUs that were asked for, by what the kernel says itself."""

import pytest


def affinities(host, word):
    """The CPUs of each interrupt whose name has a word in it, by name."""
    lines = [line.split() for line in host.file("/proc/interrupts").content_string.splitlines() if word in line]
    return {
        line[-1]: host.file(f"/proc/irq/{line[0].rstrip(':')}/smp_affinity_list").content_string.strip()
        for line in lines
    }


@pytest.mark.parametrize("nic", ["igb0", "igb1"])
def test_igb_has_one_cpu_for_each_of_eight_queues(host, nic):
    assert affinities(host, f"{nic}-TxRx") == {f"{nic}-TxRx-{queue}": str(queue % 2) for queue in range(8)}
    for queue in range(8):
        folder = f"/sys/class/net/{nic}/queues"
        assert host.file(f"{folder}/rx-{queue}/rps_cpus").content_string.strip() == "3"
        assert host.file(f"{folder}/rx-{queue}/rps_flow_cnt").content_string.strip() == "256"
        assert host.file(f"{folder}/tx-{queue}/xps_cpus").content_string.strip() == str(1 + queue % 2)


def test_vmxnet3(host):
    assert affinities(host, "vmxnet0-rxtx") == {"vmxnet0-rxtx-0": "0", "vmxnet0-rxtx-1": "1"}


def test_e1000e(host):
    assert affinities(host, "e1000e0-") == {"e1000e0-rx-0": "1", "e1000e0-tx-0": "1"}


def test_virtio(host):
    assert host.file("/sys/class/net/virtio0/queues/rx-0/rps_cpus").content_string.strip() == "1"
