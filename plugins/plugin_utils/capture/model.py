# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe what a capture finds: values for the inventory, what is left out, and what nobody here can judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Tuple

LIVE_ONLY = "live only: no file that was read sets it"

# Families of the host, each with a variable of its own: the end of its name, which is also the option of `tune`.
OF_THE_HOST = ("sysctl", "module_parameters")

# NIC (empty for the host), family, key.
Address = Tuple[str, str, str]


class Item(NamedTuple):
    """A value for the inventory, where it came from, and what to know of it."""

    nic: str
    family: str
    key: str
    value: Any
    origin: str
    notes: tuple[str, ...] = ()
    # The members that it stands for, if it is a group of features.
    covers: tuple[Address, ...] = ()

    @property
    def address(self) -> Address:
        """What it sets."""
        return self.nic, self.family, self.key


class Source(NamedTuple):
    """A line of a file, and what it sets; `mixed` where it does something else as well."""

    file: str
    number: int
    text: str
    sets: tuple[Address, ...]
    mixed: bool


class Captured(NamedTuple):
    """What one host comes to. `unknown` are values of which nobody here knows whether somebody has set them."""

    host: str
    items: tuple[Item, ...] = ()
    left_out: tuple[str, ...] = ()
    unknown: tuple[Item, ...] = ()
    bonds: tuple[dict[str, Any], ...] = ()
    profile: str = ""
    problem: str = ""
    sources: tuple[Source, ...] = ()
    # What files set although the driver or the kernel does so by itself.
    idle: frozenset[Address] = frozenset()
    # In a sentence, where the values are that it has in common with others.
    shared: str = ""


def said(value: Any) -> str:
    """A value in a sentence."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value) or "nothing"


def nobody(setting: Mapping[str, Any]) -> str:
    """Why a line sets nothing on this host, in a sentence: the NIC that it is about."""
    who = str(setting.get("nic") or said([f"{key} {text}" for key, text in setting["match"].items()]))
    if who.startswith("$"):
        return f"its NIC is {who}, which only the call of the script tells; write an entry for each NIC that it is for"
    return f"no hardware NIC of this host is selected by {who}"


def bound(value: Any) -> Any:
    """A value that only raises or lowers, as a profile of TuneD has it, by its number."""
    return next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value
