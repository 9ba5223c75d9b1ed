# SPDX-License-Identifier: GPL-3.0-or-later
"""Know pause frames, the flow control of Ethernet (`ethtool -a`, `-A`).

With autoneg this end only says what it would like (`Advertised pause frame use`), and both ends decide together. `-a`
shows the result under some drivers and the request under others, so the request is put together from both. Where no
line shows it, what was requested last is remembered.
"""

from __future__ import annotations

from typing import Callable, Dict, Mapping, Optional, Sequence

from ..schema import MORE, UNTOLD, Action, Cell, Field, Reader, Reading, Value
from ..tools import ethtool, sysfs
from .table import Row, family

# What get_pauseparam gives under autoneg. The current mode, which is what came of it:
_SHOW_RESULT = ("bnx2", "e1000", "e1000e", "i40e", "igb", "igc", "ixgbe")
# What was requested, whatever came of it; some of these set the bits of `Advertised` once and for all (be2net):
_SHOW_REQUEST = ("be2net", "bnx2x", "bnxt_en", "ice", "tg3")
# Both ways in use do not tell that both were requested: i40e advertises what was, and bnx2 shows it nowhere.
_MAY_BE_MORE = ("bnx2", "i40e")
# Under autoneg it never asks for rx alone, and since Linux 6.3 it spells both like that (e1000_phy_setup_autoneg).
_SPELLS_BOTH = {"e1000e": "Symmetric Receive-only"}
# Under autoneg nothing else is ever requested (set_pauseparam, and what they begin with), so `No` in `Advertised` is
# the result: a field report has it of the ixgbe of CentOS 7 behind a switch that refuses.
_REQUEST_BOTH = ("igc", "ixgbe")
# What is set is in force, and the line of the link partner has no bit of pause frames, whatever that one offers.
_NEGOTIATE_NONE = ("mlx4_core", "mlx5_core")
# The line of the link partner is what came of a request, so it says nothing where there is none.
_PARTNER_IS_RESULT = ("ice",)
# `-a` has autoneg off, and yet the firmware negotiates: `Advertised` is the result (aq_nic_get_link_ksettings).
_ADVERTISE_RESULT = ("atlantic",)
# The mode of a link that is gone stays in `-a`, or none is there; `Advertised` has what was requested all the same.
_ADVERTISE_WITHOUT_LINK = ("i40e", "ixgbe")
# set_pauseparam refuses to change autoneg: there is none, or it is that of the PHY (be2net) or the link (i40e, ice).
_AUTONEG_FIXED = (*_NEGOTIATE_NONE, *_ADVERTISE_RESULT, "be2net", "i40e", "ice")
# Here it depends on the medium: ixgbe_device_supports_autoneg_fc has no fibre but at 1G.
_AUTONEG_BY_MEDIUM = ("ixgbe",)
_FIBRE = ("FIBRE", "Direct Attach Copper")

# `Pause` and `Asym_Pause` behind the words of `... advertised pause frame use`.
_BITS = {
    "No": (False, False),
    "Symmetric": (True, False),
    "Symmetric Receive-only": (True, True),
    "Transmit-only": (False, True),
}

_WAYS = ("rx", "tx")
_Complete = Callable[[str, Mapping[str, Cell], Mapping[str, object]], Dict[str, Cell]]


def _offer(driver: str, use: object) -> Dict[str, bool]:
    """What was requested of a driver, by what it advertises."""
    if use == _SPELLS_BOTH.get(driver):
        return dict.fromkeys(_WAYS, True)
    pause, asymmetric = _BITS.get(str(use), (False, False))
    return {"rx": pause, "tx": pause != asymmetric}


def _agreed(ours: object, theirs: object) -> Optional[Dict[str, bool]]:
    """What comes of two advertisements (IEEE 802.3, annex 28B); None where an end says nothing."""
    if ours not in _BITS or theirs not in _BITS:
        return None
    (pause, asymmetric), (their_pause, their_asymmetric) = _BITS[str(ours)], _BITS[str(theirs)]
    both, one = pause and their_pause, asymmetric and their_asymmetric
    return {"rx": both or (one and pause), "tx": both or (one and their_pause)}


def _negotiated(driver: str, cells: Mapping[str, Cell], link: Mapping[str, object]) -> Dict[str, Cell]:
    """The cells under autoneg, with what is requested and what the other end makes of it."""
    shown = {way: cells[way].value is True for way in _WAYS if way in cells}
    ours, theirs = link.get("pause_advertised"), link.get("pause_partner")
    agreed = _agreed(ours, theirs)
    half = link.get("duplex") == "Half"
    # Bits that both ends have, and yet nothing comes of them, are no request: such a driver sets them once and for all.
    idle = agreed is not None and not half and any(agreed[way] and not shown[way] for way in shown)
    offer = _offer(driver, ours)
    offered = dict(shown)
    if driver not in _SHOW_REQUEST and not idle:
        offered = {way: shown[way] or offer[way] for way in shown}
    # bnx2, e1000 and e1000e before Linux 6.3 set none of the bits, not even those of what they support: what they ask
    # for is not to be seen.
    unseen = driver not in _SHOW_REQUEST and link.get("pause_supported", "No") == "No"
    unseen = unseen or (driver in _REQUEST_BOTH and ours == "No")
    # To ask for rx alone is to say `Symmetric Receive-only`, of which a symmetric partner makes both.
    made = agreed or (shown if driver in _MAY_BE_MORE else {})
    more = [way for way in shown if shown[way] and made.get(way) and not offer[way] and not unseen]
    hidden = unseen and driver in _MAY_BE_MORE and all(shown.values()) and len(shown) > 1
    result = shown if driver in _SHOW_RESULT or offered != shown else agreed
    found = dict(cells)
    for way in shown:
        partner = ""
        if link.get("carrier") == "no":
            # What is hidden may be requested already; see `unseen`.
            partner = "no link" if (offered[way] or unseen) and not shown[way] else ""
        elif (offered[way] and result is not None and not result[way]) or (unseen and not shown[way]):
            partner = "half duplex" if half else "refuses"
        elif way in more and driver not in _SHOW_REQUEST:
            offered[way], partner = False, MORE
        elif hidden and way == "tx":
            partner = MORE
        elif driver in _SHOW_REQUEST and offered[way] and theirs not in _BITS:
            partner = UNTOLD
        requested = offered[way] if offered[way] != shown[way] else None
        found[way] = cells[way]._replace(
            requested=requested, partner=partner, unseen=unseen and bool(partner) and requested is None
        )
    return found


def _without_link(driver: str, cells: Mapping[str, Cell], link: Mapping[str, object]) -> Dict[str, Cell]:
    """The cells of a driver whose `-a` does not follow a request as long as there is no link."""
    offer, found = _offer(driver, link.get("pause_advertised")), dict(cells)
    if link.get("pause_supported", "No") == "No":
        return found
    for way in _WAYS:
        if way in cells and cells[way].value is not offer[way]:
            # What is shown as on passes for on: the kernel would not hand on that it is to be so.
            found[way] = cells[way]._replace(requested=offer[way], partner="no link")
    return found


def _by_firmware(_driver: str, cells: Mapping[str, Cell], link: Mapping[str, object]) -> Dict[str, Cell]:
    """The cells of a driver whose firmware negotiates what is set, and which advertises what came of it."""
    result, found = _offer("", link.get("pause_advertised")), dict(cells)
    refused = "half duplex" if link.get("duplex") == "Half" else "refuses"
    for way in _WAYS:
        if way in cells and cells[way].value is True and not result[way]:
            found[way] = cells[way]._replace(partner=refused)
    return found


def _untold(cells: Mapping[str, Cell]) -> Dict[str, Cell]:
    """The cells of a driver that negotiates nothing: whether the other end does the same is its own affair."""
    on = {way: cells[way] for way in _WAYS if way in cells and cells[way].value is True}
    return {**cells, **{way: cell._replace(partner=UNTOLD) for way, cell in on.items()}}


def link_facts(driver: str, link: Mapping[str, object]) -> Dict[str, object]:
    """What `ethtool NIC` tells, without what only looks like a word of the link partner."""
    idle = driver in _PARTNER_IS_RESULT and link.get("pause_advertised") == "No"
    return {
        key: fact for key, fact in link.items() if key != "pause_partner" or not (idle or driver in _NEGOTIATE_NONE)
    }


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    reading = _plain.read(host, nic, keys)
    if "autoneg" not in reading.cells:
        return reading
    driver = sysfs.driver(host, nic)
    cells = dict(reading.cells)
    # Who asks for the other two alone need not know it.
    needed = "autoneg" in keys or not keys
    if driver in _AUTONEG_FIXED or (needed and _fibre(host, nic, driver, cells["autoneg"])):
        cells["autoneg"] = cells["autoneg"]._replace(fixed=True)
    linked = sysfs.carrier(host, nic)
    complete = _completed(driver, cells, linked)
    if complete:
        cells = complete(driver, cells, ethtool.link(host.ask(ethtool.query("", nic)).out))
    elif linked and driver in _NEGOTIATE_NONE:
        cells = _untold(cells)
    return Reading(cells)


def _completed(driver: str, cells: Mapping[str, Cell], linked: bool) -> Optional[_Complete]:
    """How the state of the link completes what `-a` shows; None where it has nothing to add."""
    if not linked and driver in _ADVERTISE_WITHOUT_LINK:
        return _without_link
    if linked and driver in _ADVERTISE_RESULT:
        return _by_firmware
    on = all(cells[way].value is True for way in _WAYS if way in cells)
    # Pause frames that are in use both ways leave nothing to ask.
    known = on and driver in _SHOW_RESULT and driver not in _MAY_BE_MORE
    return _negotiated if cells["autoneg"].value is True and not known else None


def _fibre(host: Reader, nic: str, driver: str, autoneg: Cell) -> bool:
    """Whether the medium has no negotiation of pause frames."""
    if driver not in _AUTONEG_BY_MEDIUM or autoneg.value is not False:
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
