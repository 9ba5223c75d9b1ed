# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupt lines that the kernel has switched off, so that a NIC can no longer say that something has come."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _off(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        for row in nic.rows("interrupts"):
            if row.flag("off") is True and nic.linked:
                served = sum(row.numbers("counts"))
                evidence = {"interrupt": row.count("number"), "served until then": served, "driver": nic.driver}
                yield Hit(evidence, nic.name)


RULES = (
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
