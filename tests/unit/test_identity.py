# SPDX-License-Identifier: GPL-3.0-or-later
"""What devices and mounts say of themselves: steppings, sleep, why there is no link, and what their calls wait for."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import controllers, kernel, nics, protocols
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import ethtool, nfs
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

DEVICE = "/sys/class/net/eth0/device"


def facts_of(bus="0000:0a:00.0", **files):
    disk = memory_host.Files()
    disk.add_nic("eth0", driver="igc", pci="8086:15f3", bus=bus)
    disk.files.update({f"{DEVICE}/{name}": f"{text}\n" for name, text in files.items()})
    return nics.gather(memory_host.connect(disk, lambda *_words: (1, "", ""), True), [], [])["eth0"]


@pytest.mark.parametrize("text, found", [("0x02", 2), ("0x15", 21), ("", None), ("2", None), ("0xfff", None)])
def test_the_revision_tells_steppings_apart(text, found):
    assert facts_of(revision=text).get("revision") == found


@pytest.mark.parametrize(
    "width, best, gone",
    [("63", "4", True), ("63", "255", True), ("0", "255", None), ("4", "63", None), ("4", "4", None), ("", "", None)],
    ids=["now", "both", "root complex", "best", "answers", "no PCIe"],
)
def test_a_device_that_has_left_the_bus_reads_as_ones(width, best, gone):
    link = {"current_link_width": width, "current_link_speed": "Unknown", "max_link_width": best}
    assert facts_of(**link)["pcie"].get("gone") == gone


@pytest.mark.parametrize("control, sleeps", [("auto", True), ("on", None), ("", None)])
def test_an_adapter_for_usb_may_sleep(control, sleeps):
    assert facts_of("2-1:1.0", **{"../power/control": control}).get("usb_sleeps") == sleeps


def test_only_adapters_for_usb_are_asked():
    assert "usb_sleeps" not in facts_of(**{"../power/control": "auto"})


@pytest.mark.parametrize(
    "text, carrier, reason",
    [
        ("yes", "yes", None),
        ("no", "no", None),
        ("no (No cable)", "no", "No cable"),
        ("no (Logical mismatch, No block lock)", "no", "Logical mismatch, No block lock"),
    ],
)
def test_the_driver_says_why_there_is_no_link(text, carrier, reason):
    facts = ethtool.link(f"Settings for eth0:\n\tLink detected: {text}\n")
    assert (facts["carrier"], facts.get("down_reason")) == (carrier, reason)


def test_a_card_without_a_driver_is_told():
    root = "/sys/bus/pci/devices"
    card = {"class": "0x020000", "vendor": "0x8086", "device": "0x10fb"}
    files = {f"{root}/0000:01:00.0/{name}": text for name, text in card.items()}
    files.update({f"{root}/0000:04:00.0/{name}": text for name, text in {**card, "driver/bind": ""}.items()})
    files.update({f"{root}/0000:06:10.0/{name}": text for name, text in {**card, "physfn/class": "0x020000"}.items()})
    files.update({f"{root}/0000:05:00.0/class": "0x010601", "/sys/module/ixgbe/version": "5.14.21"})
    found = controllers.gather(memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True))
    assert found == [{"bus": "0000:01:00.0", "pci_id": "8086:10fb", "ixgbe": True}]


STATS = """\
device /dev/sda1 mounted on / with fstype ext4
device 10.0.0.2:/vol/db mounted on /data with fstype nfs statvers=1.1
\topts:\trw,vers=3
\txprt:\ttcp 868 1 1 0 0 91000000 90999990 0 9100000000 81000000000
\tper-op statistics
\t        READ: 600 600 0 9000000 3900000000 41000 600 41700
\t       WRITE: 400 400 0 1900000000 40000 21000 1400 21400 0
\t     GETATTR: 900 900 0 1 1 900000 900000 900000
device proc mounted on /proc with fstype proc
"""


def test_calls_of_a_mount_wait_here_or_for_the_server():
    assert {at: nfs.each(sums) for at, sums in nfs.sums(STATS).items()} == {
        "/data": {"calls": 1000, "queue_ms": 62.0, "answer_ms": 2.0}
    }
    assert nfs.sums("device x mounted on /y with fstype nfs4\n") == nfs.each({}) == {}


def test_a_mount_has_them_beside_its_read_ahead():
    mount = "40 20 0:45 / /data rw,relatime - nfs 10.0.0.2:/vol/db rw,vers=3,proto=tcp\n"
    files = {"/proc/self/mountstats": STATS, "/proc/self/mountinfo": mount}
    host = memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)
    (row,) = protocols.mounts(host, {}, 0)
    assert (row["at"], row["calls"], row["queue_ms"]) == ("/data", 1000, 62.0)
    assert "growth" not in row
    (row,) = protocols.mounts(host, {"/data": {"calls": 900, "queue": 61000, "answer": 1900}, "/old": {}}, 10)
    assert (row["growth"], row["interval"]) == ({"calls": 100, "queue_ms": 10.0, "answer_ms": 1.0}, 10)
    (row,) = protocols.mounts(host, protocols.calls(host), 10)
    assert (row["calls"], row["growth"]) == (1000, {})


@pytest.mark.parametrize(
    "modules, found",
    [(["kvm", "vhost_net"], (True, True)), (["kvm"], (True, False)), (["vhost_net"], (None, None))],
)
def test_a_host_of_guests_tells_who_moves_their_packets(modules, found):
    files = {f"/sys/module/{name}/parameters/x": "1" for name in modules}
    facts = kernel.gather(memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True))
    assert (facts.get("kvm"), facts.get("vhost_net")) == found


@pytest.mark.parametrize(
    "name, tap, module, found",
    [
        ("qemu-system-x86", "vm-a", "kvm", True),
        ("qemu-kvm", "vm-a", "kvm", True),
        ("kvm", "vm-a", "kvm", True),
        ("kvm-nx-lpage-re", "vm-a", "kvm", None),
        ("qemu-ga", "vm-a", "kvm", None),
        ("qemu-system-x86", "", "kvm", None),
        ("qemu-system-x86", "vm-a", "vhost_net", None),
    ],
)
def test_only_where_vhost_is_absent_and_taps_are_there_programs_are_asked_for(name, tap, module, found):
    files = {
        f"/sys/module/{module}/parameters/x": "1",
        "/sys/module/kvm/parameters/y": "1",
        "/proc/41/comm": f"{name}\n",
    }
    files.update({f"/sys/class/net/{tap}/tun_flags": "0x5002\n"} if tap else {})
    facts = kernel.gather(memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True))
    assert facts.get("qemu") is found


@pytest.mark.parametrize(
    "path, found",
    [
        ("/var/lib/kubelet/config.yaml", True),
        ("/etc/kubernetes/kubelet.conf", True),
        ("/var/lib/rancher/k3s/agent/kubelet.kubeconfig", True),
        ("/usr/bin/kubectl", None),
        ("/root/.kube/config", None),
    ],
)
def test_a_node_of_kubernetes_is_known_by_what_its_agent_leaves(path, found):
    facts = kernel.gather(memory_host.connect(memory_host.Files({path: "x"}), lambda *_words: (1, "", ""), True))
    assert facts.get("kubernetes") is found
