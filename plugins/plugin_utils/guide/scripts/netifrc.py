# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the variables by which the network scripts of Gentoo and Slackware set a NIC: `mtu_eth0`, `MTU[0]`."""

from __future__ import annotations

import re
from typing import Dict, Iterator, Sequence, Tuple

from ..model import Line

_SETS = re.compile(
    r"\s*((mtu|txqueuelen|ethtool_(?:change|pause|coalesce|ring|offload))_(\w*\d\w*))=([\"']?)([^\"'$`]+)\4\s*(?:#.*)?"
)
# What tells that a text is of these scripts.
_OF_GENTOO = re.compile(
    r"\s*(?:config|routes|modules|ethtool_(?:change|pause|coalesce|ring|offload))_\w*\d\w*=|.*/conf\.d/net\b"
)


_ELEMENT = re.compile(r"\s*(IFNAME|MTU|BONDNICS|BONDMODE)\[(\d+)\]=([\"']?)([^\"'$`]*)\3\s*(?:#.*)?")
_OF_SLACKWARE = re.compile(r"\s*(?:IPADDRS?6?|USE_DHCP6?|NETMASK)\[\d+\]=|.*/rc\.inet1\.conf\b")


def commands(lines: Sequence[Line]) -> Iterator[Tuple[int, str]]:
    """The commands that the variables of such a file come to, each with its line."""
    yield from _of_gentoo(lines)
    yield from _of_slackware(lines)


def _of_slackware(lines: Sequence[Line]) -> Iterator[Tuple[int, str]]:
    """`MTU[2]="9000"`: of the NIC that IFNAME[2] names, or of eth2."""
    texts = [text for _number, text in lines]
    found = [(number, match) for number, text in lines for match in [_ELEMENT.fullmatch(text)] if match]
    if not any(map(_OF_SLACKWARE.match, texts)) or any(re.search(r"\$\{?(?:MTU|IFNAME)\b", text) for text in texts):
        return
    names: Dict[str, str] = {match[2]: match[4] for _number, match in found if match[1] == "IFNAME" and match[4]}
    for number, match in found:
        nic, value = names.get(match[2], f"eth{match[2]}"), match[4]
        if match[1] == "MTU" and value:
            yield number, f"ip link set dev {nic} mtu {value}"
        elif match[1] == "BONDMODE" and value:
            yield number, f"ip link add {nic} type bond mode {value}"
        for member in value.split() if match[1] == "BONDNICS" else ():
            yield number, f"ip link set dev {member} master {nic}"


def _of_gentoo(lines: Sequence[Line]) -> Iterator[Tuple[int, str]]:
    """`mtu_eth0="9000"`, `ethtool_ring_eth0="rx 4096"`."""
    texts = [text for _number, text in lines]
    if not any(map(_OF_GENTOO.match, texts)):
        return
    for number, text in lines:
        found = _SETS.fullmatch(text)
        if not found or any(re.search(rf"\$\{{?{found[1]}\b", one) for one in texts):
            continue  # a script that uses the variable itself
        what, nic, value = found[2], found[3], found[5]
        option = what.partition("_")[2].replace("ring", "set-ring")
        yield number, f"ethtool --{option} {nic} {value}" if option else f"ip link set dev {nic} {what} {value}"
