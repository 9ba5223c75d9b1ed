# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell whether IPv6 hears anything: by what its protocols have counted, and by connections that get no answer."""

from __future__ import annotations

import re
from typing import Callable, Tuple

# All packets of IPv6, and those of ICMP and UDP among them; the rest is mostly TCP, which the kernel does not count by
# its family.
SENT = ("Ip6OutRequests", "Icmp6OutMsgs", "Udp6OutDatagrams")
_HEARD = ("Ip6InDelivers", "Icmp6InMsgs", "Udp6InDatagrams", "Udp6NoPorts")
# Fewer packets than that prove nothing, within an interval or since the boot.
_SOME, _MANY = 100, 1000


def packets(count: Callable[[str], int], now: bool) -> Tuple[int, int]:
    """Packets of IPv6 but ICMP and UDP, sent and received, where fewer than one in a hundred came back; else (0, 0)."""
    sent, heard = (max(0, count(every) - sum(map(count, parts))) for every, *parts in (SENT, _HEARD))
    # The kernel counts a datagram of multicast for each socket that gets it, and then nothing is left for TCP.
    copies = count("Icmp6InMsgs") + count("Udp6InDatagrams") > count("Ip6InDelivers")
    return (sent, heard) if sent >= (_SOME if now else _MANY) and heard * 100 < sent and not copies else (0, 0)


def asking(text: str) -> int:
    """Of `ss -6 -tno` in the state syn-sent: connections to public addresses elsewhere that have asked more than once.

    A neighbour that does not answer is away, which says nothing of the way out.
    """
    found = 0
    for line in text.splitlines():
        both = [word for word in line.split() if re.fullmatch(r"\S+:\d+", word)][:2]
        again = re.search(r"\btimer:\(on,[^,()]+,[1-9]\d{0,2}\)", line)
        own, peer = map(_network, both) if len(both) == 2 else (0, 0)
        found += bool(again and peer and peer != own)
    return found


def _network(end: str) -> int:
    """The network of 64 bits of one end of a connection, if its address can be reached from elsewhere (2000::/3)."""
    from ipaddress import IPv6Address  # few hosts need it, and it takes time to load

    match = re.match(r"\[?([0-9a-f:]+)(?:%[^\]]*)?\]?:\d+$", end)
    try:
        number = int(IPv6Address(match[1] if match else ""))
    except ValueError:
        return 0
    return number >> 64 if number >> 125 == 1 else 0
