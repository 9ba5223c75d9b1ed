# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that could work and do not: without a link though a cable is plugged in, and cards lost or without a driver."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..chips import FIBRE_82599, I225, I226
from ..model import Hit, Rule, nic_remedy
from ..optics import told
from ..view import Host, Nic

_FEC = (
    "Both ends see a signal and do not understand each other: set the same forward error correction at both (`fec: "
    "{encoding: rs}` for most of 25G and 100G, `baser` for short copper of 25G; `show interface` of the switch tells "
    "its own), and the same speed and negotiation."
)
_TRAINING = (
    "The ends do not agree on the signal of a copper cable: see that the other end is ready, and that both have the "
    "same speed and negotiation; then replace the cable."
)
_SIGNAL = (
    "The signal is too weak or too bad for a link: clean the plugs, and replace the cable or one of the transceivers; "
    "then see that both ends have the same speed and forward error correction."
)
_MODULE = (
    "The NIC does not get on with what is plugged into it: plug it in again, try one that the maker of the NIC lists, "
    "and update the NIC's firmware."
)
_POWER = "The module or cable needs more power, or gets hotter, than the port allows: use another one, and see the air."
# The states of include/uapi/linux/ethtool.h by ethtool's names of them, but those of a port without a cable, or whose
# other end is switched off.
_REASONS = {
    "Logical mismatch": "",
    "Link training failure": _TRAINING,
    "Bad signal integrity": _SIGNAL,
    "Cable issue": _MODULE,
    "EEPROM issue": _MODULE,
    "Calibration failure": _MODULE,
    "Module": _MODULE,
    "Power budget exceeded": _POWER,
    "Overheat": _POWER,
}
# What ethtool says of a mismatch by forward error correction: of its blocks, lanes and markers.
_OF_FEC = re.compile(r"FEC|block lock|AM lock|align status", re.IGNORECASE)
# From this speed on, in Mb/s, links have forward error correction.
_CORRECTED = 25000


def _down(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        state, _comma, detail = nic.text("down_reason").partition(",")
        # A port that is switched off tells the state of the time before.
        if nic.flag("carrier") is not False or state not in _REASONS or nic.text("operstate") == "UP":
            continue
        off = nic.value("fec", "encoding") == "off" and nic.desired("fec", "encoding") is None
        action = _FEC if state == "Logical mismatch" and _OF_FEC.search(detail) else _REASONS[state]
        bare = action is _FEC and nic.count("fastest") >= _CORRECTED and off
        evidence = {"Link detected": f"no ({nic.text('down_reason')})", **({"FEC": "off"} if bare else {})}
        remedy = nic_remedy(nic.name, fec={"encoding": "rs"}) if bare else {}
        yield Hit(evidence, nic.name, "", remedy, action, "" if _used(nic) else "note")


def _unmatched(host: Host) -> Iterator[Hit]:
    """Ports whose driver gives no reason, and whose module does."""
    for nic in host.nics:
        if nic.flag("carrier") is not False or not _used(nic) or nic.text("down_reason").split(",")[0] in _REASONS:
            continue
        alarm, action = told(nic)
        if alarm:
            # Where no light arrives the other end may just be switched off.
            yield Hit(alarm, nic.name, action=action, severity="" if nic.flag("optics", "hot") else "note")
            continue
        reach, light = nic.text("optics", "reach"), nic.number("optics", "light_dbm")
        off = nic.value("fec", "encoding") == "off" and nic.desired("fec", "encoding") is None
        bare = off and nic.count("fastest") >= _CORRECTED and nic.desired("speed") is None
        if bare and (reach in _NEEDS_FEC or (light is not None and light > _BRIGHT)):
            length = f", {nic.count('optics', 'copper_m')} m" if nic.count("optics", "copper_m") else ""
            signal = {"cable": f"25G Base-CR {reach}{length}"} if reach else {"light received": f"{light} dBm"}
            named = {"module": nic.text("optics", "module")} if nic.text("optics", "module") else {}
            remedy = nic_remedy(nic.name, fec={"encoding": "rs"})
            yield Hit({**signal, **named, "Link detected": "no", "FEC": "off"}, nic.name, "", remedy, _FEC)
        elif light is not None and light > _BRIGHT:
            yield Hit({"light received": f"{light} dBm", "Link detected": "no"}, nic.name, action=_LIT, severity="note")


# Copper of 25 Gb/s that may only run with forward error correction, as its plug says; and light that a receiver of any
# kind sees well.
_NEEDS_FEC, _BRIGHT = ("CA-L", "CA-S"), -10
_LIT = (
    "Light arrives, so the cable is right: see that both ends have the same speed, negotiation and forward error "
    "correction (`ethtool --show-fec NIC`), and that the port of the switch is not blocked."
)


def _used(nic: Nic) -> bool:
    """Whether somebody counts on it: it has an address, or is the port of something."""
    return bool(nic.text("master")) or any(row.text("nic") == nic.name for row in nic.host.rows("addresses"))


def _unserved(host: Host) -> Iterator[Hit]:
    rows = host.rows("controllers")
    for pci_id in dict.fromkeys(row.text("pci_id") for row in rows):
        same = [row for row in rows if row.text("pci_id") == pci_id]
        picky = pci_id in FIBRE_82599 and any(row.flag("ixgbe") is True for row in same)
        more = {"devices": len(same)} if len(same) > 1 else {}
        evidence = {"bus": same[0].text("bus"), **more, "PCI id": pci_id, "driver": "none"}
        shown = {**evidence, "module ixgbe": "loaded"} if picky else evidence
        yield Hit(shown, severity="medium" if picky else "", action=_OPTICS if picky else "")


_OPTICS = (
    "The driver ixgbe is loaded and has refused this port, as a rule for a transceiver that Intel does not list (`an "
    "unsupported SFP+ module type was detected` in the kernel's log): set its parameter "
    "(`tuning_module_parameters: {ixgbe.allow_unsupported_sfp: 1}`) and load it again, or use a listed transceiver."
)


# What every driver answers while its device is there.
_ALWAYS = ("channels", "coalesce", "features", "pause", "ring", "speed")
_NOT_THERE = "No such device"


def _gone(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        silent = [family for family in _ALWAYS if _NOT_THERE in nic.text("missing", family)]
        if nic.flag("physical") is True and nic.flag("counters", "silent") is True:
            yield Hit({"driver": nic.driver, "counters of the device": "every bit is 1"}, nic.name, action=_ONES)
            continue
        # The kernel also answers so while a NIC sleeps that nobody has up; such a one has no carrier to read at all.
        if nic.flag("physical") is not True or nic.flag("carrier") is None or len(silent) < 3:
            continue
        evidence = {"driver": nic.driver, "ethtool": _NOT_THERE, "no answer about": silent}
        yield Hit(evidence, nic.name, action=_SLEEPY if nic.text("pci_id") in (*I225, *I226) else "")


_ONES = (
    "See the kernel's log for the moment when it happened, and let the bus find the device again (`echo 1 > "
    "/sys/bus/pci/devices/ADDRESS/remove`, then `/sys/bus/pci/rescan`), or boot anew; the link going down and up does "
    "not help. If it comes back under load, see the power supply and the power limits of the board, then its firmware "
    "and the power saving of the link (`pci: {l1_aspm: false}`)."
)

_SLEEPY = (
    "Boot anew, for the driver does not take the device back (`PCIe link lost` in the kernel's log). Intel I225 and "
    "I226 lose their link where it saves energy: switch ASPM of it off (`pci: {l1_aspm: false}`), and boot with "
    "`pcie_port_pm=off`; then update the firmware of the board."
)


def _asleep(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if nic.flag("suspended") is True and nic.flag("physical") is True:
            yield Hit({"runtime_status": "suspended", "driver": nic.driver, "Link detected": "no"}, nic.name)


def _without(host: Host) -> Iterator[Hit]:
    yield from _down(host)
    yield from _unmatched(host)


RULES = (
    Rule(
        id="nic-sleeps-without-link",
        severity="note",
        title="A NIC without a link is suspended, and may not see when a cable is plugged in",
        condition="a NIC that is up has no link, and the kernel has suspended its device",
        explanation="TLP and powertop allow that (`power/control` auto). The device should wake when a cable comes, "
        "but with some boards and chips, above all of Realtek, it stays without a link until it is down and up again.",
        action="If a cable is plugged in, let the device stay awake (`echo on > /sys/class/net/NIC/device/power/"
        "control`, for good by `RUNTIME_PM_DENYLIST` of TLP or a udev rule); else this saves power, as it should.",
        reference="https://github.com/mtorromeo/r8168/issues/30",
        host=_asleep,
    ),
    Rule(
        id="device-lost",
        severity="high",
        title="The kernel has lost the device behind a NIC",
        condition="a NIC with hardware is up, and the kernel answers at least three questions about its settings with "
        "`No such device`; or at least four counters of `ethtool -S` have every bit set",
        explanation="The device does not answer on its bus any more, or its firmware has not come back from a reset; "
        "then all its registers read as ones, or the driver has given it up. The interface stays, and nothing passes.",
        action="See the kernel's log for the reason; boot anew, or let the bus find the device again (`remove` and "
        "`rescan` of PCI in sysfs). If it comes back, see slot, firmware and power saving of the link.",
        reference="https://github.com/ublue-os/bazzite/issues/5337",
        host=_gone,
    ),
    Rule(
        id="link-down-for-a-reason",
        severity="high",
        title="A cable is plugged in, and the NIC or its module says why it has no link",
        condition="a NIC that has an address, or is the port of a bond or bridge, has no link, and its driver tells a "
        "mismatch of the ends, a bad signal, or trouble with module, power or heat; or it has no forward error "
        "correction from 25 Gb/s on, while the cable needs it or light arrives; a note if nobody uses it, or the "
        "module tells of too little light, or of enough",
        explanation="Drivers of fast NICs know how far the link has come. From 25 Gb/s on the ends must have the same "
        "forward error correction, which they do not negotiate with optics.",
        action="See what the driver says, at both ends.",
        reference="https://docs.kernel.org/networking/ethtool-netlink.html",
        host=_without,
        switch=True,
    ),
    Rule(
        id="controller-without-driver",
        severity="note",
        title="A network card has no driver",
        condition="a PCI device of the class Ethernet has no driver; medium for a port of an Intel 82599 while ixgbe "
        "is loaded",
        explanation="Its driver is missing or was told to leave it, its firmware is missing, or it has refused the "
        "card or what is plugged into it. No interface appears, and only the kernel's log says why.",
        action="See in the kernel's log what its driver says (`dmesg`), and whether driver and firmware are installed "
        "(`lspci -nnk`).",
        reference="https://github.com/harvester/harvester/issues/3081",
        host=_unserved,
    ),
)
