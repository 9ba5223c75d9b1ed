# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a link carries: the MTU, and how long its transmit queue is (`ip -d link`)."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from ..schema import NIC, Action, Cell, Family, Field, Reading, Value
from ..tools import ip, ping, sysfs


def _read(host: Any, nic: str, _keys: Sequence[str]) -> Reading:
    cells, problem = ip.cells(host, nic)
    level = sysfs.level(host, nic)
    return Reading({key: cell._replace(level=level) for key, cell in cells.items()}, problem)


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return (ip.set_link(nic, {key: values[key] for key in ("mtu", "txqueuelen") if key in values}),)


def _neighbours(host: Any, nic: str) -> List[str]:
    """A VLAN shrinks with the NIC below it, and the ports of a bond follow the bond."""
    return sysfs.above(host, nic) + sysfs.below(host, nic)


def _probe(host: Any, nic: str, addresses: str, cells: Mapping[str, Cell]) -> str:
    mtu = cells["mtu"].value if "mtu" in cells else None
    silent = [address for address in addresses.split() if not ping.carries(host, nic, address, int(str(mtu)))]
    if not silent:
        return ""
    return (
        f"{nic} mtu: set to {mtu}, but no packet of that size came back from {', '.join(silent)}. "
        "Every switch port and NIC on the way must take it as well; raise theirs first."
    )


link = Family(
    name="link",
    module="link",
    scope=NIC,
    loose=True,
    read=_read,
    write=_write,
    about="What a link carries, and how long its transmit queue is.",
    fields=(
        Field("mtu", "integer", "the largest packet in bytes, without the Ethernet header", relative=True),
        Field("txqueuelen", "integer", "packets that queueing disciplines without a limit of their own may hold"),
        Field("path_check", "addresses", "peers that must answer a packet of the new MTU, or it is taken back"),
    ),
    hint="A VLAN cannot have a larger MTU than the NIC below it, and a bond sets the MTU of its ports itself.",
    flat=True,
    neighbours=_neighbours,
    probe=_probe,
    cuts=True,
)
