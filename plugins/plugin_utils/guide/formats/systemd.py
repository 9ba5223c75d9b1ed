# SPDX-License-Identifier: GPL-3.0-or-later
"""Read .link, .network and .netdev files of systemd."""

from __future__ import annotations

import re
from itertools import product
from typing import Dict, Mapping, Optional, Sequence, Tuple

from ...dialects import systemd as words
from .. import masks
from ..keys import bonded, kernel_files
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, OTHER_TOOL, Line
from . import selectors
from .ini import Entry, sections
from .selectors import Match

_KEYS: Mapping[str, Tuple[str, str]] = {
    **{word.word: key for key, word in words.LINK.items()},
    "SR-IOVVirtualFunctions": ("sriov", "vfs"),
}
_WAKING = (*words.WAKE.values(), "secureon", "off")
_FORMS: Mapping[Tuple[str, str], str] = {key: word.form for key, word in words.LINK.items()}
# networkd knows these two in the section [Link] of a .network file; the others are udev's, of .link files.
_BY_UDEV = frozenset(_KEYS) - {"MTUBytes", "Group"}
_SUFFIXES: Mapping[str, int] = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3}
_BOND: Mapping[str, str] = {
    "Mode": "mode",
    "TransmitHashPolicy": "xmit_hash_policy",
    "LACPTransmitRate": "lacp_rate",
    "MIIMonitorSec": "miimon",
    "UpDelaySec": "updelay",
    "DownDelaySec": "downdelay",
    "MinLinks": "min_links",
    "AdSelect": "ad_select",
    "FailOverMACPolicy": "fail_over_mac",
    "PrimaryReselectPolicy": "primary_reselect",
    "PacketsPerSlave": "packets_per_slave",
    "GratuitousARP": "num_grat_arp",
    "ResendIGMP": "resend_igmp",
}
_UNITS = {"us": 1, "usec": 1, "ms": 1000, "msec": 1000, "s": 1000000, "sec": 1000000, "": 1000000}


_BUS = re.compile(r"[0-9a-f*?]+:[0-9a-f*?]+:[0-9a-f*?]+\.[0-7*?]")
_OF_ALL = "99-default.link"  # comes with systemd
_NETWORK_SECTIONS = ("Network", "Address", "Route", "DHCP", "DHCPv4", "DHCPv6", "CAN")


def read(guide: Guide, lines: Sequence[Line], path: str = "") -> None:
    """All sections; what is no tuning belongs to systemd."""
    entries = sections(guide, lines)
    conditions = {entry.key: entry.value for entry in entries if entry.section == "Match"}
    device = next((entry.value for entry in entries if entry.section == "NetDev" and entry.key == "Name"), "")
    chosen = _chosen(conditions)
    kind, problem = CONDITIONAL, chosen.problem
    bus = dict(chosen.nics[0][1]).get("bus", "")
    if bus and not _BUS.fullmatch(bus):
        kind, problem = NO_EFFECT, f"Path=pci-{bus} is no path of a device, so the file never fits a NIC"
    elif not problem and not masks.known(conditions.get("Path", "")):
        problem = f"which NICs are at Path={masks.shown(conditions['Path'])}, the host alone knows"
    elif not problem and chosen.nics == [("*", ())] and conditions.get("Property"):
        problem = f"which NICs have Property={conditions['Property']}, udev alone knows"
    elif not conditions and not device:
        main = re.search(r"([^/]+\.(?:link|network))\.d/", path)
        if main and main[1] == _OF_ALL:
            with guide.sink.noting(f"{_OF_ALL} is for all NICs that no other .link file is for"):
                _entries(guide, entries, selectors.choose(["*"], [], []), device, network=False)
            return
        problem = f"which NICs it is for, {main[1]} says" if main else "no section [Match] says which NICs it is for"
    network = re.search(r"\.network(\.d/|$)", path) or any(entry.section in _NETWORK_SECTIONS for entry in entries)
    with guide.sink.under(kind, problem):
        _entries(guide, entries, chosen, device, bool(network))


def _entries(guide: Guide, entries: Sequence[Entry], chosen: selectors.Chosen, device: str, network: bool) -> None:
    for (nic, match), entry in product(chosen.nics, entries):
        if not entry.value:
            guide.sink.nothing(entry.line, "leaves it as it is")
        elif entry.section in ("Match", "NetDev") and entry.key != "MTUBytes":
            guide.sink.nothing(entry.line, "says which NIC is meant")
        elif entry.section == "Bond" and entry.key in _BOND:
            value = str((microseconds(entry.value) or 0) // 1000) if entry.key.endswith("Sec") else entry.value
            kernel_files.bond(guide, entry.line, device, _BOND[entry.key], value)
        elif entry.section == "Network" and entry.key == "Bond":
            guide.sink.set(entry.line, entry.value, "bond", "members", nic)
        elif nic.startswith("bond") and bonded.networkd(guide, entry.line, nic, entry.key, entry.value):
            continue
        elif network and entry.section == "Link" and entry.key in _BY_UDEV:
            text = f"{entry.key} counts in .link files only; networkd knows no such key in a .network file"
            guide.sink.remark(entry.line, NO_EFFECT, text)
        else:
            _key(guide, entry, device if entry.section == "NetDev" else nic or device, match)


def _key(guide: Guide, entry: Entry, nic: str, match: Match) -> None:
    known = _KEYS.get(entry.key)
    if entry.key in ("TransmitQueues", "ReceiveQueues"):
        size = "TxBufferSize or RxBufferSize (ring) or CombinedChannels (channels)"
        text = f"{entry.key} counts for NICs that are created, not for this one; meant may be {size}"
        guide.sink.remark(entry.line, NO_EFFECT, text)
    elif not known and entry.section == "Link" and entry.key.endswith("Offload"):
        said = ", ".join(key for key in _KEYS if key.endswith(entry.key))
        text = f"{entry.key}={masks.shown(entry.value)}: systemd ignores the line, for it knows no such key"
        guide.sink.remark(entry.line, NO_EFFECT, f"{text}; meant may be {said}" if said else text)
    elif not known:
        guide.sink.remark(entry.line, OTHER_TOOL, f"{entry.key}={masks.shown(entry.value)}: it belongs to systemd")
    elif known == ("wol", "wol") and masks.known(entry.value) and not set(entry.value.split()) <= set(_WAKING):
        text = f"{entry.key}={entry.value}: systemd ignores the line, for it knows {', '.join(_WAKING)} only"
        guide.sink.remark(entry.line, NO_EFFECT, text)
    else:
        value = _spoken(known, entry.value)
        if entry.key.endswith("Sec"):
            found = microseconds(value)
            value = value if found is None else str(found // (1000000 if known[1] == "sample_interval" else 1))
        elif entry.key in ("MTUBytes", "GenericSegmentOffloadMaxBytes"):
            value = _bytes(value)
        guide.nic(entry.line, nic, known[0], known[1], value, () if nic else match)


def _spoken(known: Tuple[str, str], value: str) -> str:
    """A value of systemd in the words of our keys."""
    form = _FORMS.get(known, "")
    if form == words.MEGABITS:
        match = re.fullmatch(r"(\d+)([KMG]?)", value)
        return str(int(match[1]) * _SUFFIXES[match[2]] // 10**6) if match else value
    if form == words.CROSSING:
        return words.CROSSINGS.get(value, value)
    if form == words.CPUS:
        return "none" if value == "disable" else ",".join(value.split())
    if form == words.MODES:
        return " ".join(re.sub(r"base(\w+)-", r"base\1/", word).replace("/fec", "_FEC") for word in value.split())
    return value


# What says which NICs are meant; any other key, such as Type=wlan or Host=, leaves some out.
_NAMING = ("OriginalName", "Name", "Property", "Driver", "Kind", "Path", "MACAddress", "PermanentMACAddress")


def _chosen(conditions: Mapping[str, str]) -> selectors.Chosen:
    """The NICs behind a section [Match]."""
    properties = dict(word.partition("=")[::2] for word in conditions.get("Property", "").split())
    named = [text for key, text in properties.items() if key.startswith("ID_NET_NAME")]
    names = (conditions.get("OriginalName") or conditions.get("Name") or " ".join(named)).split()
    vendor, model = (properties.get(f"ID_{part}_ID", "") for part in ("VENDOR", "MODEL"))
    drivers = (conditions.get("Driver") or properties.get("ID_NET_DRIVER", "")).split()
    hardware = ["*"] if not names and conditions.get("Kind") == "!*" else []
    # A star at the end is for what may follow the address, such as a port; one in its place is for any function.
    paths = [
        word[4:] if _BUS.fullmatch(word[4:]) else word[4:].rstrip("*") or "*"
        for word in conditions.get("Path", "").split()
        if word.startswith("pci-")
    ]
    device = [
        ("pci", [f"{vendor[2:]}:{model[2:]}"] if vendor.startswith("0x") and model.startswith("0x") else []),
        ("driver", drivers),
        ("mac", (conditions.get("MACAddress") or conditions.get("PermanentMACAddress") or "").lower().split()),
        ("bus", paths),
    ]
    device += [] if any(words_ for _key, words_ in device) else [("driver", hardware)]
    unlike = [key for key, text in conditions.items() if text.startswith("!") and key != "Kind"]
    known = (*_NAMING, *(("Type",) if conditions.get("Type") == "ether" else ()))
    strange = [f"{key}={text}" for key, text in conditions.items() if key not in known or key in unlike]
    return selectors.choose(names, device, strange)


def microseconds(text: str) -> Optional[int]:
    """A time span of systemd, such as 20us or 0.1ms."""
    match = re.fullmatch(r"([0-9.]+)\s*([a-z]*)", text.strip().lower())
    return int(float(match[1]) * _UNITS[match[2]]) if match and match[2] in _UNITS else None


def _bytes(text: str) -> str:
    units: Dict[str, int] = {"K": 1024, "M": 1024**2}
    return str(int(text[:-1]) * units[text[-1]]) if text[-1:] in units and text[:-1].isdecimal() else text
