# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which chips hang while they send, as a table: under which kernels, and what people have ended it with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from .chips import I217_I218, I219, I225, I226, INTEL_8257X, INTEL_82579, KERNEL, Release, is_hardware
from .view import Nic


class Hang(NamedTuple):
    """A row: which hardware (drivers, PCI ids, kernels from and before), what is known of it, and the cure.

    `features` must be on for the remedy to make sense, and are what it switches off; none if nothing of the host helps.
    `eee` and `aspm` say that energy-efficient Ethernet, or a PCIe link that sleeps, has a part in it. A row with
    `vlans` is about NICs that carry VLANs of the host.
    """

    drivers: tuple[str, ...]
    about: str
    action: str
    reference: str
    pci: tuple[str, ...] = ()
    since: Release = (0, 0)
    before: Release = (999, 0)
    features: tuple[str, ...] = ()
    eee: bool = False
    aspm: bool = False
    vlans: bool = False

    def remedy(self, nic: Nic) -> dict[str, Any]:
        """What to write for the NIC: only what is not so yet."""
        on = any(nic.value("features", key) is True for key in self.features)
        sleeps = self.eee and nic.text("eee") == "active"
        states = nic.text("aspm").split() if self.aspm else ()
        link = {f"{state}_aspm": False for state in ("l0s", "l1") if state in states}
        settings: Mapping[str, Any] = {
            **({"features": dict.fromkeys(self.features, False)} if on else {}),
            **({"eee": {"enabled": False}} if sleeps else {}),
            **({"pci": link} if link else {}),
        }
        return {"tuning_host_nics": [{"name": nic.name, **settings}]} if settings else {}

    def mends(self, nic: Nic) -> dict[str, Any]:
        """All of it, whatever is so already."""
        settings: Mapping[str, Any] = {
            **({"features": dict.fromkeys(self.features, False)} if self.features else {}),
            **({"eee": {"enabled": False}} if self.eee else {}),
            **({"pci": {"l0s_aspm": False, "l1_aspm": False}} if self.aspm else {}),
        }
        return {"tuning_host_nics": [{"name": nic.name, **settings}]}


_SEGMENTS = ("tso", "gso")
_OFF = "Switch tso and gso off: this driver's chips are known to hang with them."

HANGS = (
    Hang(
        ("e1000",),
        "a hypervisor has emulated this chip for most who still have it, and its emulation hangs",
        "In a guest, take a NIC of virtio (KVM, VirtualBox) or vmxnet3 (VMware) instead; until then try without tso.",
        "https://github.com/home-assistant/operating-system/issues/4120",
        # 82540EM as QEMU and VirtualBox have it, 82545EM as VMware has it.
        pci=("8086:100e", "8086:100f"),
        features=("tso",),
    ),
    Hang(
        ("e1000e",),
        "Intel 82579 hangs with segmentation offload",
        _OFF,
        "https://github.com/siutsin/otaru/pull/2637",
        pci=INTEL_82579,
        features=_SEGMENTS,
    ),
    Hang(
        ("e1000e",),
        "Intel I218 hangs with segmentation offload, and I217 is the same",
        _OFF,
        "https://www.zenwen.tw/e1000e-detected-hardware-unit-hang",
        pci=I217_I218,
        features=_SEGMENTS,
    ),
    Hang(
        ("e1000e",),
        "Intel I219 hangs with segmentation offload, and with energy-efficient Ethernet",
        f"{_OFF} Where that is not enough, switch energy-efficient Ethernet off as well.",
        "https://github.com/clearlinux/distribution/issues/2091",
        pci=I219,
        features=_SEGMENTS,
        eee=True,
    ),
    Hang(
        ("e1000e",),
        "Intel 82573, 82574 and 82583 hang where their PCIe link sleeps, which the driver cannot prevent where the "
        "firmware controls it",
        "Switch ASPM of this link off (`pci: {l0s_aspm: false, l1_aspm: false}`, or in the BIOS, or `pcie_aspm=off` "
        "at boot); if it is off already, try without tso.",
        "https://github.com/torvalds/linux/blob/master/drivers/net/ethernet/intel/e1000e/82571.c",
        pci=INTEL_8257X,
        aspm=True,
    ),
    Hang(
        ("e1000e",),
        "chips of this driver hang with segmentation offload",
        _OFF,
        "https://bisko.tech.blog/2019/12/18/e1000e-device-id-eth0-detected-hardware-unit-hang",
        features=_SEGMENTS,
    ),
    Hang(
        ("igc",),
        "Intel I225 and I226 hang where their PCIe link or the Ethernet link saves energy",
        "Switch energy-efficient Ethernet and ASPM of this link off, and use the newest kernel.",
        "https://github.com/istoreos/istoreos/issues/1463",
        pci=(*I225, *I226),
        eee=True,
        aspm=True,
    ),
    Hang(
        ("tg3",),
        "the memory access of BCM5762 hangs in machines with AMD's chipsets, for which the driver got limits in Linux "
        "4.15 and 4.18 that are not enough for all of them",
        "Switch highdma off, with which these machines are known to be steady, and use a newer kernel and firmware.",
        "https://bugs.launchpad.net/ubuntu/+source/linux/+bug/1447664",
        pci=("14e4:1687",),
        features=("highdma",),
    ),
    Hang(
        ("tg3",),
        "before Linux 4.5 very many small segments in one packet filled the transmit ring for ever",
        "Switch tso off, or use a newer kernel.",
        f"{KERNEL}b7d987295c74",
        before=(4, 5),
        features=("tso",),
    ),
    Hang(
        ("gve",),
        "from Linux 5.14 to 6.10 the driver let segments pass that the device cannot take, which stop a queue",
        "Switch tso off, or use a newer kernel.",
        f"{KERNEL}36e3b949e359",
        pci=("1ae0:0042",),
        since=(5, 14),
        before=(6, 11),
        features=("tso",),
    ),
    Hang(
        ("ena",),
        "the driver resets the device when a processor has not served its queue for five seconds",
        "See what kept the processor busy meanwhile (soft lockups in the kernel's log, memory that ran out): the NIC "
        "is only what noticed it.",
        "https://github.com/amzn/amzn-drivers/issues/27",
    ),
    Hang(
        ("i40e",),
        "firmware and driver of the X710 family must fit each other",
        "Update the firmware of the card to the version that belongs to the driver, and see the pause frames received.",
        "https://github.com/open-power/op-build/issues/3274",
    ),
    Hang(
        ("r8169",),
        "with VLANs on Linux 6.18 checksums of the NIC stop its queue",
        "Switch checksums for sending off, and use a newer kernel when there is one.",
        "https://github.com/home-assistant/operating-system/issues/5019",
        since=(6, 18),
        before=(6, 19),
        features=("tx",),
        vlans=True,
    ),
    Hang(
        ("r8169",),
        "with VLANs on Linux 6.18 checksums of the NIC stop its queue, and where its PCIe link sleeps it hangs as well",
        "If it carries VLANs, switch checksums for sending off (`features: {tx: false}`); else ASPM of this link "
        "(`pci: {l0s_aspm: false, l1_aspm: false}`) and tso where it is on; and try the newest kernel.",
        "https://github.com/home-assistant/operating-system/issues/5019",
        since=(6, 18),
        before=(6, 19),
        features=("tso",),
        aspm=True,
    ),
    Hang(
        ("r8169", "r8168", "r8125", "r8126"),
        "NICs of Realtek hang where their PCIe link sleeps, and some with segmentation offload",
        "Switch ASPM of this link off (`pci: {l0s_aspm: false, l1_aspm: false}`, or in the BIOS), and tso "
        "where it is on, as the driver does for its older chips; and try the newest kernel.",
        "https://github.com/KastB/r8169/issues/3",
        features=("tso",),
        aspm=True,
    ),
    Hang(
        ("macb",),
        "on the Raspberry Pi 5 (RP1) a start of sending is lost now and then, and the queue stands still",
        "Use the newest kernel; until then switch tso and gso off, with which it is rarer.",
        "https://github.com/raspberrypi/linux/issues/7339",
        features=_SEGMENTS,
    ),
    Hang(
        ("virtio_net", "vmxnet3", "hv_netvsc", "xen-netfront", "vif"),
        "in a guest it is the hypervisor that did not take the packets for seconds: it was overloaded, or paused the "
        "guest for a snapshot or a migration",
        "See the hypervisor at that time: its load, the thread that serves this NIC (vhost of KVM), snapshots and "
        "migrations, and its own updates; nothing in the guest helps.",
        "https://github.com/containers/podman/issues/18177",
    ),
    Hang(
        ("r8152", "ax88179_178a", "aqc111", "asix", "smsc95xx", "smsc75xx", "lan78xx"),
        "on USB it is the transfers that stand still: by the port, a hub, the cable or the power supply",
        "Where the driver is the vendor's own (`ethtool -i` then tells another version than the kernel's), update it "
        "first; else try a USB 3 port without a hub, another cable and a stronger power supply, and keep USB from "
        "sleeping (usbcore.autosuspend); the kernel's log tells of each transfer that failed. Then try another "
        "adapter.",
        "https://github.com/raspberrypi/linux/issues/5239",
    ),
)


def known(nic: Nic) -> Optional[Hang]:
    """The first row that this NIC and kernel fit."""
    rows = (row for row in HANGS if is_hardware(row.drivers, row.pci, row.since, row.before, nic))
    return next((row for row in rows if not row.vlans or nic.tagged), None)
