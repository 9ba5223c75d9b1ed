# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks: one that takes longer to be read than a packet, and those of processors that are too hot for their own."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import costly, filled, lost, overflowed, pressed, squeezed, too_hot
from ..model import Hit, Rule
from ..view import Host

# Clocks outside of the processor; that of a hypervisor is a page of memory, and Arm has one of its own.
_OUTSIDE = ("hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies")
# From this speed on, in Mb/s, a packet comes in less time than such a clock takes to be read.
_FAST = 10000


def _slow(host: Host) -> Iterator[Hit]:
    source = host.text("power", "clocksource")
    if source not in _OUTSIDE:
        return
    fast = [f"{nic.name} {nic.speed}Mb/s" for nic in host.nics if nic.real and nic.speed >= _FAST]
    late = sum(row.count("squeezed") for row in host.processors) if pressed(host) else 0
    evidence = {
        "current_clocksource": source,
        **({"links": ", ".join(fast)} if fast else {}),
        **({"rounds out of budget": f"{late}, with {host.processed} packets"} if late else {}),
    }
    felt = late or costly(host) or filled(host)
    if felt or fast:
        yield Hit(evidence, severity="medium" if felt else "")


def _hot(host: Host) -> Iterator[Hit]:
    heat = too_hot(host)
    if not heat:
        return
    # A router has nothing else to do, so heat is felt there first.
    behind = pressed(host) or (host.forwards and squeezed(host))
    late = sum(row.count("squeezed") for row in host.processors) if behind else 0
    losses = {nic.name: loss.text for nic in host.nics for loss in [lost(nic, "rx_missed")] if loss}
    evidence = {
        **heat,
        **({"rounds out of budget": f"{late}, with {host.processed} packets"} if late else {}),
        **{f"lost, ring full, on {name}": text for name, text in losses.items()},
    }
    felt = late or losses or overflowed(host)
    # Laptops are hot whenever somebody works with them, and made for it.
    if felt or host.flag("power", "battery") is not True:
        yield Hit(evidence, severity="" if felt else "note")


RULES = (
    Rule(
        id="processor-too-hot",
        severity="medium",
        title="The processors are slowed down because they are too hot",
        condition="an Intel processor was too hot for a hundredth of the time since the boot, or once a minute, or the "
        "kernel or the firmware of another one has lowered its clock for heat just now, and processors run out of "
        "budget (on other hosts than routers with losses or for a quarter of all packets), or packets are lost; "
        "without those it is a note, but for laptops",
        explanation="A box without a fan, or one whose fan is full of dust, is fast for some minutes, and then runs at "
        "half of its clock and less. It looks like a network that gets slower under load.",
        action="Cool it: clean fan and fins, renew the paste, let air pass, and take power limits of the firmware down "
        "to what the case can carry.",
        reference="https://docs.kernel.org/admin-guide/thermal/intel_powerclamp.html",
        host=_hot,
        proven=True,
    ),
    Rule(
        id="clock-outside-processor",
        severity="low",
        title="The kernel reads the time from a slow clock",
        condition="the clocksource is hpet, acpi_pm, or the ticks of a timer, and a NIC has 10 Gb/s or more; medium, "
        "and at any speed, where processors run out of budget with losses, or spend their time on packets within an "
        "interval",
        explanation="The kernel reads the time for packets that it paces or measures, programs for their time-outs. "
        "The counter of the processor (TSC) takes some nanoseconds; these clocks take a microsecond or more, and one "
        "processor waits for the other.",
        action="See why the kernel does not trust the TSC (`dmesg | grep -i -e tsc -e clocksource`): update firmware "
        "and kernel, which both have been wrong about it; then let it have the TSC again (`tsc=reliable` in its "
        "command line, or `clocksource=tsc` where somebody has written another one). In a guest use the clock of the "
        "hypervisor (kvm-clock, hyperv_clocksource_tsc_page).",
        reference="https://docs.kernel.org/virt/kvm/x86/timekeeping.html",
        host=_slow,
    ),
)
