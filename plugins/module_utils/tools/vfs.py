# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak of virtual functions (SR-IOV): how many there are (sysfs), and what `ip link` says of each and sets for it."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional, Sequence

from ..schema import Poke, Query, Reader, Run
from ..text import quote
from . import sysfs

# By key: what ip prints, what is not printed while it is so (None: then the driver does not tell), and its option.
_PRINTED: Mapping[str, str] = {
    "mac": r"(?:MAC|link/\w+) ([0-9a-f:]{17,59})",
    "vlan": r", vlan (\d+)(?:, qos (\d+))?",
    "max_tx_rate": r", (?:max_tx_rate|tx rate) (\d+)",
    "min_tx_rate": r", min_tx_rate (\d+)",
    "spoofchk": r", spoof checking (on|off)",
    "trust": r", trust (on|off)",
    "link_state": r", link-state (auto|enable|disable)",
}
_SILENT = {"vlan": "0", "max_tx_rate": "0", "min_tx_rate": "0"}
KEYS = tuple(_PRINTED)
# What one has that nobody has given anything.
FRESH = {**_SILENT, "mac": "00:00:00:00:00:00", "link_state": "auto"}


def count_path(nic: str) -> str:
    """The file that makes virtual functions."""
    return f"{sysfs.ROOT}/{nic}/device/sriov_numvfs"


def most(host: Reader, nic: str) -> Optional[int]:
    """How many the device can have."""
    return sysfs.number(host, f"{sysfs.ROOT}/{nic}/device/sriov_totalvfs")


def ask(host: Reader, nic: str) -> List[Dict[str, str]]:
    """What each virtual function of a NIC has, in their order."""
    return parse(host.ask(Query(("ip", "link", "show", "dev", nic))).out)


def parse(text: str) -> List[Dict[str, str]]:
    """From `    vf 0     link/ether 2e:3a:41:bc:02:cc brd ..., vlan 7, qos 1, spoof checking on, ..., trust off`."""
    found: List[Dict[str, str]] = []
    for line in re.findall(r"^\s+vf \d+ .*", text, re.MULTILINE):
        one: Dict[str, str] = {}
        for key, pattern in _PRINTED.items():
            match = re.search(pattern, line)
            if match and key == "vlan" and match[2] not in (None, "0"):
                one[key] = f"{match[1]}:{match[2]}"
            elif match:
                one[key] = match[1]
            elif key in _SILENT:
                one[key] = _SILENT[key]
        found.append(one)
    return found


def make(nic: str, now: int, count: int) -> List[Poke]:
    """So many virtual functions; the kernel takes another number only where there are none."""
    path = count_path(nic)
    numbers = ([0] if now and count else []) + [count]
    return [Poke(path, str(number), f"echo {number} > {quote(path)}") for number in numbers]


def change(nic: str, number: int, words: Mapping[str, str]) -> Run:
    """What one virtual function is to have."""
    argv: List[str] = ["ip", "link", "set", "dev", nic, "vf", str(number)]
    for key in KEYS:
        if key in words:
            argv += _option(key, words[key])
    return Run(tuple(argv))


def _option(key: str, word: str) -> Sequence[str]:
    if key == "vlan":
        vlan, _colon, qos = word.partition(":")
        return ("vlan", vlan, *(("qos", qos) if qos else ()))
    return ("state" if key == "link_state" else key, word)
