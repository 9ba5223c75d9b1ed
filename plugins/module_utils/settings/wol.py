# SPDX-License-Identifier: GPL-3.0-or-later
"""Know Wake-on-LAN: which packets wake a host that sleeps or is off (`ethtool -s NIC wol`)."""

from __future__ import annotations

from functools import partial
from typing import Dict, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import EXACTLY, Action, Cell, Desired, InputError, Reader, Reading, Value, nearest
from ..tools import ethtool

_OFF = "d"
# In the order in which ethtool prints them.
_LETTERS = {
    "phy": "p",
    "unicast": "u",
    "multicast": "m",
    "broadcast": "b",
    "arp": "a",
    "magic": "g",
    "secureon": "s",
    "filter": "f",
}
_NAMES = (*(name for name in _LETTERS if name != "secureon"), "off")


def cells(text: str) -> Dict[str, Cell]:
    """The cell behind the text of `ethtool NIC`; none for a NIC that wakes nobody."""
    link = ethtool.link(text)
    able, now = str(link.get("wol_supported", _OFF)), str(link.get("wol", ""))
    if able == _OFF or not now:
        return {}
    return {"wol": Cell(_ordered(now), means=partial(_means, able=able))}


def _ordered(letters: str) -> str:
    return "".join(letter for letter in _LETTERS.values() if letter in letters) or _OFF


def _means(letters: str, able: str) -> str:
    missing = [name for name, letter in _LETTERS.items() if letter in letters and letter not in able]
    if missing:
        there = ", ".join(name for name, letter in _LETTERS.items() if letter in able)
        raise ValueError(f"the device does not wake on {' or '.join(missing)}; it has {there}")
    return _ordered(letters)


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    return ethtool.reading(host, "", nic, cells)


def _understand(field: Field, raw: object) -> Desired:
    right = "write magic, another word, a list of words, or off"
    if isinstance(raw, Mapping):
        raise InputError(f"{field.name}: {dict(raw)!r} is not valid; {right}")
    # YAML takes the word off for a switch.
    parts = ["off"] if raw is False else raw if isinstance(raw, (list, tuple)) else [raw]
    letters = ""
    for word in (word for part in parts for word in str(part).lower().split()):
        if word in _LETTERS:
            letters += _LETTERS[word]
        elif word not in ("off", _OFF) and not set(word) <= set(_LETTERS.values()):
            words = f"; write {', '.join(_NAMES)}, or the letters of ethtool such as g"
            raise InputError(f"{field.name}: {word!r} is not valid{nearest(word, _NAMES, False) or words}")
        else:
            letters += "" if word in ("off", _OFF) else word
    if letters and {"off", _OFF}.intersection(word for part in parts for word in str(part).lower().split()):
        raise InputError(f"{field.name}: {raw!r} is not valid; write off alone, or what wakes the host")
    if "s" in letters:
        why = "its password would be visible in the inventory and in the list of processes"
        raise InputError(f"{field.name}: secureon is not valid; {why}")
    if raw is True or raw is None or not any(str(part).strip() for part in parts):
        raise InputError(f"{field.name}: {raw!r} is not valid; {right}")
    return Desired(EXACTLY, _ordered(letters))


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return (ethtool.command("-s", nic, {"wol": values["wol"]}),) if values.get("wol") else ()


wol = Family(
    name="wol",
    module="ethtool",
    scope=NIC,
    flat=True,
    blind=("wol",),
    read=_read,
    write=_write,
    about=(
        "Wake-on-LAN. The firmware of the host has to allow it as well, and network managers may switch it off when "
        "the host goes down."
    ),
    fields=(
        Field(
            "wol",
            "letters",
            "what wakes the host: C(magic) packets, C(phy), C(unicast), C(multicast), C(broadcast), C(arp), "
            "C(filter), a list of these, ethtool's letters, or C(off)",
            parse=_understand,
        ),
    ),
    hint="The slot and the firmware must power the NIC while the host sleeps.",
    refusals={"Operation not supported": "the driver does not allow it to be set"},
)
