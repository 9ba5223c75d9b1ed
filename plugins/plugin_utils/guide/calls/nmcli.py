# SPDX-License-Identifier: GPL-3.0-or-later
"""Read calls of nmcli, and the properties of a connection, which a keyfile has as well."""

from __future__ import annotations

import re
from typing import List, Mapping, Tuple

from ...dialects import networkmanager as words
from .. import masks
from ..keys import bonded, kernel_files
from ..keys.settings import Guide, Match
from ..model import NOTE, OTHER_TOOL

_FAMILIES: Mapping[str, str] = {
    "feature-": "features",
    "ring-": "ring",
    "coalesce-": "coalesce",
    "pause-": "pause",
    "channels-": "channels",
}
# What `nmcli con add type bond` takes besides the properties of a connection.
_OF_A_BOND = ("mode", "miimon", "downdelay", "updelay", "arp-interval", "arp-ip-target", "primary", "lacp-rate")
ALIASES = {"802-3-ethernet": "ethernet", "wired": "ethernet"}
_BY_WORD: Mapping[Tuple[str, str], Tuple[str, str]] = {
    (section.replace("802-3-ethernet", "ethernet"), name): key
    for key, word in words.PROPERTIES.items()
    for section, _dot, name in [word.word.partition(".")]
}
# What an export does not write, or what a keyfile has other words for.
_OF_FILES: Mapping[Tuple[str, str], Tuple[str, str]] = {
    ("sriov", "total-vfs"): ("sriov", "vfs"),
    ("tc", "qdisc.root"): ("qdisc", "root"),
}
# The bits of Wake-on-LAN in a keyfile (nm-setting-wired.h), as the letters of ethtool.
_WAKE_BITS = {2: "p", 4: "u", 8: "m", 16: "b", 32: "a", 64: "g"}
_WAKE = {word: letter for letter, word in words.WAKE.items()}


def read(guide: Guide, line: int, words: List[str]) -> None:
    """A call of nmcli: settings of a connection, under the name that the connection has."""
    words = [word for word in words if not (word.startswith("-") and len(word) < 9)]
    verb = words[1] if len(words) > 1 else ""
    device = bool(words and words[0]) and "device".startswith(words[0]) and verb[:3] == "mod"
    if not device and not (words and words[0] and "connection".startswith(words[0])):
        guide.sink.nothing(line, "sets nothing that lasts")
        return
    if verb[:1] not in ("m", "a") or verb in ("monitor", "add-file"):
        guide.sink.nothing(line, "sets nothing")
        return
    rest = words[2:]
    nic = ""
    if verb[:1] == "m":
        if rest[:1] in (["id"], ["uuid"], ["path"]):
            rest = rest[1:]
        nic, rest = (rest[0] if rest else ""), rest[1:]
    pairs = list(zip(rest[::2], rest[1::2]))
    named = dict(pairs)
    profile = named.get("con-name", named.get("connection.id", "")) if verb[:1] == "a" else nic
    named_nic = named.get("ifname") or named.get("connection.interface-name") or guide.profiles.get(profile, "")
    if named_nic and profile:
        guide.profiles[profile] = named_nic
    nic = named_nic or nic or named.get("con-name", "")
    if not named_nic and nic.startswith("System ") and len(nic.split()) == 2:
        nic = nic.split()[1]  # how Red Hat names the connections of files of its own
    elif not named_nic and len(nic.split()) > 1:
        nic = masks.mask(f"<{'-'.join(nic.split())}>")  # a connection, whose NIC only the host knows
    bond = next((named[key] for key in ("master", "controller", "connection.master") if named.get(key)), "")
    if bond.startswith("bond"):
        guide.sink.set(line, bond, "bond", "members", nic)
    if named.get("type") == "bond":
        for key, value in pairs:
            if key in _OF_A_BOND:
                kernel_files.bond(guide, line, nic, key, value)
        pairs = [pair for pair in pairs if pair[0] not in _OF_A_BOND]
    made = named.get("type") == "bond" or (verb[:1] == "m" and nic.startswith("bond"))
    for key, value in pairs:
        if made and bonded.nmcli(guide, line, nic, key.lstrip("+"), value):
            continue
        section, _dot, name = key.lstrip("+").partition(".")
        of_section(guide, line, nic, ALIASES.get(section, section), name, value)
    if any(key.startswith("ethtool.") for key in named) and not device and not named_nic:
        guide.sink.remark(line, NOTE, f"the name of the connection is taken for that of the NIC: {masks.shown(nic)}")


def of_section(guide: Guide, line: int, nic: str, section: str, key: str, value: str, match: Match = ()) -> None:
    """A property of a connection, as a keyfile and a call have it."""
    family = next((family for start, family in _FAMILIES.items() if key.startswith(start)), "")
    if section == "ethtool" and value in ("", "ignore"):
        guide.sink.nothing(line, "leaves it as it is")
    elif section == "ethtool" and family:
        name = key.split("-", 1)[1]
        guide.nic(line, nic, family, name if family == "features" else name.replace("-", "_"), value, match)
    elif section == "ethernet" and key == "mtu":
        if value not in ("auto", "0"):
            guide.nic(line, nic, "link", "mtu", value, match)
    elif (section, key) in _BY_WORD:
        _property(guide, line, nic, _BY_WORD[(section, key)], value, match)
    elif (section, key) in _OF_FILES:
        _property(guide, line, nic, _OF_FILES[(section, key)], value, match)
    elif section == "bond" and key == "options":
        for option in value.split(","):
            name, _equals, text = option.partition("=")
            kernel_files.bond(guide, line, nic, name.strip(), text.strip())
    elif section == "bond" and key:
        kernel_files.bond(guide, line, nic, key, value)
    else:
        said = f"{section}.{key}" if key else section
        guide.sink.remark(line, OTHER_TOOL, f"{said} {masks.shown(value)}: it belongs to NetworkManager")


def _property(guide: Guide, line: int, nic: str, known: Tuple[str, str], value: str, match: Match) -> None:
    """A property whose values are none of ethtool's words as they stand."""
    family, name = known
    if family == "wol":
        bits = int(value) if value.isdecimal() and len(value) < 9 else None
        if value in ("default", "ignore") or bits in (1, 32768):
            guide.sink.nothing(line, "leaves Wake-on-LAN as it is")
            return
        given = [letter for bit, letter in _WAKE_BITS.items() if bits and bits & bit]
        given += [_WAKE.get(word, word) for word in value.replace(",", " ").split() if bits is None]
        value = "".join(letter for letter in given if letter not in ("none", "disable", "disabled")) or "d"
    elif family == "speed" and value in ("0", ""):
        guide.sink.nothing(line, "leaves the link mode as it is")
        return
    elif family == "fec":
        value = value.replace(",", " ")
    elif family == "qdisc":
        value = re.sub(r"^root\s+", "", value)
    guide.nic(line, nic, family, name, value, match)
