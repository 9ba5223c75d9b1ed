# SPDX-License-Identifier: GPL-3.0-or-later
"""The bus between a NIC and the memory: asleep, or too slow for the link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..harm import Loss, lost
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic
from .card_buffers import queues_itself
from .pcie import narrow

_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.\d")
# The network of the Raspberry Pi 5 is a device of a chip that hangs on PCIe itself (RP1, by its address there).
_BEHIND_PCIE = re.compile(r"1f00[0-9a-f]{6}\..+")
# States of a PCIe link that `pci` can forbid.
_SLEEPS = ("l0s", "l1")


def _asleep(host: Host) -> Iterator[Hit]:
    for nic, loss in _overruns(host):
        if not _awake(nic):
            states = [state for state in _SLEEPS if state in nic.text("aspm").split()]
            remedy = nic_remedy(nic.name, pci={f"{state}_aspm": False for state in states}) if states else {}
            policy = host.text("power", "aspm_policy")
            evidence = {**_evidence(nic, loss), **({"pcie_aspm policy": policy} if policy else {})}
            yield Hit(
                evidence, nic.name, remedy=remedy, severity="" if loss.much else "medium", mends=_stays_awake(nic)
            )


def _late(host: Host) -> Iterator[Hit]:
    for nic, loss in _overruns(host):
        if _awake(nic):
            action, remedy = (_SENDERS_WAIT, _relief(nic)) if without_pcie(nic) else (_AWAKE, {})
            bus = {"bus": nic.text("bus"), "Speed": f"{nic.speed}Mb/s"} if without_pcie(nic) else {}
            severity = "" if loss.much else "medium"
            mends = _reliefs(nic) if without_pcie(nic) else _stays_awake(nic)
            yield Hit({**_evidence(nic, loss), **bus}, nic.name, "", remedy, action, severity, mends)


def _overruns(host: Host) -> Iterator[tuple[Nic, Loss]]:
    """NICs whose FIFO overflows; slots that are too narrow and cards that queue packets have rules of their own."""
    short = {port.name for _link, ports in narrow(host) for port in ports}
    for nic in host.nics:
        loss = lost(nic, "rx_fifo")
        if loss and not nic.virtual and nic.name not in short and not queues_itself(nic):
            yield nic, loss


def _evidence(nic: Nic, loss: Loss) -> dict[str, Any]:
    state = nic.text("aspm")
    return {
        "lost in the FIFO of the NIC": loss.text,
        "lost, ring full": nic.counted("rx_missed")[0],
        **({"ASPM of the link": state} if state else {}),
    }


def _awake(nic: Nic) -> bool:
    """Whether no link on the way to the memory may sleep."""
    return nic.text("aspm") == "off" or without_pcie(nic)


def without_pcie(nic: Nic) -> bool:
    """Whether its bus is known, and no PCIe link is on the way that could sleep."""
    bus = nic.text("bus")
    asleep = any(state in nic.text("aspm").split() for state in _SLEEPS)
    return bool(bus) and not _PCI.match(bus) and not _BEHIND_PCIE.fullmatch(bus) and not asleep


def _relief(nic: Nic) -> dict[str, Any]:
    """What helps where the bus or the chip is too slow."""
    slower = _slower(nic)
    pauses = all(nic.value("pause", way) is not False for way in ("rx", "tx"))
    if not pauses and nic.text("pause_partner") != "No":
        return nic_remedy(nic.name, pause={"rx": True, "tx": True})
    return nic_remedy(nic.name, speed={"advertise": {"at_most": slower}}) if slower else {}


def _reliefs(nic: Nic) -> dict[str, Any]:
    """All that may help there."""
    return nic_remedy(nic.name, pause={"rx": True, "tx": True}, speed={"advertise": {"at_most": _slower(nic)}})


def _stays_awake(nic: Nic) -> dict[str, Any]:
    return nic_remedy(nic.name, pci={f"{state}_aspm": False for state in _SLEEPS})


def _slower(nic: Nic) -> int:
    """The next speed below that of the link; 0 up to 1000 Mb/s, which nobody would give away."""
    if nic.speed <= 1000:
        return 0
    return max((speed for speed in _offers(nic) if speed < nic.speed), default=1000)


def _offers(nic: Nic) -> list[int]:
    """The speeds that the NIC can, in Mb/s; none if unknown."""
    found = (re.match(r"(\d{1,7})base", word) for word in nic.words("supported_modes"))
    return [int(match[1]) for match in found if match]


_AWAKE = (
    "ASPM of this link is off already: see the width of the slot, other cards behind the same bridge, and the IOMMU; "
    "pause frames let the senders wait."
)
_SENDERS_WAIT = (
    "There is no PCIe link here that could sleep: its bus or the chip is too slow for the bursts of this link. Let "
    "pause frames hold the senders back, here and at the port of the switch; where that cannot be, offer a lower speed "
    "only, which loses less than the overflows do, or use a faster port of USB."
)


def _usb(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        bus = nic.count("usb_speed")
        if nic.linked and 0 < bus < nic.speed:
            best = max([nic.speed, *_offers(nic)])
            faster = best > 1000 or nic.driver in _MULTI_GIGABIT or nic.text("usb_id") in _MULTI_GIGABIT
            made = {"made for": "more than 1000Mb/s"} if faster and nic.speed <= 1000 else {}
            evidence = {"USB": f"{bus}Mb/s", "Speed": f"{nic.speed}Mb/s", **made, "driver": nic.driver}
            # A chip on the board of a small computer has no other port.
            yield Hit(evidence, nic.name, severity="" if faster else "note")


# Adapters for 2.5 and 5 Gb/s: AQC111U and RTL8156, RTL8157, which do not offer these speeds on a bus of USB 2.
_MULTI_GIGABIT = ("aqc111", "0bda:8156", "0bda:8157")


def _generic(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if nic.linked and nic.driver in ("cdc_ncm", "cdc_ether") and nic.text("usb_id") in _OWN_DRIVER:
            ids, bus = nic.text("usb_id"), nic.count("usb_speed")
            yield Hit({"driver": nic.driver, "USB id": ids, **({"USB": f"{bus}Mb/s"} if bus else {})}, nic.name)


# Of rtl8152_table in drivers/net/usb/r8152.c, those with the number of Realtek; the last two since Linux 5.13.
_OWN_DRIVER = ("0bda:8050", "0bda:8053", "0bda:8152", "0bda:8153", "0bda:8155", "0bda:8156")


RULES = (
    Rule(
        id="aspm",
        severity="high",
        title="Packets are lost between the NIC and the memory, while its PCIe link may sleep",
        condition="the FIFO of the NIC overflowed at least 1000 times, and more than once in 100000 packets, which the "
        "driver counts apart from a full ring, behind a slot that is wide enough, and no one knows that its PCIe link "
        "stays awake; not on cards that queue packets themselves, unless their link sleeps",
        explanation="The NIC could not hand over what it had received. On PCIe the usual cause is the power saving of "
        "the link (ASPM L1), which wakes too late; a larger ring does not help.",
        action="Switch ASPM off for this link (`pci: {l0s_aspm: false, l1_aspm: false}` for the NIC, or "
        "`pcie_aspm.policy: performance` in `tuning_module_parameters` for all links), and check the width of the "
        "slot.",
        reference="https://docs.kernel.org/admin-guide/kernel-parameters.html",
        host=_asleep,
        switch=True,
    ),
    Rule(
        id="fifo-overflows",
        severity="high",
        title="Packets are lost between the NIC and the memory, because its bus is too slow",
        condition="the FIFO of the NIC overflowed at least 1000 times, and more than once in 100000 packets, which the "
        "driver counts apart from a full ring, and its PCIe link does not sleep, or it has none (USB, or inside of a "
        "processor); not behind a slot that is too narrow, and not on cards that queue packets themselves",
        explanation="The NIC could not hand over what it had received: its bus or the chip is too slow for the bursts "
        "of its link. A larger ring does not help.",
        action="Let pause frames hold the senders back, here and at the port of the switch. On PCIe see what else "
        "delays the NIC: cards behind the same bridge, and the IOMMU. Elsewhere offer a lower speed only, or use a "
        "faster port of USB.",
        reference="https://github.com/qualcomm-linux/kernel-topics/issues/1872",
        host=_late,
        switch=True,
    ),
    Rule(
        id="usb-slower-than-link",
        severity="medium",
        title="The NIC is plugged into a USB port that is slower than its link",
        condition="the USB bus of the NIC is slower than its link, and the adapter is made for more than 1000 Mb/s; a "
        "note on others",
        explanation="A bus of 480 Mb/s moves about 300 Mbit/s of packets, whatever the link speed. What the partner "
        "sends faster is lost in the adapter.",
        action="Plug it into a USB 3 port (some USB-C plugs need to be turned), without a USB 2 hub in between, and "
        "check with `lsusb -t`.",
        reference="https://docs.kernel.org/driver-api/usb/usb.html",
        host=_usb,
    ),
    Rule(
        id="usb-generic-driver",
        severity="low",
        title="A USB adapter runs by a generic driver although it has one of its own",
        condition="an adapter with a chip that r8152 knows runs by cdc_ncm or cdc_ether",
        explanation="The adapter offers a generic mode as well, in which it shows half duplex, cannot negotiate, pause "
        "or count, and falls short of its link. The kernel takes it where r8152 is absent, too old or too late.",
        action="Let r8152 have it: install the module (`linux-modules-extra`, `kmod-usb-net-rtl8152`), or a kernel of "
        "5.13 or newer for RTL8156; if the generic driver still comes first, write 1 to bConfigurationValue of the "
        "adapter by a udev rule, as the rules of Realtek's driver do.",
        reference="https://github.com/coolsnowwolf/lede/issues/10911",
        host=_generic,
    ),
)
