# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ip: what iproute2 says about links, in JSON or, where it is too old for that, in text."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, Mapping, Tuple

from ..schema import Query

_NUMBERS = ("mtu", "min_mtu", "max_mtu", "txqueuelen")
_WORDS = ("qdisc", "master", "operstate")
_LABELS = {"txqlen": "txqueuelen", "qlen": "txqueuelen", "minmtu": "min_mtu", "maxmtu": "max_mtu", "state": "operstate"}


def links(host: Any) -> Dict[str, Dict[str, object]]:
    """Facts by NIC: mtu, min_mtu, max_mtu (bytes; absent if the driver has no limit), txqueuelen, qdisc, master."""
    found = parse(host.ask(Query(("ip", "-d", "-j", "link", "show"))).out)
    return found or parse(host.ask(Query(("ip", "-d", "-o", "link", "show"))).out)


def parse(out: str) -> Dict[str, Dict[str, object]]:
    """Either form of the output; what is not understood is left out."""
    try:
        rows = [(row["ifname"], row) for row in json.loads(out)]
    except (ValueError, TypeError, KeyError):
        rows = list(_text(out))
    return {name: dict(_facts(row)) for name, row in rows if isinstance(name, str)}


def _text(out: str) -> Iterator[Tuple[str, Mapping[str, str]]]:
    """Lines such as `2: enp1s0@if3: <UP> mtu 1500 qdisc mq ... qlen 1000\\    link/ether ... maxmtu 9216`."""
    for line in out.splitlines():
        match = re.match(r"\d+: ([^\s:@]+)(?:@[^\s:]+)?: <[^>]*> ", line)
        if match:
            words = line[match.end() :].replace("\\", " ").split()
            yield match.group(1), dict(zip(reversed(words[:-1]), reversed(words[1:])))


def _facts(row: Mapping[str, Any]) -> Iterator[Tuple[str, object]]:
    for label, value in row.items():
        key = _LABELS.get(label, label)
        if key in _WORDS:
            yield key, str(value)
        elif key in _NUMBERS and re.fullmatch(r"\d{1,10}", str(value)) and (int(value) or key != "max_mtu"):
            yield key, int(value)
