# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the quirks of hardware, as a table; a row matches by driver, PCI ids and kernel, and by what is in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .harm import lost
from .lanes import card, links
from .model import nic_remedy
from .view import Nic

Release = tuple[int, int]

KERNEL = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id="

# Of these the driver calls only some e1000_pch_spt: those of Sunrise Point and Lewisburg (e1000e/netdev.c, the table of
# PCI ids), for which it slows down its memory access. All others are newer.
# fmt: off
_SUNRISE = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15d6", "8086:15d7", "8086:15d8",
    "8086:15e3",
)

# The Ethernet function of Intel chipsets since 2015, by its PCI ids.
I219 = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15bb", "8086:15bc", "8086:15bd",
    "8086:15be", "8086:15d6", "8086:15d7", "8086:15d8", "8086:15df", "8086:15e0", "8086:15e1", "8086:15e2",
    "8086:15e3", "8086:15f4", "8086:15f5", "8086:15f9", "8086:15fa", "8086:15fb", "8086:15fc", "8086:0d4c",
    "8086:0d4d", "8086:0d4e", "8086:0d4f", "8086:0d53", "8086:0d55", "8086:0dc5", "8086:0dc6", "8086:0dc7",
    "8086:0dc8", "8086:1a1c", "8086:1a1d", "8086:1a1e", "8086:1a1f", "8086:550a", "8086:550b", "8086:550c",
    "8086:550d", "8086:550e", "8086:550f", "8086:5510", "8086:5511",
)


# Those before them, in the chipsets of 2010 to 2014 (the table of PCI ids in e1000e/netdev.c).
INTEL_82579 = ("8086:1502", "8086:1503")
I217_I218 = (
    "8086:153a", "8086:153b", "8086:155a", "8086:1559", "8086:15a0", "8086:15a1", "8086:15a2", "8086:15a3",
)

# igc_is_device_id_i225() and igc_is_device_id_i226() in igc/igc_base.c, with igc_hw.h.
I225 = ("8086:15f2", "8086:15f3", "8086:15f8", "8086:3100", "8086:3101", "8086:5502", "8086:0d9f")
I226 = ("8086:125b", "8086:125c", "8086:3102", "8086:125d")

# rtl8169_pci_tbl in r8169_main.c, those with a PCIe link.
_REALTEK = (
    "10ec:2502", "10ec:2600", "10ec:8136", "10ec:8161", "10ec:8162", "10ec:8168", "10ec:8125", "10ec:8126", "10ec:3000",
)

# bnx2_pci_tbl in bnx2.c.
_BNX2 = (
    "14e4:164a", "14e4:164c", "14e4:16aa", "14e4:16ac", "14e4:1639", "14e4:163a", "14e4:163b", "14e4:163c",
)
# fmt: on


class Quirk(NamedTuple):
    """A row: which hardware (drivers, PCI ids or vendors, kernels from and before), in which state, and the cure.

    The state: one of `features` is on, or `all` of them are; the MTU is above `mtu`, `pause` frames are off, or, for
    `pair`, the bond of the NIC has another port of the same card; `eee` is active, the link runs at `half` duplex or at
    a `speed`, the PCIe link may go to the state `sleeps`, something was `counted`, or more of it lost than a burst
    (`lost`). Where a row has several of these, all must hold. `build` is how the version of the driver begins that has
    the fault. `set` is what to write for the NIC. A row without `before` is not ended by any kernel that is known, and
    `ended` is what ended it.
    """

    id: str
    severity: str
    title: str
    drivers: tuple[str, ...]
    condition: str
    explanation: str
    action: str
    reference: str
    pci: tuple[str, ...] = ()
    since: Release = (0, 0)
    before: Release = (999, 0)
    features: tuple[str, ...] = ()
    mtu: int = 0
    pause: bool = False
    pair: bool = False
    eee: bool = False
    half: bool = False
    all: tuple[str, ...] = ()
    speed: int = 0
    sleeps: str = ""
    counted: str = ""
    lost: str = ""
    build: str = ""
    ended: str = ""
    set: Mapping[str, Any] = {}

    def remedy(self, nic: Nic) -> dict[str, Any]:
        """What to write for one NIC."""
        return nic_remedy(nic.name, **self.set) if self.set else {}


QUIRKS = (
    Quirk(
        id="quirk-i219-segmentation",
        severity="high",
        title="Intel I219 sends slowly with segmentation offload",
        drivers=("e1000e",),
        pci=_SUNRISE,
        since=(4, 15),
        before=(6, 3),
        ended=f"{KERNEL}67d47b95119a",
        features=("tso",),
        condition="an Intel I219 of the chipsets Sunrise Point or Lewisburg has tso on under e1000e and Linux 4.15 to "
        "6.2; later ones switch it off themselves",
        explanation="Since Linux 4.15 the driver slows down the memory access of this chip, so that it does not hang. "
        "With segmentation offload it then sends no more than about 670 Mbit/s.",
        action="Switch tso and gso off.",
        reference=f"{KERNEL}b10effb92e27",
        set={"features": {"tso": False, "gso": False}},
    ),
    Quirk(
        id="quirk-i219-jumbo",
        severity="medium",
        title="Intel I219 loses large jumbo frames",
        drivers=("e1000e",),
        pci=I219,
        mtu=8500,
        condition="an Intel I219 has an MTU above 8500",
        explanation="This chip loses up to one in 2500 packets when jumbo frames of 9 KB come back to back. With an "
        "MTU of 8500 it loses none.",
        action="Set the MTU to 8500, on all hosts of the subnet alike.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/intel/e1000e.html",
        set={"mtu": 8500},
    ),
    Quirk(
        id="quirk-ice-pause",
        severity="note",
        title="Intel E810 starts without flow control",
        drivers=("ice",),
        pause=True,
        condition="a NIC of the driver ice has pause frames off",
        explanation="Other Intel NICs ask for flow control from the start, and this driver does not. Where links of "
        "different speed meet at a switch with small buffers, bursts are then lost there.",
        action="Only where speeds are mixed, switch pause frames on, here and at the port of the switch.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/intel/ice.html",
        set={"pause": {"rx": True, "tx": True}},
    ),
    Quirk(
        id="quirk-x540-pair",
        severity="medium",
        title="Both ports of one X540-T2 cannot run at full speed",
        drivers=("ixgbe",),
        pci=("8086:1528",),
        pair=True,
        condition="a bond that uses all its members has two ports of the same Intel X540-T2 card, and a PCIe link "
        "on their way to the processor carries less than both, or does not tell",
        explanation="Four lanes move no more than 14 Gbit/s over both ports of this card. Eight lanes, or two cards "
        "with one port each, reach 20 Gbit/s.",
        action="Put the card into a slot with eight lanes, or take one port each of two cards into the bond.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/intel/ixgbe.html",
    ),
    Quirk(
        id="quirk-realtek-aspm",
        severity="high",
        title="A Realtek NIC loses packets while its PCIe link sleeps",
        drivers=("r8169", "r8168", "r8125"),
        pci=_REALTEK,
        sleeps="l1",
        lost="rx_missed",
        condition="a NIC of Realtek may put its PCIe link into L1, and has lost at least 1000 packets (100 within an "
        "interval), and more than one in 100000",
        explanation="Its buffer is small, and the link wakes too late for a burst, so that receiving is several times "
        "slower than sending. The driver asks the kernel once to keep the link awake, which fails where the firmware "
        "has the say.",
        action="Switch ASPM off for this link (`pci: {l1_aspm: false}` for the NIC, or in the BIOS), or "
        "flow control on at the port of the switch.",
        reference="https://github.com/openwrt/openwrt/issues/13248",
    ),
    Quirk(
        id="quirk-82579-100",
        severity="note",
        title="Intel 82579 loses packets at 100 Mb/s",
        drivers=("e1000e",),
        pci=INTEL_82579,
        before=(3, 2),
        speed=100,
        condition="an Intel 82579 has a link of 100 Mb/s under e1000e and a kernel before Linux 3.2",
        explanation="At this speed the chip drops packets that it has received. Linux 3.2 has begun to work around it, "
        "and some distributions did so in older kernels.",
        action="Use a newer kernel, or a link of 1000 Mb/s.",
        reference="https://bugzilla.redhat.com/show_bug.cgi?id=713315",
    ),
    Quirk(
        id="quirk-i226-sleep",
        severity="note",
        title="Intel I226 receives late while its PCIe link sleeps deeply",
        drivers=("igc",),
        pci=I226,
        before=(6, 17),
        ended="https://github.com/freebsd/freebsd-src/pull/2318",
        sleeps="l1_2",
        condition="an Intel I226 may put its PCIe link into L1.2, which Linux 6.16 switches off after a suspend and "
        "6.17 from the start",
        explanation="Waking up from L1.2 takes longer than the packet buffer of this chip lasts, so that receiving "
        "stalls under load. Other states of ASPM do no harm.",
        action="Switch it off (`echo 0 > /sys/class/net/NIC/device/link/l1_2_aspm`), or use a newer kernel.",
        reference=f"{KERNEL}0325143b59c6",
    ),
    Quirk(
        id="quirk-igc-eee",
        severity="note",
        title="Intel I225 or I226 has energy-efficient Ethernet on",
        drivers=("igc",),
        pci=(*I225, *I226),
        eee=True,
        condition="an Intel I225 or I226 has EEE active",
        explanation="With some switches these chips lose their link for seconds while EEE is on, above all at 2.5 "
        "Gb/s. With others it works.",
        action="Where the link goes down, switch it off (`eee: {enabled: false}`).",
        reference="https://github.com/vyos/vyos-build/pull/366",
    ),
    Quirk(
        id="quirk-bnx2-jumbo",
        severity="medium",
        title="This build of the driver bnx2 loses jumbo frames",
        drivers=("bnx2",),
        pci=_BNX2,
        build="2.2.5w",
        mtu=1500,
        condition="a Broadcom NetXtreme II has an MTU above 1500 under the driver bnx2 2.2.5w, which XCP-ng 8.0 to 8.2 "
        "have; the driver of Linux does not",
        explanation="It drops packets above 1500 bytes without a word. Storage over jumbo frames then stands still, "
        "while logins work.",
        action="Set the MTU to 1500 on all hosts of the subnet, or use the other kernel of XCP-ng (kernel-alt).",
        reference="https://github.com/xcp-ng/xcp/issues/339",
        set={"mtu": 1500},
    ),
    Quirk(
        id="quirk-netvsc-stuck",
        severity="medium",
        title="A queue of the Hyper-V NIC does not wake up again",
        drivers=("hv_netvsc",),
        before=(4, 18),
        ended=f"{KERNEL}6b81b193b83e",
        counted="rx_stuck",
        condition="hv_netvsc has counted rx_comp_busy, and the kernel is older than Linux 4.18",
        explanation="When the ring to the hypervisor is full the driver forgets to look again, so that one queue "
        "receives nothing any more. What the hash sends there is lost until the NIC is restarted.",
        action="Use a newer kernel (for CentOS 7 that of 7.7 or later), or accelerated networking.",
        reference="https://github.com/microsoft/azure-linux-kernel/issues/36",
    ),
    Quirk(
        id="quirk-vmxnet3-tunnel-lro",
        severity="note",
        title="vmxnet3 merges packets inside of tunnels wrongly",
        drivers=("vmxnet3",),
        pci=("15ad:07b0",),
        since=(5, 8),
        before=(6, 1),
        all=("lro", "tx-udp_tnl-segmentation"),
        condition="vmxnet3 has lro and offloads for tunnels on under Linux 5.8 to 6.0, which learned about these "
        "tunnels and did not know what the hypervisor merges in them",
        explanation="Packets of VXLAN or Geneve that the hypervisor has merged are not marked as merged. Services on "
        "other nodes are then slow, while everything without a tunnel is fast.",
        action="Where tunnels are slow, switch lro off, or use a newer kernel.",
        reference=f"{KERNEL}40b8c2a1af03",
        set={"features": {"lro": False}},
    ),
    Quirk(
        id="quirk-mellanox-checksum",
        severity="note",
        title="Checksums of short packets look wrong on ConnectX cards",
        drivers=("mlx4_core", "mlx4_en", "mlx5_core"),
        pci=("15b3:",),
        before=(5, 0),
        features=("rx",),
        condition="a card of Mellanox computes checksums of what it receives, and the kernel is older than Linux 5.0",
        explanation="The card counts the padding of short packets, which is not always zero. The kernel then logs `hw "
        "csum failure` in masses and computes again; nothing is lost.",
        action="Use a newer kernel; RHEL 8 has the correction since 4.18.0-80.2.1.",
        reference="https://bugzilla.redhat.com/show_bug.cgi?id=1651509",
    ),
    Quirk(
        id="quirk-rp1-half-duplex",
        severity="note",
        title="The NIC of the Raspberry Pi 5 loses packets at half duplex",
        drivers=("macb",),
        half=True,
        condition="a NIC of the driver macb runs at half duplex",
        explanation="For periods it receives nothing at 10 Mb/s half duplex, and counts nothing. With any switch in "
        "between it negotiates full duplex, and loses nothing.",
        action="Put a switch between the two devices.",
        reference="https://github.com/raspberrypi/linux/issues/7115",
    ),
    Quirk(
        id="quirk-rp1-eee",
        severity="note",
        title="The NIC of the Raspberry Pi 5 has energy-efficient Ethernet on",
        drivers=("macb",),
        since=(6, 18),
        eee=True,
        condition="a NIC of the driver macb has EEE active, which Linux 6.18 has begun to switch on",
        explanation="With some partners, such as routers of AVM, the link goes down and up, or up to a fifth of the "
        "packets is lost, and no counter tells. With others it works.",
        action="Where packets are lost, switch it off (`ethtool --set-eee NIC eee off`).",
        reference="https://github.com/raspberrypi/linux/issues/7511",
    ),
    Quirk(
        id="quirk-bcmgenet-eee",
        severity="note",
        title="The NIC of the Raspberry Pi 4 has energy-efficient Ethernet on",
        drivers=("bcmgenet",),
        eee=True,
        condition="a NIC of the driver bcmgenet has EEE active",
        explanation="With some switches the link becomes slow, or loses packets, that no counter tells. With others it "
        "works.",
        action="Where packets are lost, switch it off (`ethtool --set-eee NIC eee off`, or `genet.eee=N` at boot).",
        reference="https://github.com/raspberrypi/linux/issues/4289",
    ),
    Quirk(
        id="quirk-bcmgenet-jumbo",
        severity="medium",
        title="The NIC of the Raspberry Pi 4 hangs with larger packets",
        drivers=("bcmgenet",),
        mtu=1500,
        condition="a NIC of the driver bcmgenet has an MTU above 1500",
        explanation="Packets of a little more than 2 KiB let its transmit queue time out. With an MTU of 1500 it does "
        "not hang.",
        action="Set the MTU to 1500.",
        reference="https://github.com/raspberrypi/linux/issues/4485",
        set={"mtu": 1500},
    ),
)


# Mb/s of two ports.
_BOTH = 20000


def applies(quirk: Quirk, nic: Nic) -> dict[str, Any]:
    """The evidence, if a NIC is such hardware in such a state."""
    if not is_hardware(quirk.drivers, quirk.pci, quirk.since, quirk.before, nic):
        return {}
    if quirk.build and not nic.text("driver_version").startswith(quirk.build):
        return {}
    found = _state(quirk, nic)
    build = {"driver version": nic.text("driver_version")} if quirk.build else {}
    return {**_hardware(nic), **build, **found} if found else {}


def _hardware(nic: Nic) -> dict[str, Any]:
    return {"driver": nic.driver, "PCI id": nic.text("pci_id"), "kernel": nic.host.text("kernel", "release")}


def is_hardware(drivers: tuple[str, ...], pci: tuple[str, ...], since: Release, before: Release, nic: Nic) -> bool:
    """Whether it is this hardware, under such a kernel; one that is not known has none of the faults of few kernels."""
    release = nic.host.release
    known = release != (0, 0) or (since == (0, 0) and before == (999, 0))
    # A row may mean all chips of a vendor: `15b3:`.
    chip = not pci or nic.text("pci_id").startswith(pci)
    return nic.driver in drivers and known and since <= release < before and chip


def _state(quirk: Quirk, nic: Nic) -> dict[str, Any]:
    """What is so of all that the row asks for; nothing if some of it is not."""
    asked = [
        (quirk.features, {key: "on" for key in quirk.features if nic.value("features", key) is True}),
        (quirk.all, dict.fromkeys(quirk.all, "on") if all(_feature(nic, key) for key in quirk.all) else {}),
        (quirk.mtu, {"mtu": str(nic.count("mtu"))} if nic.count("mtu") > quirk.mtu else {}),
        (quirk.pause, {f"pause {key}": "off" for key in ("rx", "tx") if nic.value("pause", key) is False}),
        (quirk.pair, _pair(nic) if quirk.pair else {}),
        (quirk.eee, {"EEE": "active"} if nic.text("eee") == "active" else {}),
        (quirk.half, _link(nic, nic.text("duplex") == "Half")),
        (quirk.speed, _link(nic, nic.speed == quirk.speed)),
        (quirk.sleeps, {"ASPM of the link": nic.text("aspm")} if quirk.sleeps in nic.text("aspm").split() else {}),
        (quirk.counted, _counted(nic, quirk.counted)),
        (quirk.lost, _lost(nic, quirk.lost)),
    ]
    found = [state for wanted, state in asked if wanted]
    return {key: value for state in found for key, value in state.items()} if all(found) else {}


def _feature(nic: Nic, key: str) -> bool:
    return nic.value("features", key) is True


def _link(nic: Nic, holds: bool) -> dict[str, Any]:
    return {"Duplex": nic.text("duplex"), "Speed": f"{nic.speed}Mb/s"} if holds and nic.linked else {}


def _counted(nic: Nic, name: str) -> dict[str, Any]:
    count, since = nic.counted(name) if name else (0, "")
    return {name: f"{count} {since}"} if count else {}


def _lost(nic: Nic, name: str) -> dict[str, Any]:
    missed = lost(nic, name) if name else None
    return {"lost": missed.text} if missed else {}


def _pair(nic: Nic) -> dict[str, Any]:
    """The other ports of the same card that are in the same bond; told once, at the first of them.

    What limits them is the narrowest link on the way; a bond of active-backup uses one of them at a time.
    """
    narrowest = min(links(nic), key=lambda link: link.capacity, default=None)
    if narrowest and narrowest.capacity >= _BOTH:
        return {}
    way = str(narrowest) if narrowest else "not told; see how many lanes the slot has"
    for bond, facts in nic.host.below("bonds").items():
        if facts.text("mode") == "active-backup":
            continue
        ports = [port for port in nic.host.under(bond) if card(port) == card(nic)]
        if nic.name in facts.below("members") and card(nic) and len(ports) > 1 and ports[0].name == nic.name:
            return {"bond": bond, "ports of one card": [port.name for port in ports], "PCIe link": way}
    return {}
