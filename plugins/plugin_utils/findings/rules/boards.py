# SPDX-License-Identifier: GPL-3.0-or-later
"""Small boards: a supply that is too weak, and NICs without a MAC of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _weak(host: Host) -> Iterator[Hit]:
    if host.flag("power", "undervoltage") is True:
        usb = [nic.name for nic in host.nics if nic.count("usb_speed")]
        yield Hit({"in0_lcrit_alarm of rpi_volt": 1, **({"NICs at USB": usb} if usb else {})})


def _invented(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # A hypervisor or the owner of a virtual function gives a MAC to whom it wants.
        if nic.flag("mac_invented") is True and nic.real and not nic.name.startswith("wl"):
            yield Hit({"addr_assign_type": "1, random", "MAC": nic.text("mac"), "driver": nic.driver}, nic.name)


RULES = (
    Rule(
        id="supply-too-weak",
        severity="medium",
        title="The power supply of a Raspberry Pi falls short",
        condition="the sensor rpi_volt reports under-voltage at the moment of the audit",
        explanation="Below 4.63 V the board slows its processor down, and devices at USB, adapters and the NIC of "
        "older boards among them, fall off the bus for a moment. That looks like a bad cable or driver.",
        action="Use the supply that is made for the board and a short, thick cable, and give disks and adapters a hub "
        "with a supply of its own; `vcgencmd get_throttled` and `Undervoltage detected` in the kernel's log tell of "
        "the past.",
        reference="https://github.com/raspberrypi/linux/issues/4891",
        host=_weak,
    ),
    Rule(
        id="mac-random",
        severity="low",
        title="A NIC has another MAC after each boot",
        condition="the driver of a NIC with a cable has found no MAC in the hardware and has invented one, and nobody "
        "has given it another one",
        explanation="The MAC is a new one after each boot, so that reservations of DHCP, rules of switches and "
        "Wake-on-LAN do not know the host, and it gets another address. Some boards have no memory for a MAC, or their "
        "boot loader does not hand it on.",
        action="Give it a MAC: `MACAddress=` in a .link file of systemd, `ethernet.cloned-mac-address` of "
        "NetworkManager, or `ethaddr` in the boot loader, which is right for an installation over the network as well.",
        reference="https://github.com/MichaIng/DietPi/issues/6663",
        host=_invented,
    ),
)
