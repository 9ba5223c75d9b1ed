# SPDX-License-Identifier: GPL-3.0-or-later
"""Know Energy-Efficient Ethernet: a link that sleeps between packets (`ethtool --show-eee`, `--set-eee`)."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import Action, Address, Cell, Desired, Reader, Reading, Run, Value
from ..tools import ethtool, modes


def cells(text: str) -> Dict[str, Cell]:
    """The cells behind the text of `ethtool --show-eee NIC`; none where EEE is not supported."""
    shown = ethtool.link(text)
    status = re.match(r"(enabled|disabled)\b", str(shown.get("eee", "")))
    if not status:
        return {}
    found = {"enabled": Cell(status[1] == "enabled")}
    if "tx_lpi" in shown:
        # The time is shown only while it is used.
        timer = re.match(r"\d+", str(shown["tx_lpi"]))
        found["tx_lpi"] = Cell(bool(timer))
        found["tx_timer"] = Cell(int(timer[0]) if timer else None)
    return {**found, **modes.cells(shown)}


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    return ethtool.reading(host, "--show-eee", nic, cells)


def _expand(
    _nic: str, desired: Mapping[str, Desired], now: Mapping[str, Cell], _planned: Mapping[Address, Value]
) -> Expansion:
    """What a command takes and the device forgets, or does not show, is refused."""
    on = {key: desired[key].value if key in desired else now[key].value for key in ("enabled", "tx_lpi") if key in now}
    refused = {}
    if "advertise" in desired and on.get("enabled") is False:
        refused["advertise"] = "nothing is advertised while EEE is off; write enabled: true as well"
    if "tx_timer" in desired and on.get("tx_lpi") is False:
        refused["tx_timer"] = "the device shows no time while tx_lpi is off; write tx_lpi: true as well"
    return Expansion({key: one for key, one in desired.items() if key not in refused}, refused)


def _write(nic: str, values: Mapping[str, Value], now: Mapping[str, Cell]) -> Tuple[Action, ...]:
    words: List[str] = []
    for key, option in (("enabled", "eee"), ("tx_lpi", "tx-lpi"), ("tx_timer", "tx-timer")):
        value = values.get(key)
        if value is not None:
            words += [option, ("on" if value else "off") if isinstance(value, bool) else str(value)]
    offered = values.get("advertise")
    if not offered and values.get("enabled") is True:
        # Off, many drivers advertise nothing, and igb refuses to switch on what advertises nothing (igb_set_eee).
        offered = (now["advertise"].value if "advertise" in now else None) or modes.everything(now.get("advertise"))
    words += modes.words(now.get("advertise"), offered)
    return (Run(("ethtool", "--set-eee", nic, *words)),) if words else ()


eee = Family(
    name="eee",
    module="ethtool",
    scope=NIC,
    read=_read,
    write=_write,
    expand=_expand,
    about=(
        "Energy-Efficient Ethernet: the link sleeps between packets. Waking up takes microseconds, and some NICs and "
        "switches lose the link. C(eee: {enabled: false}) turns it off. A change may renegotiate the link."
    ),
    fields=(
        Field("enabled", "switch", "agree on EEE with the link partner"),
        Field("tx_lpi", "switch", "let this end sleep (low power idle)"),
        Field("tx_timer", "integer", "microseconds without a packet before it sleeps", rounding=8, unit="microseconds"),
        Field(
            "advertise",
            "modes",
            "the link modes to offer EEE for: a list of modes or speeds, C(all), or C({at_most: 1000})",
            parse=modes.understand,
        ),
    ),
    hint="Many drivers can only switch EEE as a whole, and neither tx_lpi nor tx_timer.",
    refusals={"Operation not supported": "the driver does not allow it to be set"},
    cuts=True,
)
