# SPDX-License-Identifier: GPL-3.0-or-later
"""Work of the NIC that was given to the processors."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import lost, overflowed, pressed
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic
from .forwarding import passes_on

# Without these every packet of full size is handled alone.
_KEYS = ("gro", "tso", "gso", "rx", "tx", "sg")


def _off(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if not nic.real or nic.speed < 10000:
            continue
        loss = lost(nic, "rx_missed")
        harm = {"lost, ring full": loss.text} if loss else {}
        if pressed(host) or overflowed(host):
            harm["processors"] = "out of budget, or their backlog overflowed"
        off = [key for key in _KEYS if nic.value("features", key) is False and not _fixed(nic, key)]
        off = [key for key in off if harm or not _meant(nic, key)]
        if not off:
            continue
        evidence = {"Speed": f"{nic.speed}Mb/s", **dict.fromkeys(off, "off"), **harm}
        remedy = nic_remedy(nic.name, features=dict.fromkeys(off, True))
        yield Hit(evidence, nic.name, remedy=remedy, severity="medium" if harm and not listens(nic) else "")


def _meant(nic: Nic, key: str) -> bool:
    """Whether it is off on purpose: the inventory says so, or packets are cut again before they go on."""
    desired = nic.host.tune.at("after", "nics", nic.name, "features", key) is False
    return desired or (key == "gro" and bool(passes_on(nic.host, nic)))


def listens(nic: Nic) -> bool:
    """Whether it only receives, without an address or a master, as at the mirror port of a switch.

    Programs that record or judge what they see want each packet as it came.
    """
    spoken = nic.text("master") or any(nic.name in row.words("hardware") for row in nic.host.rows("addresses"))
    known = nic.number("counters", "total", "tx_packets") is not None
    return known and not spoken and nic.counted("tx_packets")[0] * 1000 < nic.packets


def _fixed(nic: Nic, key: str) -> bool:
    return nic.at("features", key, "fixed") is True


RULES = (
    Rule(
        id="offloads-off",
        severity="note",
        title="Offloads of a fast NIC are off",
        condition="a NIC of 10000 Mb/s or more has gro, tso, gso, sg or checksums off that it could have on, "
        "unless the inventory asks for it, or gro is off on a host that forwards; medium where processors or the "
        "receive ring lose packets, but for a NIC that only listens, without an address",
        explanation="One processor then handles each packet of 1500 bytes alone, and is fully loaded at a few Gbit/s. "
        "Old recipes switch these off, which helps only on chips that are known for a fault.",
        action="Switch them on again, unless this chip has a known fault.",
        reference="https://docs.kernel.org/networking/segmentation-offloads.html",
        host=_off,
    ),
)
