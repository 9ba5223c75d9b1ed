# SPDX-License-Identifier: GPL-3.0-or-later
"""The IOMMU: what it costs to translate each address that a fast NIC reads or writes."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import Loss, lost
from ..model import Hit, Rule
from ..view import Host, Nic
from .pcie import narrow

# The kinds of domain in which each buffer is mapped anew; what was mapped is taken away at once, or several together.
# Before Linux 5.15 there is one word for both.
_TRANSLATES = ("DMA", "DMA-FQ")
_TWO_WORDS = (5, 15)
# Slower links leave time enough for it, in Mb/s.
_FAST = 25_000


def _translates(host: Host) -> Iterator[Hit]:
    short = {port.name for _link, ports in narrow(host) for port in ports}
    for nic in host.nics:
        how, losses = nic.text("iommu"), _losses(nic)
        if how in _TRANSLATES and losses and nic.real and nic.speed >= _FAST and nic.name not in short:
            told = {label: loss.text for label, loss in losses.items()}
            strict = how == "DMA" and host.release >= _TWO_WORDS
            domain = f"{how} (each buffer is translated{', strictly' if strict else ''})"
            evidence = {"IOMMU domain": domain, "Speed": f"{nic.speed}Mb/s", **told}
            severe = strict and any(loss.much for loss in losses.values())
            yield Hit(evidence, nic.name, severity="medium" if severe else "")


def _losses(nic: Nic) -> dict[str, Loss]:
    """What the NIC could not hand over in time, where neither a sleeping link nor a small ring explains it."""
    size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
    awake, large = nic.text("aspm") in ("", "off"), size is not None and size == top
    rows = (("lost in the NIC", "rx_fifo", awake), ("lost, ring full", "rx_missed", large))
    found = {label: lost(nic, name) for label, name, counts in rows if counts}
    return {label: loss for label, loss in found.items() if loss}


RULES = (
    Rule(
        id="iommu-translates",
        severity="low",
        title="The IOMMU translates each buffer of a fast NIC that loses packets",
        condition="a NIC with a link of at least 25000 Mb/s lost at least 1000 packets, and more than one in 100000, "
        "before they reached the ring, or in a ring that is as large as it can be, behind a slot that is wide enough "
        "and does not sleep, and its IOMMU domain is DMA-FQ or DMA; medium from one in 10000 on with DMA "
        "on Linux 5.15 and later, where that is strict",
        explanation="For every buffer the kernel writes the tables of the IOMMU, and the NIC waits while an address is "
        "looked up. On fast links that costs a part of the rate, and most where each buffer is taken out of the tables "
        "at once (DMA, strict).",
        action="Boot with `iommu=pt` (`iommu.passthrough=1` on Arm), for example by `grubby --update-kernel=ALL "
        "--args=iommu=pt` or GRUB_CMDLINE_LINUX and `update-grub`; then `/sys/class/net/NIC/device/iommu_group/type` "
        "says identity. Guests stay as protected as before, but nothing protects the host from a broken device. Where "
        "that must stay, `iommu.strict=0` takes buffers out together.",
        reference="https://docs.kernel.org/admin-guide/kernel-parameters.html",
        host=_translates,
        proven=True,
    ),
)
