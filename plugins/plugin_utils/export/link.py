# SPDX-License-Identifier: GPL-3.0-or-later
"""Write .link files of systemd-udevd, and what the kernel is told by sysctl.d.

There is no .network file: networkd takes the first one that fits a NIC, so one of ours would take the place of the one
with its addresses.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import MAXIMUM, Desired

from ..dialects import systemd as words
from . import kernel_parameters
from .model import DesiredHost, Entry, Export, Form, exactly, named, switch, why_not
from .overlap import each_once

_ABOUT = (
    "The desired settings of a NIC for systemd-udevd, which sets them when the NIC appears (systemd.link(5)).",
    "udevd uses only the first file that matches a NIC, so this one repeats the policies of 99-default.link.",
)
# What the file of the distribution says, and what a NIC would lose under one that does not.
_POLICIES = (
    "NamePolicy=keep kernel database onboard slot path",
    "AlternativeNamesPolicy=database onboard slot path",
    "MACAddressPolicy=persistent",
)
# At the time of the match a NIC still has the name of the kernel; udev knows by then what it is going to be.
_PREDICTED: Tuple[Tuple[str, str], ...] = (
    (r"eno\d.*", "ID_NET_NAME_ONBOARD"),
    (r"ens\d.*", "ID_NET_NAME_SLOT"),
    (r"enx[0-9a-f]{12}", "ID_NET_NAME_MAC"),
    (r"en[P\d]*p\d.*", "ID_NET_NAME_PATH"),
)
# What ethtool has one word for, and udevd a word for each of some of its members.
_GROUPS: Mapping[str, Sequence[str]] = {"tso": ("tx-tcp-segmentation", "tx-tcp6-segmentation")}
_ROUTES = "udevd knows no routes; write it in [Route] of the .network file that has them"
_LATER = "udevd knows no word for it"


class _Links(Form):
    def __init__(self, desired: DesiredHost) -> None:
        super().__init__(desired)
        self.bodies: List[Tuple[str, List[str]]] = []

    def write(self) -> Export:
        parameters = kernel_parameters.lines(self)
        if self.desired.profile:
            self.cannot(f"tuning_tuned_profile {self.desired.profile}", "run tuned-adm profile on the host")
        for index, entry in enumerate(each_once(self, "udevd", lambda one: _match(one) is not None)):
            self._entry(index, entry)
        files = {path: "\n".join([*self.header("#", _ABOUT), "", *body, ""]) for path, body in self.bodies}
        if parameters:
            files[kernel_parameters.PATH] = kernel_parameters.text(self, parameters)
        return Export(files, tuple(self.unsaid))

    def _entry(self, index: int, entry: Entry) -> None:
        match = _match(entry)
        if match is None:
            self.cannot_any(entry, "systemd-udevd cannot select NICs in this way")
            return
        families = {name: self._apart(entry, name, keys) for name, keys in entry.families.items()}
        entry = entry._replace(families=families)
        body = [line for family, keys in families.items() for key in keys for line in self._key(entry, family, key)]
        if body:
            slug = re.sub(r"[^A-Za-z0-9]+", "-", entry.selector).strip("-") or "all"
            path = f"etc/systemd/network/{10 + index}-linuxnet-tuning-{slug}.link"
            self.bodies.append((path, ["[Match]", *match, "", "[Link]", *_POLICIES, *body]))

    def _apart(self, entry: Entry, family: str, keys: Mapping[str, Desired]) -> Dict[str, Desired]:
        """The keys with the members of a group for which udevd has words in place of the group."""
        found = {key: one for key, one in keys.items() if family != "features" or key not in _GROUPS}
        for key in keys if family == "features" else ():
            for member in _GROUPS.get(key, ()):
                found.setdefault(member, keys[key])
            if key in _GROUPS:
                what = named(entry, family, key, keys[key])
                self.cannot(f"{what}, of TCP with ECN and the like", "udevd knows words for plain TCP only")
        return found

    def _key(self, entry: Entry, family: str, key: str) -> List[str]:
        one = entry.families[family][key]
        word = words.LINK.get((family, key))
        what = named(entry, family, key, one)
        if word is None:
            self.cannot(what, _ROUTES if family == "routes" else _LATER)
            return []
        if not (exactly(one) or (one.kind == MAXIMUM and word.relative)):
            self.cannot(what, why_not(one))
            return []
        text = "max" if one.kind == MAXIMUM else _value(word.form, one)
        if text is None or (word.word == "GenericSegmentOffloadMaxBytes" and int(text) > 65536):
            self.cannot(what, "systemd-udevd does not accept this value")
            return []
        autoneg = entry.families[family].get("autoneg")
        if family == "speed" and key in ("speed", "duplex") and (autoneg is None or autoneg.value is not False):
            self.cannot(what, "systemd-udevd sets it only without autoneg; write autoneg: false, or advertise")
            return []
        return [f"# since systemd {word.since}", f"{word.word}={text}"] if word.since > 248 else [f"{word.word}={text}"]


def _value(form: str, one: Desired) -> Optional[str]:
    """A value in systemd's words; None where it has none."""
    text = switch(one, "yes", "no")
    if form == words.USECS:
        return f"{text}us"
    if form == words.SECONDS:
        return f"{text}s" if text != "0" else None
    if form == words.MEGABITS:
        return f"{text}M"
    if form == words.CROSSING:
        return {"yes": "crossover", "no": "straight"}.get(text, text)
    if form == words.LETTERS:
        if text == "d":
            return "off"
        return " ".join(words.WAKE[letter] for letter in text) if set(text) <= set(words.WAKE) else None
    if form == words.MODES:
        named_modes = [word.lower().replace("/", "-") for word in text.split()]
        return " ".join(named_modes) if all("base" in word for word in named_modes) else None
    if form == words.CPUS:
        if text == "none":
            return "disable"
        return text if text == "all" or re.fullmatch(r"[0-9,-]+", text) else None
    return text


def _match(entry: Entry) -> Optional[List[str]]:
    """The lines of [Match]; None where it has no words."""
    if entry.name:
        predicted = next((key for pattern, key in _PREDICTED if re.fullmatch(pattern, entry.name)), "")
        if predicted and not re.search(r"[*?\[]", entry.name):
            return [f"Property={predicted}={entry.name}"]
        if entry.name == "*":
            return ["OriginalName=*", "Type=!loopback"]
        # Only names that nobody changes are those that udevd sees; what else begins with en comes later.
        return None if entry.name.startswith("en") else [f"OriginalName={entry.name}"]
    found: List[str] = []
    match: Mapping[str, str] = dict(entry.match)
    for key, value in entry.match:
        if key == "driver" and value == "*":
            found += ["# since systemd 251", "Kind=!*", "Type=ether"]
        elif key == "driver":
            found.append(f"Driver={value}")
        elif key == "mac" and not re.search(r"[*?\[]", value):
            # The address of a VLAN or bond is that of its NIC, and no permanent one.
            found.append(f"PermanentMACAddress={value}")
        elif key == "bus":
            found.append(f"Path=pci-{value if value.count(':') > 1 else '0000:' + value}*")
        elif key == "pci" and re.fullmatch(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{4}", value):
            vendor, _colon, device = value.lower().partition(":")
            found.append(f"Property=ID_VENDOR_ID=0x{vendor} ID_MODEL_ID=0x{device}")
        else:
            return None
    return found if match else None


def write(desired: DesiredHost) -> Export:
    """The files for one host."""
    return _Links(desired).write()
