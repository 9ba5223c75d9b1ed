# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which NICs a hypervisor gives, or a driver without a link of its own: what these tell of a link is invented."""

from __future__ import annotations

from ..schema import Reader
from . import sysfs

# Their PCIe link and their speed are inventions of the hypervisor.
# fmt: off
VIRTUAL = (
    "virtio_net", "vmxnet3", "ena", "hv_netvsc", "mana", "xen-netfront", "vif", "gve", "idpf", "ibmveth", "veth",
    "tun", "bridge", "bonding", "i40evf", "iavf", "igbvf", "ixgbevf", "cxgb4vf", "rvu_nicvf", "nfp_netvf",
    "thunder-nicvf",
)

# Virtual functions that have the driver of their card: from the PCI ids in mlx4/main.c, mlx5/core/main.c, bnx2x.h,
# bnxt.c, qede_main.c, sfc/efx.c, nfp_netvf_main.c, enic_main.c, hinic_hw_dev.h, hnae3.h and ionic.h of Linux.
VIRTUAL_FUNCTIONS = frozenset((
    "15b3:1002", "15b3:1004", "15b3:1012", "15b3:1014", "15b3:1016", "15b3:1018", "15b3:101a", "15b3:101c",
    "15b3:101e", "14e4:166f", "14e4:16a9", "14e4:16ad", "14e4:16af", "14e4:16c1", "14e4:16cb", "14e4:16d3",
    "14e4:16dc", "14e4:16e1", "14e4:1806", "14e4:1807", "14e4:1819", "14e4:d800", "1077:1664", "1077:8090",
    "1924:1903", "1924:1923", "1924:1a03", "1924:1b03", "19ee:6003", "1137:0071", "19e5:375e", "19e5:a22e",
    "19e5:a22f", "1dd8:1003",
))

# Networks over USB that have no link of their own: duplex and speed are what the driver says of all of them.
USB_NETWORKS = (
    "cdc_ether", "cdc_ncm", "cdc_eem", "cdc_mbim", "cdc_subset", "rndis_host", "usbnet", "qmi_wwan", "huawei_cdc_ncm",
    "ipheth", "zaurus", "net1080", "plusb", "gl620a",
)
# fmt: on


# By the vendor that the firmware tells, its beginning: what runs this guest. Microsoft makes computers as well.
_FIRMWARE = "/sys/class/dmi/id"
_VENDORS = {
    "QEMU": "QEMU",
    "Red Hat": "KVM",
    "oVirt": "KVM",
    "OpenStack": "KVM",
    "Nutanix": "AHV",
    "VMware": "VMware",
    "innotek": "VirtualBox",
    "Xen": "Xen",
    "Parallels": "Parallels",
    "Microsoft": "Hyper-V",
}


def above(host: Reader) -> str:
    """The hypervisor that a host is a guest of, by its firmware; empty if it is none, or one that is not known."""
    vendor = sysfs.text(host, f"{_FIRMWARE}/sys_vendor")
    found = next((name for start, name in _VENDORS.items() if vendor.startswith(start)), "")
    if found == "Hyper-V" and sysfs.text(host, f"{_FIRMWARE}/product_name") != "Virtual Machine":
        return ""
    return found


def invented(host: Reader, nic: str) -> bool:
    """Whether the speed of a NIC says nothing: a hypervisor gives it, or stands in for it, or its bus has no link."""
    known = sysfs.identity(host, nic)
    return (
        known.driver in (*VIRTUAL, *USB_NETWORKS)
        or known.pci in VIRTUAL_FUNCTIONS
        or bool(host.exists(f"{sysfs.ROOT}/{nic}/device/physfn"))
        # Accelerated networking of Azure: the virtual function is a port of the device that stands in for it.
        or sysfs.driver(host, host.target(f"{sysfs.ROOT}/{nic}/master")) in VIRTUAL
    )
