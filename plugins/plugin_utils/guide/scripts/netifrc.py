# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the variables by which the network scripts of Gentoo set a NIC: `mtu_eth0`, `ethtool_ring_eth0`."""

from __future__ import annotations

import re
from typing import Iterator, Sequence, Tuple

from ..model import Line

_SETS = re.compile(
    r"\s*((mtu|txqueuelen|ethtool_(?:change|pause|coalesce|ring|offload))_(\w*\d\w*))=([\"']?)([^\"'$`]+)\4\s*(?:#.*)?"
)
# What tells that a text is of these scripts.
_OF_GENTOO = re.compile(
    r"\s*(?:config|routes|modules|ethtool_(?:change|pause|coalesce|ring|offload))_\w*\d\w*=|.*/conf\.d/net\b"
)


def commands(lines: Sequence[Line]) -> Iterator[Tuple[int, str]]:
    """The commands that the variables of such a file come to, each with its line."""
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
