# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts and queues are served by the CPUs that were asked for, by what the kernel says itself."""

import time

import pytest

# irqbalance looks at the load every ten seconds.
INTERVAL = 10


def affinities(host, word):
    """The CPUs of each interrupt whose name has a word in it, by name."""
    lines = [line.split() for line in host.file("/proc/interrupts").content_string.splitlines() if word in line]
    return {
        line[-1]: host.file(f"/proc/irq/{line[0].rstrip(':')}/smp_affinity_list").content_string.strip()
        for line in lines
    }


def spread(nic):
    return {f"{nic}-TxRx-{queue}": str(queue % 2) for queue in range(8)}


def test_igb_has_one_cpu_for_each_of_eight_queues(host):
    assert affinities(host, "igb0-TxRx") == spread("igb0")


@pytest.mark.parametrize("nic", ["igb0", "igb1"])
def test_igb_shares_packets_among_cpus(host, nic):
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


def test_irqbalance_minds_the_others_only(host):
    assert host.service("irqbalance").is_running
    time.sleep(3 * INTERVAL)
    assert affinities(host, "igb0-TxRx") == spread("igb0")
    assert set(affinities(host, "igb1-TxRx").values()) & {"0", "1"}  # it has placed these, which were free


def test_ban_holds_for_interrupts_with_new_numbers(host):
    """A driver gives up its interrupts when channels change; irqbalance asks the script about the new ones."""
    old = affinities(host, "igb0-")
    try:
        for nic in ("igb0", "igb1"):
            host.check_output(f"ethtool -L {nic} combined 4")
        new = affinities(host, "igb0-")
        assert new and not set(new) & set(old)
        assert set(new.values()) == {"0-1"}
        time.sleep(4 * INTERVAL)
        assert affinities(host, "igb0-") == new
        assert set(affinities(host, "igb1-").values()) & {"0", "1"}
    finally:
        for nic in ("igb0", "igb1"):
            host.check_output(f"ethtool -L {nic} combined 8")
