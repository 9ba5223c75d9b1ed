# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupt lines of old: one that the kernel has switched off, and NICs that have one because it is told so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..harm import overflowed, overload, squeezed
from ..model import Hit, Rule, nic_remedy
from ..view import Host


def _off(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        for row in nic.rows("interrupts"):
            if row.flag("off") is True and nic.linked:
                served = sum(row.numbers("counts"))
                evidence = {"interrupt": row.count("number"), "served until then": served, "driver": nic.driver}
                yield Hit(evidence, nic.name)


def _without_messages(host: Host) -> Iterator[Hit]:
    if host.flag("kernel", "no_msi") is not True:
        return
    for nic in host.nics:
        several = host.count("kernel", "cpu_count") > 1
        if nic.real and _PCI.match(nic.text("bus")) and several:
            harm = overload(host, nic) if squeezed(host) or overflowed(host) else {}
            queues = {"receive queues": nic.queues} if nic.queues else {}
            mends = nic_remedy(nic.name, irq={"rps": "spread"})
            remedy = mends if nic.value("irq", "rps") == "none" and harm else {}
            evidence = {"kernel command line": "pci=nomsi", **queues, **harm}
            yield Hit(evidence, nic.name, remedy=remedy, severity="medium" if harm else "", mends=mends)


_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.\d")


RULES = (
    Rule(
        id="interrupts-without-messages",
        severity="note",
        title="A NIC has one interrupt for all its queues, because the kernel is told so",
        condition="the kernel's command line has pci=nomsi, and a NIC is on PCI; medium where a processor that handles "
        "most packets runs out of budget, or drops some",
        explanation="Without messages (MSI-X) a NIC has one line, which it often shares, and the driver gives it one "
        "queue, however many it has. One processor then receives everything.",
        action="Take pci=nomsi out of the command line, which mostly is left from a trouble with another device or an "
        "old kernel; until then let the processors share the packets (`irq: {rps: spread}`).",
        reference="https://docs.kernel.org/PCI/msi-howto.html",
        host=_without_messages,
        proven=True,
    ),
    Rule(
        id="interrupt-switched-off",
        severity="high",
        title="The kernel has switched off the interrupt of a NIC",
        condition="the only interrupt of a NIC with a link was served at least 100000 times, and the kernel counts it "
        "no more in /proc/irq/N/spurious, after it has seen some that were nobody's",
        explanation="Of 100000 interrupts nearly all were nobody's (`nobody cared` in the kernel's log), as another "
        "device on the line, or this one, raises them without end. The kernel then looks at the devices of the line "
        "ten times a second at most: packets wait up to 100 ms, and some Mbit/s are all that passes.",
        action="Set the link down and up, or load the driver anew, which switches the interrupt on again. Then see in "
        "the kernel's log whose interrupts nobody cared about; use a slot with a line of its own or a NIC and driver "
        "with MSI, update the firmware of the board, or boot with `irqpoll` as a last resort.",
        reference="https://docs.kernel.org/admin-guide/kernel-parameters.html",
        host=_off,
    ),
)
