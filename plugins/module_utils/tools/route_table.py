# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/net/route: where the main table of IPv4 leads, and which networks lie within others."""

from __future__ import annotations

import re
import sys
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple, Union

TABLE = "/proc/net/route"
# RTF_UP, RTF_GATEWAY and RTF_REJECT of include/uapi/linux/route.h.
_UP, _GATEWAY, _REJECT = 0x1, 0x2, 0x200
# The bits of the mask of networks that can be hidden; VPNs split a default route into two of one bit.
SHORTEST, _LONGEST = 8, 24
# Routes that are looked at.
_MOST = 2000


class Route(NamedTuple):
    """A route, its network and mask as numbers; its gateway, if the table tells one, as people write it."""

    nic: str
    network: int
    mask: int
    routed: bool
    metric: int
    gateway: str = ""

    @property
    def length(self) -> int:
        """The bits of the mask."""
        return bin(self.mask).count("1")

    def __str__(self) -> str:
        return f"{_dotted(self.network)}/{self.length}"


def parse(text: str) -> Iterator[Route]:
    """All routes that are in use; the file has addresses in the order of bytes of the machine."""
    for line in text.splitlines()[1:]:
        words = line.split()
        numbers = [words[at] for at in (1, 2, 3, 7)] if len(words) >= 8 and words[6].isdecimal() else []
        if numbers and all(re.fullmatch(r"[0-9A-Fa-f]{4,8}", word) for word in numbers):
            network, gateway, flags, mask = (int(word, 16) for word in numbers)
            if flags & (_UP | _REJECT) == _UP:
                routed = bool(flags & _GATEWAY)
                via = _dotted(_number(gateway)) if routed else ""
                yield Route(words[0], _number(network), _number(mask), routed, int(words[6]), via)


def _number(stored: int) -> int:
    return int.from_bytes(stored.to_bytes(4, "big"), sys.byteorder)


def _dotted(number: int) -> str:
    return ".".join(str(octet) for octet in number.to_bytes(4, "big"))


def defaults(text: str) -> List[Route]:
    """The default routes; a router may have a million others, which are not read."""
    head, *lines = text.splitlines() or [""]
    likely = [line for line in lines if line.split(None, 2)[1:2] == ["00000000"]]
    return [route for route in parse("\n".join([head, *likely])) if not route.length]


def head(text: str) -> Iterator[Route]:
    """The first 2,000 routes, as a router has a million."""
    return parse("\n".join(text.splitlines()[: _MOST + 1]))


def listed(text: str) -> Iterator[Route]:
    """The routes of IPv4 of `ip route show table N`; one that throws back to the next table has no NIC."""
    for line in text.splitlines()[:_MOST]:
        match = re.match(
            r"(?:(throw) )?(?:(\d{1,3}(?:\.\d{1,3}){3})(?:/(\d{1,2}))?|default)(?: .*?dev (\S+))?(?:\s|$)", line
        )
        if match and (match[1] or match[4]):
            octets = [int(octet) for octet in (match[2] or "0.0.0.0").split(".")]
            length = int(match[3] or 32) if match[2] else 0
            if max(octets) < 256 and length <= 32:
                mask = (1 << 32) - (1 << (32 - length))
                network = int.from_bytes(bytes(octets), "big") & mask
                yield Route("" if match[1] else match[4], network, mask, " via " in line, 0)


def exact(routes: Sequence[Route], address: str) -> str:
    """The NIC of the most exact route to an address of IPv4; empty where only a default route leads there."""
    from ipaddress import IPv4Address  # costs as much as the rest of the module, and few hosts have several ways out

    try:
        number = int(IPv4Address(address))
    except ValueError:
        return ""
    found = [route for route in routes if route.length and number & route.mask == route.network]
    return min(found, key=lambda route: (-route.length, route.metric)).nic if found else ""


def within(text: str, bridges: Sequence[str]) -> List[Dict[str, Union[str, int]]]:
    """Networks of these bridges that are a part of one that lies elsewhere, and through which NIC that would go.

    So are those `around` a network to which another NIC is connected.

    Only the bridges' own networks are compared, and with the first 2,000 other routes, as a router has a million. A
    route wider than a /8 is as good as a default route, and hides nothing; one narrower than a /24 is of few hosts.
    """
    names = frozenset(bridges)
    head, *lines = text.splitlines() or [""]
    own_lines = [line for line in lines if line.split("\t", 1)[0].strip() in names]
    other_lines = [line for line in lines[: _MOST + len(own_lines)] if line.split("\t", 1)[0].strip() not in names]
    # A network of the wire inside of one of theirs: the rest of the wider network, often its router, lies elsewhere.
    own_rows = [own for own in parse("\n".join([head, *own_lines[:_MOST]])) if not own.routed]
    wide = [other for other in parse("\n".join([head, *other_lines[:_MOST]])) if SHORTEST <= other.length <= _LONGEST]
    found: List[Dict[str, Union[str, int]]] = [
        {"nic": own.nic, "network": str(own), "inside": str(other), "by": other.nic}
        for own in own_rows
        for other in wide
        if other.length <= own.length and own.network & other.mask == other.network
    ]
    found += [
        {"nic": own.nic, "network": str(own), "around": str(other), "by": other.nic}
        for own in own_rows
        for other in wide
        if not other.routed and other.length > own.length and other.network & own.mask == own.network
    ]
    return found


def before_main(text: str) -> Iterator[Tuple[int, str]]:
    """Of `ip rule show`: the tables that all packets ask before the main one, each with its rule's priority."""
    for line in text.splitlines():
        match = re.fullmatch(r"(\d{1,10}):\s+from all lookup (\S+)\s*", line)
        if match and match[2] == "main":
            return
        # wg-quick asks the main table first, but for its default route.
        if re.match(r"\d{1,10}:\s+from all lookup main suppress_prefixlength 0\s*$", line):
            return
        if match and match[2] not in ("local", "default"):
            yield int(match[1]), match[2]
