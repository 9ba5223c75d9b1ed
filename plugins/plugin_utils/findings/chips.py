# SPDX-License-Identifier: GPL-3.0-or-later
"""Know chips by their PCI ids, and whether a NIC is one of them under a kernel that has the fault."""

from __future__ import annotations

from .view import Nic

Release = tuple[int, int]

KERNEL = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id="

# Of these the driver calls only some e1000_pch_spt, for which it slows down its memory access: those of Sunrise Point
# and Lewisburg, and two of Comet Lake (e1000e/netdev.c, the table of PCI ids). All others are e1000_pch_cnp or newer.
# fmt: off
SUNRISE = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15d6", "8086:15d7", "8086:15d8",
    "8086:15e3", "8086:0d53", "8086:0d55",
)

# The Ethernet function of Intel chipsets since 2015, by its PCI ids.
I219 = (
    "8086:156f", "8086:1570", "8086:15b7", "8086:15b8", "8086:15b9", "8086:15bb", "8086:15bc", "8086:15bd",
    "8086:15be", "8086:15d6", "8086:15d7", "8086:15d8", "8086:15df", "8086:15e0", "8086:15e1", "8086:15e2",
    "8086:15e3", "8086:15f4", "8086:15f5", "8086:15f9", "8086:15fa", "8086:15fb", "8086:15fc", "8086:0d4c",
    "8086:0d4d", "8086:0d4e", "8086:0d4f", "8086:0d53", "8086:0d55", "8086:0dc5", "8086:0dc6", "8086:0dc7",
    "8086:0dc8", "8086:1a1c", "8086:1a1d", "8086:1a1e", "8086:1a1f", "8086:550a", "8086:550b", "8086:550c",
    "8086:550d", "8086:550e", "8086:550f", "8086:5510", "8086:5511", "8086:57a0", "8086:57a1", "8086:57b3",
    "8086:57b4", "8086:57b5", "8086:57b6", "8086:57b7", "8086:57b8", "8086:57b9", "8086:57ba",
)


# Those that are e1000_pch_tgp and e1000_pch_adp in that table.
TIGER_LAKE = (
    "8086:15f4", "8086:15f5", "8086:15f9", "8086:15fa", "8086:15fb", "8086:15fc", "8086:1a1c", "8086:1a1d",
    "8086:1a1e", "8086:1a1f",
)

# Those of Meteor Lake and later chipsets, e1000_pch_mtp and above in that table.
METEOR_LAKE = (
    "8086:550a", "8086:550b", "8086:550c", "8086:550d", "8086:550e", "8086:550f", "8086:5510", "8086:5511", "8086:57a0",
    "8086:57a1", "8086:57b3", "8086:57b4", "8086:57b5", "8086:57b6", "8086:57b7", "8086:57b8", "8086:57b9", "8086:57ba",
)

# Cards whose errata forbid that their link sleeps: their rows in e1000e/82571.c have FLAG2_DISABLE_ASPM_L0S, and all
# but 82583 FLAG2_DISABLE_ASPM_L1; by their ids in the table of netdev.c.
INTEL_8257X = ("8086:108b", "8086:108c", "8086:109a", "8086:10d3", "8086:10f6", "8086:150c")

# Those before them, in the chipsets of 2010 to 2014 (the table of PCI ids in e1000e/netdev.c).
INTEL_82579 = ("8086:1502", "8086:1503")
I217_I218 = (
    "8086:153a", "8086:153b", "8086:155a", "8086:1559", "8086:15a0", "8086:15a1", "8086:15a2", "8086:15a3",
)

# Those of ixgbe whose ports take SFP+ or QSFP+ (ixgbe_type.h: 82599 SFP, SFP_SF2, SFP_EM, SFP_SF_QP, QSFP_SF_QP).
FIBRE_82599 = ("8086:10fb", "8086:154d", "8086:1507", "8086:154a", "8086:1558")

# igc_is_device_id_i225() and igc_is_device_id_i226() in igc/igc_base.c, with igc_hw.h.
I225 = ("8086:15f2", "8086:15f3", "8086:15f8", "8086:3100", "8086:3101", "8086:5502", "8086:0d9f")
I226 = ("8086:125b", "8086:125c", "8086:3102", "8086:125d")

# rtl8169_pci_tbl in r8169_main.c, those with a PCIe link.
REALTEK = (
    "10ec:2502", "10ec:2600", "10ec:8136", "10ec:8161", "10ec:8162", "10ec:8168", "10ec:8125", "10ec:8126", "10ec:3000",
)

# bnx2_pci_tbl in bnx2.c.
BNX2 = (
    "14e4:164a", "14e4:164c", "14e4:16aa", "14e4:16ac", "14e4:1639", "14e4:163a", "14e4:163b", "14e4:163c",
)
# fmt: on


def is_hardware(drivers: tuple[str, ...], pci: tuple[str, ...], since: Release, before: Release, nic: Nic) -> bool:
    """Whether it is this hardware, under such a kernel; one that is not known has none of the faults of few kernels."""
    release = nic.host.release
    known = release != (0, 0) or (since == (0, 0) and before == (999, 0))
    # A row may mean all chips of a vendor: `15b3:`.
    chip = not pci or nic.text("pci_id").startswith(pci)
    return nic.driver in drivers and known and since <= release < before and chip
