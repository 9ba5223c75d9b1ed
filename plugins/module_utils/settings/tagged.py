# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which clients of a NIC are reached through a VLAN on it.

A filter for IP on the NIC sees none of their packets, for these count as packets of the tag's protocol (skb_protocol in
the kernel), whether or not the NIC puts the tag on itself.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Sequence

from ..schema import Reader, say
from ..tools import ip, sysfs

_TAGGED = " tagged"


def networks(host: Reader, nic: str) -> Iterator[str]:
    """`NIC ADDRESS` of all that stands on a NIC with VLANs, with a third word where its packets are tagged."""
    tags: Dict[str, bool] = {nic: False}
    waiting = [nic]
    while waiting:
        name = waiting.pop(0)
        new = [upper for upper in sysfs.above(host, name) if upper not in tags]
        tags.update({upper: sysfs.is_vlan(host, upper) or tags[name] for upper in new})
        waiting += new
    known = ip.addresses(host, expiring=True) if any(tags.values()) else {}
    for name in tags:
        for address in known.get(name, ()):
            yield f"{name} {address}{_TAGGED if tags[name] else ''}"


def unseen(nic: str, rows: Sequence[str], listed: Sequence[str]) -> Iterator[str]:
    """What to know of clients behind a VLAN, by what networks() has told; of several networks the smallest counts."""
    if not rows:
        return
    import ipaddress  # costs as much as the rest of the module, and few NICs with clients have VLANs

    own = [(ipaddress.ip_interface(row.split()[1]).network, row) for row in rows]
    reached: Dict[str, List[str]] = {}
    for word in listed:
        client = ipaddress.ip_network(word.partition("=")[0]).network_address
        near = [(network.prefixlen, row) for network, row in own if client in network]
        row = max(near, default=(0, ""))[1]
        if row.endswith(_TAGGED):
            reached.setdefault(row.split()[0], []).append(word.partition("=")[0])
    for vlan, some in reached.items():
        yield (
            f"{nic}: the VLAN {vlan} leads to {say(tuple(some))}, and a filter of {nic} does not see its tagged "
            "packets: these clients share queue 0, so leave them out"
        )
