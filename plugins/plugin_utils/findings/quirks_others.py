# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the quirks of NICs that are not Intel's, those of boards and hypervisors: rows of the table of quirks.py."""

from __future__ import annotations

from .chips import BNX2, KERNEL, REALTEK
from .quirks import Quirk

ROWS = (
    Quirk(
        id="quirk-realtek-segmentation",
        severity="medium",
        title="A Realtek NIC cuts segments wrongly",
        drivers=("r8169", "r8168", "r8125", "r8126"),
        pci=REALTEK,
        features=("tso",),
        again=5,
        condition="a NIC of Realtek has tso on, and TCP retransmits one segment in five, at least 10000 (100 within "
        "an interval)",
        explanation="Some of these chips send the parts of a large segment in the wrong order, or hang. The driver "
        "switches tso off for old chips, and on for newer ones, which were believed to be fine.",
        action="Switch tso and gso off, and check whether fewer segments are retransmitted.",
        reference="https://github.com/ublue-os/bazzite/issues/4664",
        set={"features": {"tso": False, "gso": False}},
    ),
    Quirk(
        id="quirk-realtek-aspm",
        severity="high",
        title="A Realtek NIC loses packets while its PCIe link sleeps",
        drivers=("r8169", "r8168", "r8125"),
        pci=REALTEK,
        sleeps="l1",
        unknown="The kernel does not tell whether this link sleeps: see `lspci -vv` (LnkCtl), and switch ASPM off in "
        "the BIOS or by `pcie_aspm=off` in its command line; flow control on at the port of the switch helps as well. "
        "If it does not sleep, the processor is late: give the NIC one that is free and awake (`irq: {affinity: "
        "...}`, the CPU governor, idle states), for its ring cannot be larger.",
        lost="rx_missed",
        condition="a NIC of Realtek may put its PCIe link into L1, and has lost at least 1000 packets (100 within an "
        "interval), and more than one in 100000; medium where the kernel does not tell that of any NIC, for more than "
        "one in 1000 and a ring that is as large as it can be",
        explanation="Its buffer is small, and the link wakes too late for a burst, so that receiving is several times "
        "slower than sending. The driver asks the kernel once to keep the link awake, which fails if the firmware "
        "controls ASPM.",
        action="Switch ASPM off for this link (`pci: {l1_aspm: false}` for the NIC, or in the BIOS), or "
        "flow control on at the port of the switch.",
        reference="https://github.com/openwrt/openwrt/issues/13248",
        set={"pci": {"l1_aspm": False}},
    ),
    Quirk(
        id="quirk-thunderbolt-segmentation",
        severity="note",
        title="Thunderbolt damages forwarded packets that it cuts itself",
        drivers=("thunderbolt-net", "thunderbolt_net"),
        features=("tso",),
        forwards=True,
        condition="the host forwards, and a link over Thunderbolt or USB4 has tso on",
        explanation="What the host sends itself is fast. What it forwards for containers or guests was a thousand "
        "times slower, because one segment in seven had to be sent again.",
        action="If containers on other hosts are slow, switch tso off on this link; gso and gro may stay on.",
        reference="https://github.com/projectbluefin/lab/pull/664",
        set={"features": {"tso": False}},
    ),
    Quirk(
        id="quirk-lan78xx-segmentation",
        severity="note",
        title="The NIC of the Raspberry Pi 3B+ may forget segments",
        drivers=("lan78xx",),
        features=("tso",),
        condition="a NIC of the driver lan78xx has tso on; Raspberry Pi OS switches it off, and Linux itself does not",
        explanation="Data that is lost while the driver cuts a large packet is never sent again. A transfer over NFS "
        "or SSH then stands still, and nothing is counted.",
        action="If transfers from this board stand still, switch tso off.",
        reference="https://github.com/raspberrypi/linux/issues/2449",
        set={"features": {"tso": False}},
    ),
    Quirk(
        id="quirk-bnx2-jumbo",
        severity="medium",
        title="This build of the driver bnx2 loses jumbo frames",
        drivers=("bnx2",),
        pci=BNX2,
        build="2.2.5w",
        mtu=1500,
        condition="a Broadcom NetXtreme II has an MTU above 1500 under the driver bnx2 2.2.5w, which XCP-ng 8.0 to 8.2 "
        "have; the driver of Linux does not",
        explanation="It silently drops packets above 1500 bytes. Storage over jumbo frames then stalls, while logins "
        "work.",
        action="Set the MTU to 1500 on all hosts of the subnet, or use the other kernel of XCP-ng (kernel-alt).",
        reference="https://github.com/xcp-ng/xcp/issues/339",
        set={"mtu": 1500},
    ),
    Quirk(
        id="quirk-xen-segments",
        severity="high",
        title="The NIC of a Xen guest drops segments in too many pieces",
        drivers=("vif", "xen-netfront", "xen_netfront"),
        before=(3, 17),
        ended=f"{KERNEL}97a6d1bb2b65",
        features=("sg",),
        lost="tx_dropped",
        condition="the NIC of a Xen guest has sg on, has dropped at least 1000 packets that it should send (100 within "
        "an interval), and the kernel is older than Linux 3.17",
        explanation="The hypervisor takes a packet in 18 pieces at most, and TCP makes segments of more. The driver "
        "then drops them (`skb rides the rocket` in the kernel's log), again each time they are sent, so that "
        "connections stand still.",
        action="Switch sg off, and segmentation offload with it, or use a newer kernel.",
        reference="https://bugs.launchpad.net/ubuntu/+source/linux/+bug/1317811",
        set={"features": {"sg": False, "tso": False, "gso": False}},
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
        explanation="When the ring to the hypervisor is full, the driver forgets to check it again, so that one queue "
        "receives nothing any more. What the hash sends there is lost until the NIC is restarted.",
        action="Use a newer kernel (for CentOS 7 that of 7.7 or later), or accelerated networking.",
        reference="https://github.com/microsoft/azure-linux-kernel/issues/36",
    ),
    Quirk(
        id="quirk-vmxnet3-tunnel-lro",
        severity="note",
        title="vmxnet3 merges tunnelled packets wrongly",
        drivers=("vmxnet3",),
        pci=("15ad:07b0",),
        since=(5, 8),
        before=(6, 1),
        all=("lro", "tx-udp_tnl-segmentation"),
        condition="vmxnet3 has lro and offloads for tunnels on under Linux 5.8 to 6.0, which learned about these "
        "tunnels and did not know what the hypervisor merges in them",
        explanation="Packets of VXLAN or Geneve that the hypervisor has merged are not marked as merged. Services on "
        "other nodes are then slow, while everything without a tunnel is fast.",
        action="If tunnels are slow, switch lro off, or use a newer kernel.",
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
        rhel=(4, 18, 0, 80, 2, 1),
        features=("rx",),
        condition="a card of Mellanox computes checksums of what it receives, and the kernel is older than Linux 5.0, "
        "or of RHEL 8 before 4.18.0-80.2.1",
        explanation="The card counts the padding of short packets, which is not always zero. The kernel then floods "
        "its log with `hw csum failure` and computes the checksum itself; nothing is lost.",
        action="Use a newer kernel; RHEL 8 has the fix since 4.18.0-80.2.1.",
        reference="https://bugzilla.redhat.com/show_bug.cgi?id=1651509",
    ),
    Quirk(
        id="quirk-rockchip-checksum",
        severity="note",
        title="The NIC of Rockchip boards may stall while it computes checksums",
        drivers=("rk_gmac-dwmac",),
        before=(5, 7),
        features=("tx",),
        condition="a NIC of the driver rk_gmac-dwmac computes checksums of what it sends, under a kernel before Linux "
        "5.7",
        explanation="On RK3399 and its like the DMA reads so much at once (txpbl) that a packet above 1498 bytes does "
        "not fit the FIFO in which its checksum is computed, and sending stalls. Device trees since Linux 5.7 read "
        "less.",
        action="If large transfers from this board stall, switch checksums for sending off, or use a newer kernel and "
        "an MTU of 1500.",
        reference="https://github.com/armbian/build/pull/1736",
        set={"features": {"tx": False}},
    ),
    Quirk(
        id="quirk-rp1-half-duplex",
        severity="note",
        title="The NIC of the Raspberry Pi 5 loses packets at half duplex",
        drivers=("macb",),
        half=True,
        condition="a NIC of the driver macb runs at half duplex",
        explanation="At 10 Mb/s half duplex it receives nothing for some time, and counts nothing. With any switch in "
        "between it negotiates full duplex and loses nothing.",
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
        explanation="With some partners, such as AVM routers, the link goes down and up, or up to a fifth of the "
        "packets is lost, and no counter shows it. With others it works.",
        action="If packets are lost, switch it off (`ethtool --set-eee NIC eee off`).",
        reference="https://github.com/raspberrypi/linux/issues/7511",
    ),
    Quirk(
        id="quirk-bcmgenet-eee",
        severity="note",
        title="The NIC of the Raspberry Pi 4 has energy-efficient Ethernet on",
        drivers=("bcmgenet",),
        eee=True,
        condition="a NIC of the driver bcmgenet has EEE active",
        explanation="With some switches the link becomes slow or loses packets, and no counter shows it. With others "
        "it works.",
        action="If packets are lost, switch it off (`ethtool --set-eee NIC eee off`, or `genet.eee=N` at boot).",
        reference="https://github.com/raspberrypi/linux/issues/4289",
    ),
    Quirk(
        id="quirk-bcmgenet-jumbo",
        severity="medium",
        title="The NIC of the Raspberry Pi 4 hangs with larger packets",
        drivers=("bcmgenet",),
        mtu=1500,
        condition="a NIC of the driver bcmgenet has an MTU above 1500",
        explanation="Packets of slightly more than 2 KiB make its transmit queue time out. With an MTU of 1500 it "
        "does not hang.",
        action="Set the MTU to 1500.",
        reference="https://github.com/raspberrypi/linux/issues/4485",
        set={"mtu": 1500},
    ),
)
