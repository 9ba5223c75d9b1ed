# SPDX-License-Identifier: GPL-3.0-or-later
"""The NICs of the lab are tuned, by what the tools and the kernel say themselves."""

import pytest
from releases import chosen


def current(host, flag, nic):
    """The last block of ethtool's text, where -g and -l have what is in force: {label: value}."""
    text = host.check_output(f"LC_ALL=C ethtool {flag} {nic}")
    lines = [line.split(":", 1) for line in text.rpartition("Current hardware settings")[2].splitlines() if ":" in line]
    return {label.strip(): value.strip() for label, value in lines}


@pytest.mark.parametrize("nic", ["igb0", "igb1"])
def test_igb(host, nic):
    ring = current(host, "-g", nic)
    assert (ring["RX"], ring["TX"]) == ("4096", "2048")
    assert current(host, "-l", nic)["Combined"] == "8"
    assert current(host, "-k", nic)["generic-receive-offload"] == "off"
    queues = host.file(f"/sys/class/net/{nic}/queues").listdir()
    assert sum(queue.startswith("rx-") for queue in queues) == 8


def test_e1000e_is_rounded_to_eight(host):
    assert current(host, "-g", "e1000e0")["RX"] == "1008"
    assert current(host, "-c", "e1000e0")["rx-usecs"] == "50"
    features = current(host, "-k", "e1000e0")
    assert features["tcp-segmentation-offload"] == "off"
    assert features["generic-segmentation-offload"] == "off"


def test_vmxnet3(host):
    ring = current(host, "-g", "vmxnet0")
    assert (ring["RX"], ring["RX Jumbo"]) == ("4096", "1024")
    assert current(host, "-k", "vmxnet0")["large-receive-offload"] == "off"


def test_virtio(host):
    assert current(host, "-l", "virtio0")["Combined"] == "4"


def test_veth_with_64_queues(host):
    if chosen().name == "bullseye":
        pytest.skip("the veth of Linux 5.10 knows no number of channels")
    channels = current(host, "-l", "lab0")
    assert (channels["RX"], channels["TX"]) == ("16", "16")


def test_kernel_parameters(host):
    assert host.check_output("sysctl -n net.core.rmem_max") == "268435456"
    assert host.check_output("sysctl -n net.core.netdev_max_backlog") == "250000"
    # At least 87380 leaves the kernel's own 131072 alone.
    assert host.check_output("sysctl -n net.ipv4.tcp_rmem").split() == ["4096", "131072", "134217728"]


def test_kernel_parameters_are_kept(host):
    file = host.file("/etc/sysctl.d/90-linuxnet-tuning.conf")
    assert (file.user, file.mode) == ("root", 0o644)
    host.check_output("sysctl -w net.core.rmem_max=300000")
    host.check_output("sysctl --system")
    assert host.check_output("sysctl -n net.core.rmem_max") == "268435456"


def test_memory_is_for_root_only(host):
    folder = host.file("/var/lib/linuxnet-tuning")
    assert (folder.user, folder.mode) == ("root", 0o700)
    assert host.file("/var/lib/linuxnet-tuning/adjusted.json").mode == 0o600
