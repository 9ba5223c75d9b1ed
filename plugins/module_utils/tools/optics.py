# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `ethtool -m`: what a transceiver or a cable with plugs tells of itself, its heat and the light it receives."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Set

from ..schema import Query

# Clauses of IEEE 802.3by that bind a copper cable of 25 Gb/s: without forward error correction only the last may run.
_REACH = re.compile(r"\bCA-([LSN])\b")
_POWER = re.compile(r"^(Receiver signal average optical power|Rcvr signal avg optical power)")
# `Laser rx power low alarm`, with the channel behind it where there are several.
_DIM = re.compile(r"(Laser )?rx power low alarm\b", re.IGNORECASE)
_HOT = "Module temperature high alarm"
# Of these plugs there comes no light, whatever the module says of it.
_COPPER = re.compile(r"RJ45|Copper pigtail")


def query(nic: str) -> Query:
    """The command that reads the memory of the module, which takes some milliseconds."""
    return Query(("ethtool", "-m", nic))


def parse(text: str) -> Dict[str, Any]:
    """`temperature` in degrees Celsius, `light_dbm` of the darkest lane, `reach` and `copper_m` of a cable, `module`.

    `hot` and `dim` are alarms that the module has raised itself, unless the thresholds for them are 0 as in cheap ones,
    which raise all alarms. What it does not tell is left out.
    """
    found: Dict[str, Any] = {}
    light: List[float] = []
    copper = False
    named: Dict[str, str] = {}
    untold: Set[str] = set()
    for line in text.splitlines():
        label, _colon, value = (part.strip() for part in line.partition(":"))
        number = re.match(r"-?\d{1,4}(\.\d{1,6})?\b", value)
        if label == "Module temperature" and number:
            found["temperature"] = round(float(number[0]), 1)
        elif label == "Length (Copper)" and value.endswith("m") and value[:-1].isdecimal():
            found["copper_m"] = int(value[:-1][:4])
        elif label == "Connector":
            copper = _COPPER.search(value) is not None
        elif _POWER.match(label):
            power = re.search(r"(-?\d{1,3}(\.\d{1,2})?|-inf) dBm", value)
            light += [max(float(power[1]), _DARK)] if power else []
        elif label in _LIMITS and _ZERO.match(value):
            untold.add(_LIMITS[label])
        elif label == _HOT and value == "On":
            found["hot"] = True
        elif _DIM.match(label) and value == "On":
            found["dim"] = True
        elif label in ("Vendor name", "Vendor PN"):
            named[label] = value
        elif label.startswith(("Transceiver type", "Extended Specification Compliance")):
            reach = _REACH.search(value)
            found.update({"reach": f"CA-{reach[1]}"} if reach else {})
    if copper:
        light = []
        untold.add("dim")
    for alarm in untold:
        found.pop(alarm, None)
    module = " ".join(named[label] for label in ("Vendor name", "Vendor PN") if named.get(label))
    return {**found, **({"light_dbm": min(light)} if light else {}), **({"module": module} if module else {})}


# The alarms of these thresholds, which nobody has programmed where they are 0.
_LIMITS = {f"{_HOT} threshold": "hot", "Laser rx power low alarm threshold": "dim"}
_ZERO = re.compile(r"0\.0+ (degrees C|mW)\b")
# No light at all, where a logarithm has no number for it.
_DARK = -40.0
