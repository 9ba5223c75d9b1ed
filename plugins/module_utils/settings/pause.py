# SPDX-License-Identifier: GPL-3.0-or-later
"""Know pause frames, the flow control of Ethernet (`ethtool -a`, `-A`).

With autoneg this end only says what it would like (`Advertised pause frame use`), and both ends decide together. `-a`
shows the result under some drivers and the request under others (`negotiation.py`), so the request is put together from
both. Where no line shows it, what was requested last is remembered.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ..family import Field
from ..schema import MORE, UNTOLD, Action, Cell, Reader, Reading, Value
from ..tools import ethtool, sysfs
from . import negotiation
from .table import Row, family

_FIBRE = ("FIBRE", "Direct Attach Copper")


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    reading = _plain.read(host, nic, keys)
    if "autoneg" not in reading.cells:
        return reading
    driver, cells = negotiation.of(sysfs.driver(host, nic)), dict(reading.cells)
    # Who asks for the other two alone need not know it.
    needed = "autoneg" in keys or not keys
    if driver.fixed == "always" or (needed and driver.fixed == "fibre" and _fibre(host, nic, cells["autoneg"])):
        cells["autoneg"] = cells["autoneg"]._replace(fixed=True)
    linked = sysfs.carrier(host, nic)
    if negotiation.needs_link(driver, cells, linked):
        cells = negotiation.complete(driver, cells, linked, ethtool.link(host.ask(ethtool.query("", nic)).out))
    elif linked and driver.by == "nobody":
        cells = negotiation.untold(cells)
    return Reading(cells)


def _fibre(host: Reader, nic: str, autoneg: Cell) -> bool:
    """Whether the medium has no negotiation of pause frames."""
    if autoneg.value is not False:
        return False
    link = ethtool.link(host.ask(ethtool.query("", nic)).out)
    return link.get("port") in _FIBRE and link.get("speed") != 1000


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Sequence[Action]:
    """For what a command does not name, the kernel takes what `-a` shows: name it where more is requested."""
    beside = {key: cell.requested for key, cell in cells.items() if cell.requested is not None}
    return _plain.write(nic, {**beside, **values}, cells)


def _explain(host: Reader, nic: str) -> str:
    """What the two ends advertise: all there is to tell a driver that ignores what is desired from a partner."""
    facts = ethtool.link(host.ask(ethtool.query("", nic)).out)
    said = [
        f"{label} {facts[key]}"
        for key, label in (
            ("pause_supported", "supported:"),
            ("pause_advertised", "advertised:"),
            ("pause_partner", "advertised by the link partner:"),
        )
        if key in facts
    ]
    return f"ethtool says of pause frames: {', '.join(said)}." if said else ""


_plain = family(
    "pause",
    (
        Row(Field("autoneg", "switch", "agree on pause frames with the link partner"), "autoneg", "Autonegotiate"),
        Row(Field("rx", "switch", "stop sending when the link partner asks for it"), "rx", "RX"),
        Row(Field("tx", "switch", "ask the link partner to stop when the ring is full"), "tx", "TX"),
    ),
    ask="-a",
    change="-A",
    parse=ethtool.values,
    about=(
        "Pause frames (flow control), for links of different speed that meet at a switch with small buffers. With "
        "autoneg they are negotiated; if the link partner refuses, the call reports it and succeeds. One paused client "
        "stops all that the port sends. A change may renegotiate the link."
    ),
    hint=(
        "The driver itself does not accept the value; a refusal by the link partner would not be an error. With "
        "autoneg some drivers always request both rx and tx."
    ),
    explain=_explain,
    cuts=True,
    like="rx",
)

pause = _plain._replace(
    read=_read,
    write=_write,
    boot=_plain.write,
    refusals={"Operation not supported": "the driver does not allow it to be set, or not as the NIC is now"},
    partners={
        "refuses": (
            "Flow control: this end asks for it, and the link partner refuses it or does not say. It is the switch: "
            "switch flow control on at its port. The setting stays, and takes effect once the switch agrees"
        ),
        "half duplex": (
            "Flow control: this end asks for it, and the link runs in half duplex, which has none. "
            "Let both ends negotiate speed and duplex"
        ),
        MORE: (
            "Flow control: this end asks for one direction, and with what its link partner offers it is in use in both "
            "(IEEE 802.3, annex 28B). The setting stays"
        ),
        UNTOLD: (
            "Flow control: this end asks for it, and neither the driver nor the link partner reports the result. "
            "Check whether it is on at the port of the switch"
        ),
        "no link": "",
    },
)
