# SPDX-License-Identifier: GPL-3.0-or-later
"""Cards that queue packets in a buffer of their own, in front of the rings: when it overflows, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import lost
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic
from .pcie import narrow

# Drivers of cards with a packet buffer that all queues share, and that count its overflow apart from a full ring: BRB
# (bnx2x, qede), port buffers (mlx5, bnxt), packet memory (be2net, sfc), MAC (ionic, nfp). A burst, or packets that are
# smaller than the chip can handle at line rate, fill it on the best of buses.
_CARDS = ("be2net", "bnge", "bnx2x", "bnxt_en", "ionic", "mlx5_core", "nfp", "qede", "sfc", "sfc_ef100")
_PAUSE = {"rx": True, "tx": True}


def queues_itself(nic: Nic) -> bool:
    """Whether a full FIFO of this NIC is that of such a card, on a PCIe link that is not known to sleep."""
    return nic.driver in _CARDS and nic.text("aspm") in ("", "off")


def _full(host: Host) -> Iterator[Hit]:
    short = {port.name for _link, ports in narrow(host) for port in ports}
    for nic in host.nics:
        loss = lost(nic, "rx_fifo")
        full, _since = nic.counted("rx_fifo")
        ring, _since = nic.counted("rx_missed")
        # Where the ring has lost more, it is what the packets in the buffer wait for.
        if not loss or nic.virtual or nic.name in short or not queues_itself(nic) or ring > full:
            continue
        sent, since = nic.counted("tx_pause")
        evidence: dict[str, Any] = {
            "lost, buffer of the card full": loss.text,
            "lost, ring full": ring,
            "pause frames sent": f"{sent} {since}",
        }
        mends = nic_remedy(nic.name, pause=_PAUSE)
        silent = nic.value("pause", "tx") is False and nic.text("pause_partner") != "No"
        yield Hit(evidence, nic.name, remedy=mends if silent else {}, mends=mends, severity="" if loss.much else "low")


RULES = (
    Rule(
        id="card-buffer-overflows",
        severity="medium",
        title="The card's own packet buffer overflows before the rings do",
        condition="a card of be2net, bnx2x, bnxt_en, ionic, mlx5, nfp, qede or sfc lost at least 1000 packets, and "
        "more than one in 10000, in its own buffer, and fewer because a ring was full, behind a slot that is wide "
        "enough and does not sleep; low from one in 100000 on",
        explanation="All queues share this buffer, and a larger ring does not help. Bursts of several fast senders, "
        "more small packets than the chip can handle, or a bus that is slow for a moment (IOMMU, other NUMA node) fill "
        "it.",
        action="Let the card hold the senders back by pause frames, here and at the port of the switch; see whether "
        "all queues are in use (channels, RSS), whether interrupts and memory are on the card's NUMA node, and what "
        "the IOMMU costs (`iommu=pt`); update the card's firmware.",
        reference="https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/counters.html",
        host=_full,
        proven=True,
        switch=True,
    ),
)
