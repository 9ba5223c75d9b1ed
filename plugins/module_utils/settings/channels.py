# SPDX-License-Identifier: GPL-3.0-or-later
"""Know channels: how many queues a NIC spreads its packets over (`ethtool -l`, `-L`)."""

from __future__ import annotations

from typing import Dict, Mapping

from ..family import Field
from ..schema import Cell
from ..tools import ethtool
from .table import Row, family


def _count(name: str, about: str) -> Field:
    return Field(name, "integer", about, relative=True)


def _cells(text: str, labels: Mapping[str, str]) -> Dict[str, Cell]:
    """No kernel lets a NIC be without a queue in a direction: what it has of one kind only is one at least."""
    found = ethtool.limits(text, labels)
    needed = ("rx", "tx") if "combined" not in found else ("combined",) if not {"rx", "tx"} & set(found) else ()
    return {key: cell._replace(minimum=1) if key in needed else cell for key, cell in found.items()}


channels = family(
    "channels",
    (
        Row(_count("rx", "queues that only receive"), "rx", "RX"),
        Row(_count("tx", "queues that only send"), "tx", "TX"),
        Row(_count("other", "queues for link events and the like"), "other", "Other"),
        Row(_count("combined", "queues that do both"), "combined", "Combined"),
    ),
    ask="-l",
    change="-L",
    parse=_cells,
    about="The number of queues. A device has C(combined) ones, or C(rx) and C(tx), or all three.",
    hint="Virtual functions leave the NIC fewer channels. Fewer are refused while an RSS table, an ntuple rule or an "
    "AF_XDP socket uses the highest queues.",
    cuts=True,
    shaken_by=("sriov",),  # igb shares its queues with the virtual functions
    blind=("*",),
    like="combined",
)
