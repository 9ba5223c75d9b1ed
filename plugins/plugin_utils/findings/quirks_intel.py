# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the quirks of Intel NICs: rows of the table of quirks.py."""

from __future__ import annotations

from .chips import I219, I225, I226, INTEL_82579, KERNEL, METEOR_LAKE, SUNRISE, TIGER_LAKE
from .quirks import Quirk

ROWS = (
    Quirk(
        id="quirk-i219-segmentation",
        severity="high",
        title="Intel I219 sends slowly with segmentation offload",
        drivers=("e1000e",),
        pci=SUNRISE,
        since=(4, 15),
        before=(6, 3),
        ended=f"{KERNEL}67d47b95119a",
        features=("tso",),
        condition="an Intel I219 of the chipsets Sunrise Point or Lewisburg, or one of the two of Comet Lake that are "
        "alike, has tso on under e1000e and Linux 4.15 to 6.2; later ones switch it off themselves",
        explanation="Since Linux 4.15 the driver slows down the memory access of this chip, so that it does not hang. "
        "With segmentation offload it then sends no more than about 670 Mbit/s.",
        action="Switch tso off; gso costs nothing here. Where the host has another port, such as an I210, that one may "
        "serve better.",
        reference=f"{KERNEL}b10effb92e27",
        set={"features": {"tso": False}},
    ),
    Quirk(
        id="quirk-i219-jumbo",
        severity="medium",
        title="Intel I219 loses large jumbo frames",
        drivers=("e1000e",),
        pci=I219,
        mtu=8500,
        condition="an Intel I219 has an MTU above 8500",
        explanation="By the specification update of this chip it loses up to one in 2500 packets when jumbo frames of "
        "9 KB arrive back to back. With an MTU of 8500 a field report came to 990 Mbit/s.",
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
        id="quirk-ice-safe-mode",
        severity="high",
        title="Intel E810 runs in safe mode, with one queue and no offloads",
        drivers=("ice",),
        lacks=("rx",),
        condition="a NIC of the driver ice cannot have checksums of received packets, which it has but in safe mode",
        explanation="When it was loaded, the driver did not find its firmware package (DDP), or the package does not "
        "fit. Until then the NIC has one queue and no offloads, and LLDP and LACP may not arrive at all.",
        action="Install intel/ice/ddp/ice.pkg (linux-firmware; firmware-intel-misc of Debian), also into the "
        "initramfs if the driver is loaded from there, and reboot.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/intel/ice.html",
    ),
    Quirk(
        id="quirk-x540-pair",
        severity="medium",
        title="Both ports of one X540-T2 cannot run at full speed",
        drivers=("ixgbe",),
        pci=("8086:1528",),
        pair=True,
        condition="a bond that uses all its members has two ports of the same Intel X540-T2 card, and a PCIe link "
        "on their way to the processor, that of the card or of a bridge above it, carries less than all ports of the "
        "bond behind it; a note where no link tells its lanes",
        explanation="Four lanes of 5 GT/s move no more than 14 Gbit/s over both ports of this card. Eight lanes, or "
        "two cards with one port each, reach 20 Gbit/s; a bridge with eight lanes moves 27 Gbit/s for all cards behind "
        "it.",
        action="Put the card into a slot with eight lanes, or take one port each of two cards into the bond.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/intel/ixgbe.html",
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
        explanation="At this speed the chip drops packets that it has received. Linux 3.2 works around it, and so do "
        "older kernels of some distributions.",
        action="Use a newer kernel, or a link of 1000 Mb/s.",
        reference="https://bugzilla.redhat.com/show_bug.cgi?id=713315",
    ),
    Quirk(
        id="quirk-i219-tiger-lake",
        severity="note",
        title="Intel I219 of Tiger Lake loses packets",
        drivers=("e1000e",),
        pci=TIGER_LAKE,
        before=(5, 15),
        ended=f"{KERNEL}639e298f432f",
        gaps=20,
        condition="an Intel I219 of Tiger Lake or Alder Lake runs under a kernel before Linux 5.15; medium where one "
        "segment of TCP in 20 came after one that was missing",
        explanation="The chip forwards packets wrongly while its power is managed (DPG), so that many are lost. Linux "
        "5.15 mends that, and so do 5.10 and 5.14 of October 2021.",
        action="Use a newer kernel.",
        reference="https://bugs.launchpad.net/ubuntu/+source/linux/+bug/1927925",
    ),
    Quirk(
        id="quirk-i219-meteor-lake",
        severity="note",
        title="Intel I219 of Meteor Lake and later loses packets while it saves power",
        drivers=("e1000e",),
        pci=METEOR_LAKE,
        before=(6, 19),
        again=10,
        ended=f"{KERNEL}3c7bf5af2196",
        condition="an Intel I219 of Meteor Lake or later runs under a kernel before Linux 6.19, and TCP retransmits "
        "one segment in ten, at least 10000 (100 within an interval)",
        explanation="Between packets the chip rests (K1), and with some firmware, switches and boards it loses what "
        "comes while it wakes. The updates of April 2025 (6.14.2, and those of 6.12 and 6.6) changed how it does that, "
        "with which more machines lose a third of their packets; Linux 6.19 does without this state.",
        action="Use Linux 6.19 or later, where `ethtool --show-priv-flags NIC` shows disable-k1 on; until then use a "
        "kernel of before that change, or another NIC.",
        reference="https://github.com/QubesOS/qubes-issues/issues/9896",
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
        "stalls under load. Other ASPM states do no harm.",
        action="Switch it off (`echo 0 > /sys/class/net/NIC/device/link/l1_2_aspm`), or use a newer kernel.",
        reference=f"{KERNEL}0325143b59c6",
    ),
    Quirk(
        id="quirk-i225-gap",
        severity="note",
        title="An early Intel I225 sends frames too close to each other at 2.5 Gb/s",
        drivers=("igc",),
        pci=I225,
        speed=2500,
        revisions=(1, 2),
        condition="an Intel I225 of the revisions 1 or 2 has a link of 2500 Mb/s",
        explanation="By the specification update of this chip its first two steppings do not keep the gap between "
        "frames that the standard asks for at this speed. Many switches lose some of these frames, so that TCP sends "
        "much again.",
        action="If TCP sends much again, offer 1000 Mb/s at most; the third stepping has no such fault.",
        reference="https://www.intel.com/content/www/us/en/content-details/621661/"
        "intel-ethernet-controller-i225-specification-update.html",
        set={"speed": {"advertise": {"at_most": 1000}}},
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
        action="If the link goes down, switch it off (`eee: {enabled: false}`).",
        reference="https://github.com/vyos/vyos-build/pull/366",
    ),
)
