# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what two ends make of pause frames, and which part of it each driver shows.

`ethtool -a` shows the request under some drivers and the result under others, and so does `Advertised pause frame use`.
A driver is a row of `DRIVERS`, by its get_pauseparam, set_pauseparam and get_link_ksettings in the kernel's sources.
"""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Optional

from ..schema import MORE, UNTOLD, Cell

WAYS = ("rx", "tx")
Cells = Dict[str, Cell]
Link = Mapping[str, object]
RESULT, REQUEST = "result", "request"


class Driver(NamedTuple):
    """What a driver shows of pause frames; what is not known of it is left as here."""

    # Under autoneg `-a` has the result or the request; either, where it is not known.
    shows: str = ""
    # The request cannot be seen in full: both ways in use do not tell that both were requested.
    hides: bool = False
    # It requests both ways whatever is set, so `No` in `Advertised` is a result.
    both: bool = False
    # It spells the request for both ways like this.
    spelling: str = ""
    # `-a` does not follow a request without a link; `Advertised` has what was requested all the same.
    late: bool = False
    # Who negotiates: the two ends by autoneg, the firmware whatever `-a` says of autoneg, or nobody.
    by: str = "autoneg"
    # The line of the link partner is what came of a request, so it says nothing where there was none.
    partner_is_result: bool = False
    # Autoneg cannot be changed: always, or on fibre.
    fixed: str = ""


DRIVERS: Dict[str, Driver] = {
    # aq_nic_get_link_ksettings advertises what came of it, while autoneg is always off.
    "atlantic": Driver(by="firmware", fixed="always"),
    # The bits of `Advertised` are set once and for all, and autoneg is that of the PHY.
    "be2net": Driver(shows=REQUEST, fixed="always"),
    "bnx2": Driver(shows=RESULT, hides=True),
    "bnx2x": Driver(shows=REQUEST),
    "bnxt_en": Driver(shows=REQUEST),
    "e1000": Driver(shows=RESULT),
    # It never asks for rx alone, and since Linux 6.3 it spells both like that (e1000_phy_setup_autoneg).
    "e1000e": Driver(shows=RESULT, spelling="Symmetric Receive-only"),
    # It advertises what came of it; autoneg is that of the link.
    "i40e": Driver(shows=RESULT, hides=True, late=True, fixed="always"),
    "ice": Driver(shows=REQUEST, partner_is_result=True, fixed="always"),
    "igb": Driver(shows=RESULT),
    "igc": Driver(shows=RESULT, both=True),
    # A field report has `No` on CentOS 7 behind a switch that refuses. Fibre negotiates at 1G only
    # (ixgbe_device_supports_autoneg_fc), and the mode of a link that is gone stays in `-a`.
    "ixgbe": Driver(shows=RESULT, both=True, late=True, fixed="fibre"),
    # What is set is in force, and the line of the link partner has no bit of pause frames, whatever that one offers.
    "mlx4_core": Driver(by="nobody", fixed="always"),
    "mlx5_core": Driver(by="nobody", fixed="always"),
    "tg3": Driver(shows=REQUEST),
}

# `Pause` and `Asym_Pause` behind the words of `... advertised pause frame use`.
_BITS = {
    "No": (False, False),
    "Symmetric": (True, False),
    "Symmetric Receive-only": (True, True),
    "Transmit-only": (False, True),
}


def of(driver: str) -> Driver:
    """What is known of a driver, by its name under /sys."""
    return DRIVERS.get(driver, Driver())


def needs_link(driver: Driver, cells: Mapping[str, Cell], linked: bool) -> bool:
    """Whether `ethtool NIC` has something to add to what `-a` shows."""
    if (driver.late and not linked) or (driver.by == "firmware" and linked):
        return True
    # Pause frames that are in use both ways leave nothing to ask.
    on = all(cells[way].value is True for way in WAYS if way in cells)
    known = on and driver.shows == RESULT and not driver.hides
    return cells["autoneg"].value is True and not known


def complete(driver: Driver, cells: Mapping[str, Cell], linked: bool, link: Link) -> Cells:
    """The cells of `-a` with what is requested, and what the other end makes of it."""
    if driver.late and not linked:
        return _without_link(driver, cells, link)
    return _by_firmware(cells, link) if driver.by == "firmware" and linked else _by_autoneg(driver, cells, link)


def untold(cells: Mapping[str, Cell]) -> Cells:
    """The cells of a driver that negotiates nothing: whether the other end does the same is its own affair."""
    on = {way: cells[way] for way in WAYS if way in cells and cells[way].value is True}
    return {**cells, **{way: cell._replace(partner=UNTOLD) for way, cell in on.items()}}


def link_facts(name: str, link: Link) -> Dict[str, object]:
    """What `ethtool NIC` tells, without what only looks like a word of the link partner."""
    driver = of(name)
    idle = driver.partner_is_result and link.get("pause_advertised") == "No"
    dumb = idle or driver.by == "nobody"
    return {key: fact for key, fact in link.items() if key != "pause_partner" or not dumb}


def _offer(driver: Driver, use: object) -> Dict[str, bool]:
    """What was requested of a driver, by what it advertises."""
    if driver.spelling and use == driver.spelling:
        return dict.fromkeys(WAYS, True)
    pause, asymmetric = _BITS.get(str(use), (False, False))
    return {"rx": pause, "tx": pause != asymmetric}


def _agreed(ours: object, theirs: object) -> Optional[Dict[str, bool]]:
    """What comes of two advertisements (IEEE 802.3, annex 28B); None where an end says nothing."""
    if ours not in _BITS or theirs not in _BITS:
        return None
    (pause, asymmetric), (their_pause, their_asymmetric) = _BITS[str(ours)], _BITS[str(theirs)]
    both, one = pause and their_pause, asymmetric and their_asymmetric
    return {"rx": both or (one and pause), "tx": both or (one and their_pause)}


def _by_autoneg(driver: Driver, cells: Mapping[str, Cell], link: Link) -> Cells:
    shown = {way: cells[way].value is True for way in WAYS if way in cells}
    linked, ours = link.get("carrier") != "no", link.get("pause_advertised")
    # What a link partner has said that is gone counts no more.
    theirs = link.get("pause_partner") if linked else None
    agreed, offer = _agreed(ours, theirs), _offer(driver, ours)
    half = link.get("duplex") == "Half"
    # Bits that both ends have, and yet nothing comes of them, are no request: such a driver sets them once and for all.
    idle = agreed is not None and not half and any(agreed[way] and not shown[way] for way in shown)
    offered = dict(shown)
    if driver.shows != REQUEST and not idle:
        offered = {way: shown[way] or offer[way] for way in shown}
    unseen = _unseen(driver, link)
    # To ask for rx alone is to say `Symmetric Receive-only`, of which a symmetric partner makes both.
    made = agreed or (shown if driver.hides else {})
    more = [way for way in shown if shown[way] and made.get(way) and not offer[way] and not unseen]
    hidden = unseen and driver.hides and all(shown.values()) and len(shown) > 1
    result = shown if driver.shows == RESULT or offered != shown else agreed
    found = dict(cells)
    for way in shown:
        partner = ""
        if not linked:
            # What is hidden may be requested already.
            partner = "no link" if (offered[way] or unseen) and not shown[way] else ""
        elif (offered[way] and result is not None and not result[way]) or (unseen and not shown[way]):
            partner = "half duplex" if half else "refuses"
        elif way in more and driver.shows != REQUEST:
            offered[way], partner = False, MORE
        elif hidden and way == "tx":
            partner = MORE
        elif driver.shows == REQUEST and offered[way] and theirs not in _BITS:
            partner = UNTOLD
        requested = offered[way] if offered[way] != shown[way] else None
        hides = unseen and bool(partner) and requested is None
        found[way] = cells[way]._replace(requested=requested, partner=partner, unseen=hides)
    return found


def _unseen(driver: Driver, link: Link) -> bool:
    """Whether no line shows what was requested.

    bnx2, e1000 and e1000e before Linux 6.3 set none of the bits, not even those of what they support.
    """
    if driver.both and link.get("pause_advertised") == "No":
        return True
    return driver.shows != REQUEST and link.get("pause_supported", "No") == "No"


def _without_link(driver: Driver, cells: Mapping[str, Cell], link: Link) -> Cells:
    offer, found = _offer(driver, link.get("pause_advertised")), dict(cells)
    if link.get("pause_supported", "No") == "No":
        return found
    for way in WAYS:
        if way in cells and cells[way].value is not offer[way]:
            # What is shown as on passes for on: the kernel would not hand on that it is to be so.
            found[way] = cells[way]._replace(requested=offer[way], partner="no link")
    return found


def _by_firmware(cells: Mapping[str, Cell], link: Link) -> Cells:
    result, found = _offer(Driver(), link.get("pause_advertised")), dict(cells)
    refused = "half duplex" if link.get("duplex") == "Half" else "refuses"
    for way in WAYS:
        if way in cells and cells[way].value is True and not result[way]:
            found[way] = cells[way]._replace(partner=refused)
    return found
