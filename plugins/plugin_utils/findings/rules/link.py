# SPDX-License-Identifier: GPL-3.0-or-later
"""Links: slower than both ends could be, or going down and up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..model import Hit, Rule, nic_remedy
from ..optics import told
from ..view import Host, Nic
from .duplex import mismatched

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"


def _best(nic: Nic, *modes: str) -> int:
    """The fastest link mode that all these lists have, in Mb/s; 0 where one says nothing."""
    speeds = [
        {int(match[1]) for word in nic.words(key) for match in [re.match(r"(\d{1,7})base", word)] if match}
        for key in modes
    ]
    return max(set.intersection(*speeds), default=0)


def slower_than_both(nic: Nic) -> bool:
    """Whether the ends of its cable have a faster mode in common than the one in use."""
    return _best(nic, "supported_modes", "partner_modes") > nic.speed


def fixed(nic: Nic) -> bool:
    """Whether this end does not negotiate, and so has a speed of old although it could have 1 Gb/s."""
    off = nic.flag("autoneg") is False and nic.text("autoneg_supported") != "No"
    return off and nic.speed <= 100 and nic.count("fastest") >= 1000


def negotiate(nic: Nic) -> dict[str, Any]:
    return nic_remedy(nic.name, speed={"autoneg": True})


def _slow(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not nic.real or not nic.speed:
            continue
        both = _best(nic, "supported_modes", "partner_modes")
        evidence = {"Speed": f"{nic.speed}Mb/s", "Supported link modes": nic.words("supported_modes")}
        meant = nic.desired("speed", "advertise") is not None or nic.desired("speed", "speed") is not None
        # Without negotiation the partner's modes are those of the time before, or nobody knows them.
        if fixed(nic) and not meant:
            shown = {**evidence, "Auto-negotiation": "off"}
            yield Hit(shown, nic.name, remedy=negotiate(nic), action=FIXED, severity="low")
        elif both > nic.speed and not meant:
            partner = {"Link partner advertised link modes": nic.words("partner_modes")}
            offered = _best(nic, "advertised_modes", "partner_modes")
            if offered == nic.speed and lowered(nic):
                continue
            if offered == nic.speed:
                shown = {**evidence, "Advertised link modes": nic.words("advertised_modes"), **partner}
                remedy = nic_remedy(nic.name, speed={"advertise": nic.words("supported_modes")})
                # The driver of X550 leaves it out by itself; elsewhere somebody may have meant it.
                severity = "" if nic.driver == "ixgbe" else "low"
                yield Hit(shown, nic.name, remedy=remedy, action=_OFFERED, severity=severity)
            else:
                yield Hit({**evidence, **partner}, nic.name)
        # Where the other end has a fixed speed it does not tell its modes, and the cable is not to blame.
        elif not both and nic.speed <= 100 and nic.count("fastest") >= 1000 and not mismatched(nic):
            yield Hit(evidence, nic.name, severity="low")


FIXED = (
    "Let the link negotiate again (`auto-negotiate` of the profile in NetworkManager, `AutoNegotiation` in a .link "
    "file), here and at the port of the switch; only if it then stays slow, see cable and plug."
)
_OFFERED = (
    "This end does not offer the faster mode: let it advertise all it can (X550 leaves 2.5 and 5 Gbit/s out "
    "unless told). A cable is not the cause."
)


def _flaps(host: Host) -> Iterator[Hit]:
    # A hypervisor has no cable.
    found = [nic for nic in host.nics if _goes_down(nic, _SOME)]
    for nic in found:
        changes, since = nic.counted("carrier_changes")
        same = [other.name for other in found if other is not nic and alike(changes, _changes(other))]
        evidence = {
            "carrier changes": f"{changes} {since}",
            **({"as often": same} if same else {}),
            **({"EEE": nic.text("eee")} if nic.text("eee") else {}),
            "driver": nic.driver,
        }
        alarm, cooler = told(nic)
        evidence.update(alarm)
        if lowered(nic):
            evidence["tuned profile"] = host.text("managers", "tuned", "profile")
            yield Hit({**evidence, "Advertised link modes": nic.words("advertised_modes")}, nic.name, action=_DYNAMIC)
            continue
        sleeps = nic.text("eee") == "active"
        mends = nic_remedy(nic.name, eee={"enabled": False})
        remedy = mends if sleeps else {}
        hangs, _since = nic.counted("tx_timeouts")
        action = _STEADY if nic.driver == "igc" or sleeps else TOGETHER if same else _RESETS if hangs else ""
        action = cooler or action or _tries(nic)
        if _lacks_firmware(nic):
            evidence["firmware of the PHY"] = "not loaded"
            action = action or _FIRMWARE
        action = action or (_WIRE if _awake(nic) else "")
        severity = "" if _goes_down(nic) else "note"
        yield Hit(evidence, nic.name, remedy=remedy, action=action, severity=severity, mends=mends)


def _tries(nic: Nic) -> str:
    """What is soon tried beside the usual: of a board, of a driver of Realtek's own, or at a speed for good cables."""
    if nic.text("port") in _MODULES:
        return _MODULE
    if on_usb(nic):
        return _ADAPTER
    slower = nic.speed > 1000 and "1000baseT/Full" in nic.words("supported_modes")
    board = not nic.text("pci_id") and _ON_BOARD.fullmatch(nic.text("bus"))
    known = ((_DELAYS, board), (_KERNELS, nic.driver in _VENDOR), (_LESS, slower))
    found = [text for text, is_so in known if is_so]
    return " ".join([_WIRE if _awake(nic) else _CABLE, *found]) if found else ""


def _awake(nic: Nic) -> bool:
    """Whether energy-efficient Ethernet is off already."""
    return nic.text("eee") == "disabled"


# The addresses by which a device tree names what is a part of the processor, such as fe300000.ethernet.
_ON_BOARD = re.compile(r"[0-9a-f]{5,16}\.[\w-]+")
_WIRE = "Replace cable and plug, and try another port."
_DELAYS = (
    "If it began with another kernel, see the clock between processor and PHY first (`phy-mode`, `tx_delay` and "
    "`rx_delay` of the device tree): try the kernel of before."
)


# Changes that are many, and some, where nobody knows in which time.
_MANY, _SOME = 100, 20


def _goes_down(nic: Nic, least: int = _MANY) -> bool:
    if nic.virtual or nic.flag("physical") is not True or wireless(nic):
        return False
    if on_usb(nic):
        # One that is plugged in again begins to count anew; a dock sleeps with its laptop.
        return _often(nic) and not nic.flag("usb_sleeps") and nic.host.flag("power", "battery") is not True
    return _too_many(nic, _changes(nic), least)


def _often(nic: Nic) -> bool:
    """Whether it is more than a laptop that is shut at night, or a cable that is pulled some times a day."""
    changes, uptime = _changes(nic), nic.host.number("kernel", "uptime") or 0
    return _too_many(nic, changes) and bool(nic.number("counters", "interval") or changes >= 24 * uptime / 86400)


def lowered(nic: Nic) -> bool:
    """Whether tuned may have lowered its speed, as dynamic tuning does for NICs that are idle, and raises it again."""
    if not nic.host.text("managers", "tuned", "profile"):
        return False
    offered, best = _best(nic, "advertised_modes"), _best(nic, "supported_modes")
    return 0 < offered <= 100 < best and nic.desired("speed") is None and _goes_down(nic)


_DYNAMIC = (
    "tuned lowers the speed of an idle NIC to 100 Mb/s and raises it again (dynamic tuning, on by default until 2024), "
    "and the link goes down each time: set `dynamic_tuning = 0` in /etc/tuned/tuned-main.conf and restart tuned, or "
    "choose a profile without a section for NICs (`[net]`)."
)
_CABLE = "Replace cable and plug, try another port, and switch energy-efficient Ethernet off (`eee: {enabled: false}`)."
# What ethtool calls a port with a module or a cable that has one at each end.
_MODULES = ("Direct Attach Copper", "FIBRE")
_MODULE = (
    "Replace the cable and its transceivers, one after the other, and try another port: `ethtool -m NIC` shows whether "
    "the light received is too weak, and both ends must use the same FEC (`ethtool --show-fec NIC`)."
)
_ADAPTER = (
    "Plug the adapter into another USB port, without a hub and its cable, or give the hub a supply of its own, and see "
    "in the kernel's log whether the bus resets it; then cable and plug. If it began with another kernel, try the one "
    "of before, as drivers of such adapters have broken in stable kernels as well."
)
_VENDOR = ("r8125", "r8126", "r8127", "r8168")
_KERNELS = "This driver is Realtek's own: try that of the kernel (r8169), with which many of these links are steady."
_LESS = (
    "If it stays, offer 1000 Mb/s at most (`speed: {advertise: {at_most: 1000}}`), which a poor cable still carries."
)


def _lacks_firmware(nic: Nic) -> bool:
    """Whether a Realtek chip that the driver has firmware for runs without it; ethtool then shows no version."""
    chip = nic.text("pci_id").startswith(_PATCHED)
    chip = chip or (nic.text("pci_id") == "10ec:8168" and nic.number("revision") in _PATCHED_8168)
    return nic.driver == "r8169" and chip and bool(nic.text("driver_version")) and not nic.text("firmware_version")


# Of rtl_chip_infos in r8169_main.c, those that all have a file: RTL8125 and 8126, and of the many with one PCI id
# RTL8168G and 8168H, by the revision that they tell.
_PATCHED, _PATCHED_8168 = ("10ec:8125", "10ec:8126"), (0x0C, 0x15)
_FIRMWARE = (
    "This chip runs without the firmware for its PHY (`Unable to load firmware rtl_nic/...` in the kernel's log): "
    "install it (firmware-realtek of Debian, linux-firmware elsewhere; also into the initramfs), and load the driver "
    "again; then see cable, port and energy-efficient Ethernet."
)


def _sleepy(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        changes, since = nic.counted("carrier_changes")
        if on_usb(nic) and nic.flag("usb_sleeps") and _often(nic):
            ids = {"USB id": nic.text("usb_id")} if nic.text("usb_id") else {}
            evidence = {"carrier changes": f"{changes} {since}", "driver": nic.driver, **ids, "power/control": "auto"}
            yield Hit(evidence, nic.name)


def _changes(nic: Nic) -> int:
    return nic.counted("carrier_changes")[0]


def alike(one: int, other: int) -> bool:
    """Whether two links go down about as often, which two cables would hardly do."""
    return abs(one - other) * 10 <= max(one, other)


TOGETHER = (
    "Several links of this host go down as often as each other, which cables hardly do: see in the kernel's log what "
    "they share - a program that resets the NICs (lldpad with DCB does, for each setting), the driver, the switch."
)
_RESETS = (
    "The transmitter hangs as well, and each reset takes the link down: see that first, with kernel, firmware and, on "
    "a board, the clock between processor and PHY (`phy-mode` and delays in the device tree); then cable and plug."
)
_STEADY = (
    "Switch energy-efficient Ethernet off first (`eee: {enabled: false}`, here and at the switch), with which "
    "this kind of NIC is known to lose its link; then see cable and port."
)


def on_usb(nic: Nic) -> bool:
    """Whether it hangs on USB, by its address on the bus."""
    return re.match(r"(usb-|\d+-[\d.]+:)", nic.text("bus")) is not None


def wireless(nic: Nic) -> bool:
    """Whether it has no wire at all, by the name that udev gives it."""
    return nic.name.startswith("wl")


def _too_many(nic: Nic, changes: int, least: int = _MANY) -> bool:
    """Twice within an interval; four a day, of a laptop one an hour; and where nobody knows the time, so many."""
    if nic.number("counters", "interval"):
        return changes >= 2
    uptime = nic.host.number("kernel", "uptime")
    a_day = 24 if nic.host.flag("power", "battery") else 4
    # To sleep a host takes the link down, perhaps brings it up slower to be woken by it, and does the same backwards.
    own = changes - 4 * max(0, nic.host.count("power", "suspends"))
    return own >= 20 and own >= a_day * uptime / 86400 if uptime else own >= least


RULES = (
    Rule(
        id="link-slower-than-both-ends",
        severity="high",
        title="The link is slower than both ends could be",
        condition="the link is slower than the fastest mode that NIC and link partner have in common, or at most "
        "100 Mb/s on a NIC that can do 1000 where the link partner does not tell or the NIC does not negotiate (low); "
        "low as well where the NIC does not offer the faster mode, but for ixgbe",
        explanation="A cable with a broken pair falls back to 100 Mb/s. With pause frames such a host also slows down "
        "all others that are served by the same port, whatever queues they have.",
        action="Replace the cable or the plug; then check whether the port of the switch has a fixed speed.",
        reference=_PAGE,
        host=_slow,
        switch=True,
    ),
    Rule(
        id="link-flaps",
        severity="high",
        title="The link goes down and up",
        condition="the carrier of a NIC with a cable changed twice within an interval, four times a day of uptime "
        "(once an hour of a host with a battery, and of an adapter at USB, which nobody suspends, of a host without "
        "one), or a hundred times where the uptime is not known, of which twenty are a note; four times each time that "
        "the host slept do not count",
        explanation="Each time all connections stall for seconds, and the speed is negotiated again. The cause is the "
        "cable or its plug, a transceiver that is too hot, or energy-efficient Ethernet.",
        action=_CABLE,
        reference=_PAGE,
        host=_flaps,
        switch=True,
    ),
    Rule(
        id="usb-adapter-sleeps",
        severity="high",
        title="The link of a USB adapter goes down, while the kernel may put it to sleep",
        condition="a USB adapter has `power/control` auto, and its carrier changed twice within an interval, or once "
        "an hour of uptime, or a hundred times where the uptime is not known",
        explanation="TLP, powertop and some distributions let the kernel suspend USB devices that seem idle. Some "
        "adapters, above all RTL8153, do not wake up as they should, and their link starts anew.",
        action="Let it stay awake: `USB_DENYLIST` of TLP, or a udev rule that writes `on` to `power/control` of the "
        "adapter (`echo on > /sys/class/net/NIC/device/../power/control` tries it); then see cable, port and power.",
        reference="https://linrunner.de/tlp/faq/usb.html",
        host=_sleepy,
    ),
)
