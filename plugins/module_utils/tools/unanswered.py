# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell whether IPv6 hears anything: by what its protocols have counted, and by connections that ask in vain."""

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
    """Of `ss -6 -tno` in the state syn-sent: connections to public addresses that have asked more than once."""
    found = 0
    for line in text.splitlines():
        both = [word for word in line.split() if re.fullmatch(r"\S+:\d+", word)][:2]
        again = re.search(r"\btimer:\(on,[^,()]+,[1-9]\d{0,2}\)", line)
        # 2000::/3 is what can be reached from elsewhere.
        if len(both) == 2 and again and re.match(r"\[?[23][0-9a-f]{3}:", both[1]):
            found += 1
    return found
