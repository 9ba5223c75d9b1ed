# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the NICs of a host as a small table: what a person would ask for first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import page
from ..findings.view import Facts

_HEADINGS = ("NIC", "driver", "link", "MTU", "pause rx/tx", "ring rx", "channels", "lost")


def nic_table(nics: Mapping[str, Facts]) -> page.Html:
    """One row for each NIC; a dash for what it does not tell."""
    if not nics:
        return page.tag("p", "No NIC with hardware behind it was read.", class_="soft")
    return page.table(_HEADINGS, [_row(name, nics[name]) for name in sorted(nics)])


def _row(name: str, nic: Facts) -> list[str]:
    speed = f"{nic.count('speed')} Mb/s" if nic.count("speed") else "no link" if nic.flag("carrier") is False else "-"
    pause = "/".join(_switch(nic.at("pause", way, "value")) for way in ("rx", "tx")) if nic.at("pause") else "-"
    lost = nic.number("counters", "total", "rx_missed")
    return [
        name,
        nic.text("driver") or "-",
        speed,
        str(nic.count("mtu") or "-"),
        pause,
        _limited(nic, "ring", "rx"),
        _limited(nic, "channels", "combined"),
        "-" if lost is None else str(int(lost)),
    ]


def _switch(value: Any) -> str:
    return {True: "on", False: "off"}.get(value, "-") if isinstance(value, bool) else "-"


def _limited(nic: Facts, family: str, key: str) -> str:
    value, top = nic.number(family, key, "value"), nic.number(family, key, "maximum")
    return "-" if value is None else f"{value:g} of {top:g}" if top is not None else f"{value:g}"
