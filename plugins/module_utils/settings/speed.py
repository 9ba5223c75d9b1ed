# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a link runs at: speed, duplex, autonegotiation, advertised modes and crossed pairs (`ethtool -s`).

With autonegotiation a host only says what it can do, and both ends decide. So what is set then are the advertised
modes, and speed and duplex are values of a link without it alone.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import EXACTLY, Action, Address, Cell, Desired, Reader, Reading, Run, Value
from ..tools import ethtool, modes

# The words behind `MDI-X:`; without one of these the PHY only tells what it found out, or nothing at all.
_MDIX: Mapping[str, Value] = {
    "off (forced)": False,
    "on (forced)": True,
    "off (auto)": "auto",
    "on (auto)": "auto",
    "Unknown (auto)": "auto",
}

_FORCED = ("speed", "duplex")

# Those that the kernel has link modes of (include/uapi/linux/ethtool.h).
_SPEEDS = (10, 100, 1000, 2500, 5000, 10000, 20000, 25000, 40000, 50000, 56000, 100000, 200000, 400000, 800000)


def cells(text: str) -> Dict[str, Cell]:
    """The cells behind the text of `ethtool NIC`."""
    link = ethtool.link(text)
    found: Dict[str, Cell] = {}
    if link.get("autoneg") not in ("on", "off"):
        return found
    on = link["autoneg"] == "on"
    found["autoneg"] = Cell(on, fixed=not on and link.get("autoneg_supported") == "No")
    # Drivers such as igb tell the speed of a link without autonegotiation only while it is up.
    hidden = not on and link.get("carrier") == "no"
    for key in _FORCED:
        value = None if on or key not in link else link[key]
        shown: Value = value.lower() if isinstance(value, str) else int(str(value)) if value is not None else None
        lost = hidden and shown is None
        found[key] = Cell(shown, partner="no link" if lost else "", unseen=lost)
    found.update(modes.cells(link))
    if link.get("mdix") in _MDIX:
        found["mdix"] = Cell(_MDIX[str(link["mdix"])])
    return found


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    return ethtool.reading(host, "", nic, cells)


def _expand(
    _nic: str, desired: Mapping[str, Desired], now: Mapping[str, Cell], _planned: Mapping[Address, Value]
) -> Expansion:
    """Speed and duplex become advertised modes where the ends negotiate; what contradicts itself is refused."""
    made, refused = dict(desired), {}
    is_on = "autoneg" in now and now["autoneg"].value is True
    autoneg = desired["autoneg"].value if "autoneg" in desired else None
    forced = {key: desired[key].value for key in _FORCED if key in desired}
    if "advertise" in desired and "advertise" in now:
        if autoneg is False:
            refused["advertise"] = "without autoneg a link advertises nothing; write speed and duplex instead"
        elif forced:
            refused.update(dict.fromkeys(forced, "advertise says already what to negotiate; write one of the two"))
        else:
            made["autoneg"] = Desired(EXACTLY, True)
    elif autoneg is True or (autoneg is None and is_on):
        if forced and "advertise" in now:
            made = {key: one for key, one in made.items() if key not in _FORCED}
            made["advertise"] = Desired(EXACTLY, _mode(forced))
            made["autoneg"] = Desired(EXACTLY, True)
        elif forced:
            reason = "the ends negotiate it, and the device names no modes that could be advertised"
            refused.update(dict.fromkeys(forced, reason))
    else:
        why = _forcible(autoneg, forced, now)
        if why:
            refused.update(dict.fromkeys([*forced, *(["autoneg"] if autoneg is False else [])], why))
        elif "speed" in forced:
            made.setdefault("duplex", Desired(EXACTLY, "full"))
            made["autoneg"] = Desired(EXACTLY, False)
    return Expansion({key: one for key, one in made.items() if key not in refused}, refused)


def _mode(forced: Mapping[str, Value]) -> str:
    """Words for the modes of a speed, a duplex or both."""
    return f"{forced.get('speed', '')}/{forced['duplex']}" if "duplex" in forced else str(forced["speed"])


def _forcible(autoneg: Value, forced: Mapping[str, Value], now: Mapping[str, Cell]) -> str:
    """Why a link cannot run at a fixed speed; empty where it can."""
    was_on = "autoneg" in now and now["autoneg"].value is True
    if autoneg is False and was_on and "speed" not in forced:
        return "a link without autoneg needs speed and duplex as well; write both"
    unknown = [key for key in forced if key in now and now[key].value is None and not now[key].unseen]
    if unknown and not was_on:
        return "the device does not say what it runs at, so it could not be restored"
    if "speed" in forced and "advertise" in now and now["advertise"].means:
        try:
            now["advertise"].means(_mode({"duplex": "full", **forced}))
        except ValueError as error:
            return str(error)
    return ""


def _words(values: Mapping[str, Value], now: Mapping[str, Cell], kept: bool) -> List[str]:
    """The words behind `ethtool -s NIC`; `kept` also names what is advertised now, else the tool takes all modes."""
    words: List[str] = []
    about = [key for key in ("autoneg", "advertise", *_FORCED) if values.get(key) is not None]
    was = {key: cell.decided for key, cell in now.items()}
    if values.get("mdix") is not None:
        words += ["mdix", _switch(values["mdix"])]
    if not about:
        return words
    # What a command does not name stays, or is chosen by the tool: a mode is set as a whole.
    on = values["autoneg"] if values.get("autoneg") is not None else was.get("autoneg")
    words += ["autoneg", _switch(on)]
    if not on:
        for key in _FORCED:
            value = values[key] if values.get(key) is not None else was.get(key)
            words += [key, str(value)] if value is not None else []
        return words
    offered = values.get("advertise") or (was.get("advertise") if kept else None)
    return [*words, *modes.words(now.get("advertise"), offered)]


def _switch(value: Value) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _run(nic: str, words: Sequence[str]) -> Tuple[Action, ...]:
    return (Run(("ethtool", "-s", nic, *words)),) if words else ()


def _write(nic: str, values: Mapping[str, Value], now: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return _run(nic, _words(values, now, kept=True))


def _boot(nic: str, values: Mapping[str, Value], now: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return _run(nic, _words(values, now, kept=False))


speed = Family(
    name="speed",
    module="ethtool",
    scope=NIC,
    read=_read,
    write=_write,
    boot=_boot,
    expand=_expand,
    about=(
        "Speed and duplex. With autoneg the host advertises modes, and both ends agree on the fastest that they "
        "have in common; C(speed) and C(duplex) then limit what is advertised. Without autoneg they are fixed, and the "
        "port of the switch has to be fixed alike. The link goes down for some seconds, and must come back."
    ),
    fields=(
        Field("autoneg", "switch", "agree on speed and duplex with the link partner"),
        Field("speed", "integer", "the speed in Mb/s", choices=_SPEEDS, unit="Mb/s"),
        Field("duplex", "word", "C(full): both may send at once; the default beside a speed", words=("full", "half")),
        Field(
            "advertise",
            "modes",
            "what to offer to the link partner: a list of modes such as C(1000baseT/Full), a list of speeds, C(all), "
            "C({at_most: 1000}), or C({at_least: 1000})",
            parse=modes.understand,
        ),
        Field("mdix", "word", "cross the pairs of a twisted-pair cable, or C(auto)", words=("on", "off", "auto")),
    ),
    hint=(
        "Over twisted pair (BASE-T), 1000 Mb/s and more need autonegotiation: limit what is advertised instead. "
        "Advertised modes need ethtool 5.8 and Linux 5.6."
    ),
    refusals={"Operation not supported": "the driver does not allow it to be set"},
    cuts=True,
    patience=10,
    partners={"no link": ""},
)
