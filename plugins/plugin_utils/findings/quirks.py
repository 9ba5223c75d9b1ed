# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the quirks of hardware, as a table; a row matches by driver, PCI ids and kernel, and by what is in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .harm import lost
from .lanes import card, links
from .model import nic_remedy
from .view import Nic

# Of these the driver calls only some e1000_pch_spt: those of Sunrise Point and Lewisburg (e1000e/netdev.c, the table of
# PCI ids), for which it slows down its memory access. All others are newer.
# fmt: off
_I219_SPT = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15d6", "8086:15d7", "8086:15d8",
    "8086:15e3",
)

# The Ethernet function of Intel chipsets since 2015, by its PCI ids.
_I219 = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15bb", "8086:15bc", "8086:15bd",
    "8086:15be", "8086:15d6", "8086:15d7", "8086:15d8", "8086:15df", "8086:15e0", "8086:15e1", "8086:15e2",
    "8086:15e3", "8086:15f4", "8086:15f5", "8086:15f9", "8086:15fa", "8086:15fb", "8086:15fc", "8086:0d4c",
    "8086:0d4d", "8086:0d4e", "8086:0d4f", "8086:0d53", "8086:0d55", "8086:0dc5", "8086:0dc6", "8086:0dc7",
    "8086:0dc8", "8086:1a1c", "8086:1a1d", "8086:1a1e", "8086:1a1f", "8086:550a", "8086:550b", "8086:550c",
    "8086:550d", "8086:550e", "8086:550f", "8086:5510", "8086:5511",
)
# fmt: on


class Quirk(NamedTuple):
    """A row: which hardware (drivers, PCI ids if any, kernels from and before), in which state, and the cure.

    The state: one of `features` is on, the MTU is above `mtu`, `pause` frames are off, or, for `pair`, the bond of the
    NIC has another port of the same card; `eee` is active, the link runs at `half` duplex, or the ring overflows while
    the PCIe link may sleep (`aspm`). `set` is what to write for the NIC.
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
    since: tuple[int, int] = (0, 0)
    before: tuple[int, int] = (999, 0)
    features: tuple[str, ...] = ()
    mtu: int = 0
    pause: bool = False
    pair: bool = False
    eee: bool = False
    half: bool = False
    aspm: bool = False
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
        pci=_I219_SPT,
        since=(4, 15),
        features=("tso",),
        condition="an Intel I219 of the chipsets Sunrise Point or Lewisburg has tso on under e1000e and Linux 4.15 or "
        "later; newer kernels switch it off themselves",
        explanation="Since Linux 4.15 the driver slows down the memory access of this chip, so that it does not hang. "
        "With segmentation offload it then sends no more than about 670 Mbit/s.",
        action="Switch tso and gso off.",
        reference="https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=b10effb92e27",
        set={"features": {"tso": False, "gso": False}},
    ),
    Quirk(
        id="quirk-i219-jumbo",
        severity="medium",
        title="Intel I219 loses large jumbo frames",
        drivers=("e1000e",),
        pci=_I219,
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
        aspm=True,
        condition="a NIC of Realtek may put its PCIe link into L1, and has lost at least 1000 packets (100 within an "
        "interval), and more than one in 100000",
        explanation="Its buffer is small, and the link wakes too late for a burst, so that receiving is several times "
        "slower than sending. The driver asks the kernel once to keep the link awake, which fails where the firmware "
        "has the say.",
        action="Switch ASPM off for this link (`echo 0 > /sys/class/net/NIC/device/link/l1_aspm`, or in the BIOS), or "
        "flow control on at the port of the switch.",
        reference="https://github.com/openwrt/openwrt/issues/13248",
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
    release = nic.host.release
    known = release != (0, 0) or quirk.since == (0, 0)
    if nic.driver not in quirk.drivers or not (known and quirk.since <= release < quirk.before):
        return {}
    if quirk.pci and nic.text("pci_id") not in quirk.pci:
        return {}
    found = _state(quirk, nic)
    hardware = {"driver": nic.driver, "PCI id": nic.text("pci_id"), "kernel": nic.host.text("kernel", "release")}
    return {**hardware, **found} if found else {}


def _state(quirk: Quirk, nic: Nic) -> dict[str, Any]:
    on = {key: "on" for key in quirk.features if nic.value("features", key) is True}
    if quirk.mtu and nic.count("mtu") > quirk.mtu:
        on["mtu"] = str(nic.count("mtu"))
    if quirk.pause:
        on.update({f"pause {key}": "off" for key in ("rx", "tx") if nic.value("pause", key) is False})
    if quirk.pair:
        on.update(_pair(nic))
    if quirk.eee and nic.text("eee") == "active":
        on["EEE"] = "active"
    if quirk.half and nic.linked and nic.text("duplex") == "Half":
        on.update({"Duplex": "Half", "Speed": f"{nic.speed}Mb/s"})
    missed = lost(nic, "rx_missed") if quirk.aspm and "l1" in nic.text("aspm").split() else None
    if missed:
        on.update({"ASPM of the link": nic.text("aspm"), "lost": missed.text})
    return on


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
