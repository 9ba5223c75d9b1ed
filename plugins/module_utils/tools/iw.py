# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak iw: wireless NICs."""

from __future__ import annotations

import re
from typing import Dict, Optional, Union

from ..schema import Query, Reader, TuningError


def power_save(host: Reader, nic: str) -> str:
    """`on` or `off`, whether the NIC sleeps between beacons; empty where nobody tells."""
    try:
        text = host.ask(Query(("iw", "dev", nic, "get", "power_save"))).out
    except TuningError:  # there is no iw, or the firmware does not answer; all else about the NIC still counts
        return ""
    match = re.search(r"Power save: (on|off)\b", text)
    return match[1] if match else ""


def link(host: Reader, nic: str) -> Dict[str, Union[int, float]]:
    """The frequency in MHz and the rate in Mbit/s at which a station sends; empty where it has no access point."""
    try:
        text = host.ask(Query(("iw", "dev", nic, "link"))).out
    except TuningError:
        return {}
    at, rate = re.search(r"^\s*freq: (\d{3,5})\b", text, re.MULTILINE), re.search(r"tx bitrate: (\d{1,5}\.?\d?)", text)
    return {"frequency_mhz": int(at[1]), "rate_mbit": float(rate[1])} if at and rate else {}


def signal(text: str, nic: str) -> Optional[int]:
    """Of /proc/net/wireless: the strength of the signal in dBm; nothing where a driver has another measure."""
    match = re.search(rf"^ *{re.escape(nic)}: +\w+ +-?\d+\.? +(-\d{{1,3}})\.? ", text, re.MULTILINE)
    return int(match[1]) if match else None
