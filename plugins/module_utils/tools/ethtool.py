# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ethtool: commands beside parsers of their text, which is the only form that all versions share."""

from __future__ import annotations

import re
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from ..schema import Cell, Query, Reader, Reading, Run, Value

# JSON is no way out: 6.1 has it for -k and -a only, and before 5.14 the option is silently ignored.

_ABSENT = ("", "n/a")


def query(flag: str, nic: str) -> Query:
    """A reading command such as `ethtool -g NIC`; an empty flag asks for the link."""
    return Query(("ethtool", flag, nic) if flag else ("ethtool", nic))


def command(flag: str, nic: str, words: Mapping[str, Value]) -> Run:
    """A setting command such as `ethtool -G NIC rx 4096 tx 4096`: all words in one call, as the kernel wants."""
    argv = ["ethtool", flag, nic]
    for word, value in words.items():
        argv += [word, ("on" if value else "off") if isinstance(value, bool) else str(value)]
    return Run(tuple(argv))


def _pairs(text: str) -> Iterator[Tuple[str, str, bool]]:
    """(label, value, indented) of each `label: value` line; anything else is passed over."""
    for line in text.splitlines():
        label, colon, value = line.partition(":")
        if colon and label.strip():
            yield label.strip(), value.strip(), line[0].isspace()


def _value(text: str) -> Value:
    """A number, a switch or a word; None for what the device does not have or a reader cannot trust."""
    word = text.split("(")[0].strip().lower()
    if word in _ABSENT:
        return None
    if word in ("on", "off"):
        return word == "on"
    return int(word) if re.fullmatch(r"\d{1,10}", word) else word


def limits(text: str, labels: Mapping[str, str]) -> Dict[str, Cell]:
    """Parse `-g` and `-l`: a block of maxima, then the same labels with what is in force.

    A setting with a maximum of 0 or n/a does not exist on this device: text before 5.18 prints 0 for n/a.
    """
    maxima: Dict[str, Value] = {}
    current: Dict[str, Value] = {}
    block: Optional[Dict[str, Value]] = None
    for label, word, _indented in _pairs(text):
        if label.startswith("Pre-set maximums"):
            block = maxima
        elif label.startswith("Current hardware settings"):
            block = current
        elif block is not None and label in labels:
            block.setdefault(labels[label], _value(word))
    cells: Dict[str, Cell] = {}
    for key, value in current.items():
        top = maxima.get(key)
        if value is None or (key in maxima and not top):
            continue
        if _whole(value) and _whole(top):
            cells[key] = Cell(value, maximum=int(str(top)))
        elif key not in maxima or (isinstance(value, (bool, str)) and not _whole(top)):
            cells[key] = Cell(value)
    return cells


def _whole(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def values(text: str, labels: Mapping[str, str]) -> Dict[str, Cell]:
    """Parse `-a` and `-c`: one value a line, and lines such as `Adaptive RX: off  TX: off` with two."""
    cells: Dict[str, Cell] = {}
    for line in text.splitlines():
        for label, word in _split(line):
            value = _value(word)
            if label in labels and value is not None:
                cells.setdefault(labels[label], Cell(value))
    return cells


def _split(line: str) -> List[Tuple[str, str]]:
    """`Adaptive RX: off  TX: on` gives (Adaptive RX, off) and (Adaptive TX, on); `rx-usecs:\\t3` gives itself."""
    label, colon, rest = line.partition(":")
    if not colon:
        # ethtool 6.1 to 6.3 print `tx-aggr-time-usecs n/a` without a colon.
        match = re.fullmatch(r"\s*([\w-]+)\s+(n/a|\d{1,10})\s*", line)
        return [(match[1], match[2])] if match else []
    label = label.strip()
    first, second, last = rest.partition(" TX:")
    if not second or not label.endswith("RX"):
        return [(label, rest.strip())]
    return [(label, first.strip()), (label[:-2] + "TX", last.strip())]


_STATE = re.compile(r"(on|off)(?: \[(fixed|requested on|requested off|not requested)\])?")


def features(text: str, canonical: Mapping[str, str]) -> Dict[str, Cell]:
    """Parse `-k`: states, what is requested though not in force, and groups with their indented members."""
    cells: Dict[str, Cell] = {}
    members: Dict[str, List[str]] = {}
    group = ""
    for label, value, indented in _pairs(text):
        match = _STATE.fullmatch(value)
        key = canonical.get(label, label)
        if not match or re.search(r"\s", label) or key in cells:
            continue
        on = match.group(1) == "on"
        requested = {"requested on": True, "requested off": False}.get(match.group(2) or "")
        cells[key] = Cell(on, requested=requested, fixed=match.group(2) == "fixed")
        if not indented:
            group = key
        elif group:
            members.setdefault(group, []).append(key)
    for key, names in members.items():
        cells[key] = Cell(cells[key].value, fixed=all(cells[name].fixed for name in names), members=tuple(names))
    return cells


def private_flags(text: str) -> Dict[str, Cell]:
    """Parse `--show-priv-flags`; the names are the driver's own."""
    return {label: Cell(value == "on") for label, value, _indented in _pairs(text) if value in ("on", "off")}


def driver(text: str) -> Dict[str, str]:
    """Parse `-i` into {driver, version, firmware-version, bus-info, ...}; what is empty or N/A is left out."""
    return {label: value for label, value, indented in _pairs(text) if not indented and value not in ("", "N/A")}


_FEC_LABELS = {
    "Configured FEC encodings": "configured",
    "Supported/Configured FEC encodings": "configured",  # since 5.19
    "Active FEC encoding": "active",
    "Active FEC encodings": "active",
}


def fec(text: str) -> Dict[str, List[str]]:
    """Parse `--show-fec` into the encodings that are configured, and those that are active."""
    pairs = [(_FEC_LABELS.get(label), value) for label, value, _indented in _pairs(text)]
    return {name: value.lower().split() for name, value in pairs if name}


_SPEED = re.compile(r"(\d+)base")


def link(text: str) -> Dict[str, object]:
    """Parse `ethtool NIC` into speed, duplex, port, autoneg, the link modes and the three pause lines; or `--show-eee`.

    Lists of modes go over several lines, of which only the first has a label. Speeds are in Mb/s; a NIC
    without link has `Unknown!`, which is left out.
    """
    facts: Dict[str, object] = {}
    modes: Optional[List[str]] = None
    for line in text.splitlines():
        label, colon, value = line.strip().partition(":")
        words = (value if colon else label).split()
        if not colon:
            if modes is not None:
                modes += [word for word in words if _SPEED.match(word)]
            continue
        modes = None
        name = _LINK_LABELS.get(label)
        if name is None or not words:
            continue
        if name.endswith("modes"):
            modes = [word for word in words if _SPEED.match(word)]
            facts.setdefault(name, modes)
        elif name == "carrier":
            facts.setdefault(name, words[0])
            reason = re.search(r"\(([^()]{1,100})\)\s*$", value)
            if words[0] == "no" and reason:
                facts.setdefault("down_reason", reason[1])
        elif name == "speed":
            match = re.fullmatch(r"(\d+)Mb/s", words[0])
            if match:
                facts.setdefault(name, int(match.group(1)))
        elif not words[0].startswith("Unknown!"):
            facts.setdefault(name, " ".join(words))
    return {name: fact for name, fact in facts.items() if fact != []}


_LINK_LABELS = {
    "Supported link modes": "supported_modes",
    "Advertised link modes": "advertised_modes",
    "Link partner advertised link modes": "partner_modes",
    "Supported EEE link modes": "supported_modes",
    "Advertised EEE link modes": "advertised_modes",
    "EEE status": "eee",
    "Tx LPI": "tx_lpi",
    "Supported pause frame use": "pause_supported",
    "Advertised pause frame use": "pause_advertised",
    "Link partner advertised pause frame use": "pause_partner",
    "Link partner advertised auto-negotiation": "partner_autoneg",
    "Speed": "speed",
    "Duplex": "duplex",
    "Supports auto-negotiation": "autoneg_supported",
    "Auto-negotiation": "autoneg",
    "Port": "port",
    "MDI-X": "mdix",
    "Supports Wake-on": "wol_supported",
    "Wake-on": "wol",
    "Link detected": "carrier",
}


def fastest(facts: Mapping[str, object]) -> int:
    """The highest speed the NIC can do in Mb/s, whatever the link has come to; 0 where it does not say."""
    modes = facts.get("supported_modes")
    current = facts.get("speed")
    matches = (_SPEED.match(mode) for mode in (modes if isinstance(modes, list) else ()))
    speeds = [int(match.group(1)) for match in matches if match]
    return max([*speeds, current if isinstance(current, int) else 0])


def reading(host: Reader, flag: str, nic: str, parse: Callable[[str], Dict[str, Cell]]) -> Reading:
    """Ask and parse; without any cell the tool's own words say why."""
    answer = host.ask(query(flag, nic))
    cells = parse(answer.out)
    if cells:
        return Reading(cells)
    return Reading({}, "the device does not have it" + (f" ({answer.complaint})" if answer.rc else ""))
